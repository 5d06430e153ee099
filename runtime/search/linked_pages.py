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


@dataclass(frozen=True, slots=True)
class _PageColumns:
    """Values of all scored pages, as FEATURES define them; priors are fused scores plus shares."""

    fused: Doubles
    words: Floats
    priors: Doubles
    ranks: Doubles
    is_asked: Flags
    nats: Floats
    shares: Floats


def best_sources(scored: ScoredPages, asked: AskedPages, count: int) -> Integers:
    """Positions of the pages whose names are followed, ascending: those that the query names, and
    the `count` best.
    """
    first = np.argsort(-scored.fused, kind="stable")[:count]
    by_nats = np.argsort(-asked.nats, kind="stable")[:_MAX_ASKED]
    by_nats = by_nats[asked.nats[by_nats] >= _MIN_SHARE * asked.query_nats]
    return distinct(np.concatenate([first, asked.pages[by_nats]]))


def link_features(
    scored: ScoredPages, asked: AskedPages, links: Links
) -> tuple[Integers, Floats, Integers]:
    """Positions of the named pages, ascending; their FEATURES (`link_scorer`), shape (pages,
    features); and the segment that names each, -1 if only the query does.
    """
    pages = _page_columns(scored, asked)
    link_of = _best_links(links, pages.priors, len(scored))
    named = (pages.is_asked | (link_of >= 0)).nonzero()[0]
    linked = link_of[named] >= 0
    best = link_of[named][linked]
    linking, linked_by, linked_by_asked = _link_counts(links, pages.is_asked)
    of_page_or_query: dict[str, _Column] = {
        "fused": pages.fused[named],
        "dense": scored.dense[named],
        "words": pages.words[named],
        "prior": pages.priors[named],
        "rank": pages.ranks[named],
        "asked_nats": pages.nats[named],
        "asked_share": pages.shares[named],
        **_of_query(scored, asked, pages.words),
        "linked": linked,
        "links": np.log1p(linked_by)[named],
        "asked_links": linked_by_asked[named],
    }
    sources = links.sources[best]
    of_best_link: dict[str, _Column] = {
        "source_prior": pages.priors[sources],
        "source_fused": pages.fused[sources],
        "source_share": pages.shares[sources],
        "source_rank": pages.ranks[sources],
        "source_links": np.log1p(linking)[sources],
        "link_nats": links.nats[best],
        "link_fit": links.fits[best],
    }
    segments = np.full(len(named), -1, np.int64)
    segments[linked] = links.segments[best]
    return named, _matrix(of_page_or_query, of_best_link, linked), segments


def _page_columns(scored: ScoredPages, asked: AskedPages) -> _PageColumns:
    count = len(scored)
    shares, nats = _shares(count, asked), np.zeros(count, np.float32)
    nats[asked.pages] = asked.nats
    is_asked = np.zeros(count, np.bool_)
    is_asked[asked.pages] = True
    priors = scored.fused + shares
    priors -= priors.max()
    ranks = np.empty(count, np.float64)
    ranks[np.argsort(-priors, kind="stable")] = np.log1p(np.arange(count))
    return _PageColumns(
        fused=scored.fused - scored.fused.max(),
        words=scored.words / max(asked.query_nats, 1.0),
        priors=priors,
        ranks=ranks,
        is_asked=is_asked,
        nats=nats,
        shares=shares,
    )


def _of_query(scored: ScoredPages, asked: AskedPages, words: Floats) -> dict[str, _Column]:
    """The features that all named pages of a query share."""
    best = int(scored.fused.argmax())
    return {
        "asked_covered": min(1.0, asked.covered / max(asked.query_nats, 1.0)),
        "asked_pages": min(len(asked.pages), _MAX_ASKED),
        "query_nats": asked.query_nats,
        "best_dense": scored.dense[best],
        "best_words": words[best],
        "lead": _lead(scored),
    }


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


def _link_counts(links: Links, is_asked: Flags) -> tuple[Integers, Integers, Integers]:
    """How many pages each page names, is named by, and is named by of those that are asked for."""
    count = len(is_asked)
    pairs = distinct(links.sources * count + links.targets)
    sources, targets = pairs // count, pairs % count
    return (
        np.bincount(sources, minlength=count),
        np.bincount(targets, minlength=count),
        np.bincount(targets[is_asked[sources]], minlength=count),
    )


def _best_links(links: Links, priors: Doubles, count: int) -> Integers:
    """The number of the best link to each page, -1 for none: from a good page, by a rare name."""
    found = np.full(count, -1, np.int64)
    values = priors[links.sources] + _PRIOR_PER_NAT * np.minimum(links.nats, _MAX_NATS)
    # The best link is written last.
    order = np.argsort(values, kind="stable")
    found[links.targets[order]] = order
    return found
