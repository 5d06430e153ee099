"""The pages that a query names, and those named by the found pages, as features for the link
scorer.

Knows nothing of texts: names have become pages; pages and segments are positions among those scored
for the query.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from factmill.models.arrays import Doubles, Flags, Floats, Integers
from factmill.models.links.link_scorer import FEATURES
from factmill.runtime.search.pages import ScoredPages
from factmill.runtime.search.sharded import distinct

# One more nat of the name outweighs this much less prior of the linking page.
_PRIOR_PER_NAT = 0.02
_MAX_NATS = 10.0
# The maximum number of pages named by the query whose names are followed, and the minimum share of
# the query that their name must have (not "Film").
_MAX_ASKED = 4
_MIN_SHARE = 0.1

# Values of a feature: one for each page or link, or one for all.
_Column: TypeAlias = Floats | Doubles | Flags | Integers | float


@dataclass(frozen=True, slots=True)
class AskedPages:
    """The distinct pages that a query names, as positions, with the nats of their names; and the
    nats of all these names and of all words of the query.
    """

    pages: Integers
    nats: Floats
    covered: float
    query_nats: float


@dataclass(frozen=True, slots=True)
class Links:
    """Segments that name pages: positions of the segment's page and of the named page, the
    segment's number, the nats of the name, and the score of the segment's best row minus the best
    of all.
    """

    sources: Integers
    targets: Integers
    segments: Integers
    nats: Floats
    fits: Floats


def prior(scored: ScoredPages, asked: AskedPages) -> Floats:
    """The fused score of each page plus the share of the query that its name makes up."""
    return (scored.fused + _shares(len(scored), asked)).astype(np.float32)


def best_sources(scored: ScoredPages, asked: AskedPages, count: int) -> Integers:
    """Positions of the pages whose names are followed, ascending: those that the query names, and
    the `count` best.
    """
    first = np.argsort(-scored.fused, kind="stable")[:count]
    by_nats = np.argsort(-asked.nats, kind="stable")[:_MAX_ASKED]
    by_nats = by_nats[asked.nats[by_nats] >= _MIN_SHARE * asked.query_nats]
    return distinct(np.concatenate([first, asked.pages[by_nats]]))


def features(
    scored: ScoredPages, asked: AskedPages, links: Links
) -> tuple[Integers, Floats, Integers]:
    """Positions of the named pages, ascending; their FEATURES (`link_scorer`), shape (pages,
    features); and the segment that names each, -1 if only the query does.
    """
    count, query_nats = len(scored), max(asked.query_nats, 1.0)
    shares, nats = _shares(count, asked), np.zeros(count, np.float32)
    nats[asked.pages] = asked.nats
    fused, priors = scored.fused - scored.fused.max(), scored.fused + shares
    priors -= priors.max()
    ranks = np.empty(count, np.float64)
    ranks[np.argsort(-priors, kind="stable")] = np.log1p(np.arange(count))
    of_words = scored.words / query_nats

    is_asked = np.zeros(count, np.bool_)
    is_asked[asked.pages] = True
    link_of = _best_links(links, priors, count)
    named = (is_asked | (link_of >= 0)).nonzero()[0]
    linked = link_of[named] >= 0
    best = link_of[named][linked]

    best_page = int(scored.fused.argmax())
    pairs = distinct(links.sources * count + links.targets)
    sources, targets = pairs // count, pairs % count
    named_by_it = np.log1p(np.bincount(sources, minlength=count))
    of_page_or_query = {
        "fused": fused[named],
        "dense": scored.dense[named],
        "words": of_words[named],
        "prior": priors[named],
        "rank": ranks[named],
        "asked_nats": nats[named],
        "asked_share": shares[named],
        "asked_covered": min(1.0, asked.covered / query_nats),
        "asked_pages": min(len(asked.pages), _MAX_ASKED),
        "query_nats": asked.query_nats,
        "best_dense": scored.dense[best_page],
        "best_words": of_words[best_page],
        "lead": _lead(scored),
        "linked": linked,
        "links": np.log1p(np.bincount(targets, minlength=count))[named],
        "asked_links": np.bincount(targets[is_asked[sources]], minlength=count)[named],
    }
    linking = links.sources[best]
    of_best_link = {
        "source_prior": priors[linking],
        "source_fused": fused[linking],
        "source_share": shares[linking],
        "source_rank": ranks[linking],
        "source_links": named_by_it[linking],
        "link_nats": links.nats[best],
        "link_fit": links.fits[best],
    }
    segments = np.full(len(named), -1, np.int64)
    segments[linked] = links.segments[best]
    return named, _matrix(of_page_or_query, of_best_link, linked), segments


def _matrix(
    of_page_or_query: Mapping[str, _Column], of_best_link: Mapping[str, _Column], linked: Flags
) -> Floats:
    """The columns of FEATURES by name; those of links are 0 in rows that are not `linked`."""
    matrix = np.zeros((len(linked), len(FEATURES)), np.float32)
    for name, values in of_page_or_query.items():
        matrix[:, FEATURES.index(name)] = values
    for name, values in of_best_link.items():
        matrix[linked, FEATURES.index(name)] = values
    return matrix


def _shares(count: int, asked: AskedPages) -> Floats:
    shares = np.zeros(count, np.float32)
    shares[asked.pages] = np.minimum(1.0, asked.nats / max(asked.query_nats, 1.0))
    return shares


def _lead(scored: ScoredPages) -> float:
    """The difference between the best fused score and the next."""
    if len(scored) < 2:
        return 0.0
    second, first = np.partition(scored.fused, len(scored) - 2)[-2:]
    return float(first - second)


def _best_links(links: Links, priors: Doubles, count: int) -> Integers:
    """The number of the best link to each page, -1 for none: from a good page, by a rare name."""
    found = np.full(count, -1, np.int64)
    values = priors[links.sources] + _PRIOR_PER_NAT * np.minimum(links.nats, _MAX_NATS)
    # The best link is written last.
    order = np.argsort(values, kind="stable")
    found[links.targets[order]] = order
    return found
