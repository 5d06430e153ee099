"""Scores pages that a query names, or that another found page names.

A named page is lifted towards the best page, never beyond it, or lowered. A small network says how
far, from about twenty features of the query, the naming page and the named page:

    lifted = best - (best - fused) * exp(-lift)
    lift = w2 . tanh(W1 x + b1) + b2

Only named pages are lifted, and the best page stays first. So a query or a corpus without names is
ranked as if there were no scorer. The network is trained on labelled questions about one and about
several pages (`link_training`); its weights are a file beside this one. A build may have trained
its own scorer (`build_scorer`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from factmill.models.arrays import Doubles, Floats

# The columns of a feature matrix. A prior is the fused score plus the share of the query that the
# page's name makes up.
FEATURES = (
    "fused",  # less the best
    "dense",
    "words",  # the page's BM25 score, as a share of all that the query's words could give
    "prior",  # less the best
    "rank",  # ln(1 + rank by prior)
    "asked_nats",  # idf of the words by which the query names the page
    "asked_share",  # their share of the query
    "asked_covered",  # that of all names in the query
    "asked_pages",  # how many pages the query names
    "query_nats",  # idf of all words of the query
    "best_dense",  # of the page with the best fused score
    "best_words",
    "lead",  # its fused score less that of the next
    "linked",  # 1 for a page that one of the best pages names, else 0; then of the best such link:
    "source_prior",  # of the page that names it, less the best
    "source_fused",
    "source_share",  # asked_share of the page that names it
    "source_rank",
    "source_links",  # ln(1 + pages that this page names)
    "link_nats",  # idf of the words of the name that the query lacks
    "link_fit",  # the best row of the segment that names it, less the best row of all
    "links",  # ln(1 + pages that name it)
    "asked_links",  # how many of these the query names
)
FILE = Path(__file__).with_name("link_scorer.safetensors")


@dataclass(frozen=True, slots=True)
class LinkScorer:
    """The network: `hidden` has shape (features, units), `out` shape (units,)."""

    hidden: Floats
    hidden_bias: Floats
    out: Floats
    out_bias: Floats

    @classmethod
    def of(cls, tensors: Mapping[str, Floats]) -> LinkScorer:
        return cls(*(tensors[name] for name in ("hidden", "hidden_bias", "out", "out_bias")))

    def tensors(self) -> dict[str, Floats]:
        """The input of `of`."""
        return {
            "hidden": self.hidden,
            "hidden_bias": self.hidden_bias,
            "out": self.out,
            "out_bias": self.out_bias,
        }

    def lifts(self, features: Floats) -> Floats:
        """How far pages are lifted, shape (pages,), given their FEATURES."""
        found: Floats = (
            np.tanh(features @ self.hidden + self.hidden_bias) @ self.out + self.out_bias
        )
        return found


def lifted(fused: Doubles, best: float, lifts: Floats) -> Doubles:
    """The scores of named pages, none above the best."""
    scores: Doubles = best - (best - fused) * np.exp(-lifts.astype(np.float64))
    return scores


@cache
def default_scorer() -> LinkScorer:
    """The scorer in the package."""
    return LinkScorer.of(load_file(FILE))
