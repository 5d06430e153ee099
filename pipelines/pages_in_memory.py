"""A small in-memory index of the pages that come with a question, cleaned and read as in a build.

    file -> raw pages -> text and tables -> segments -> BM25 over all of them
                                         -> units of the segments that are shown

The pages have no vectors: encoding five pages takes longer than answering from them, and among a
handful of pages meaning separates little. The question does get a vector, which predicts its
attributes. Pages are not compared with each other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import islice

import numpy as np

from factmill.models.answering.answer_models import AnswerModels
from factmill.models.arrays import Floats
from factmill.models.encoding.packaged_encoder import packaged_encoder
from factmill.models.lexical.bm25 import inverse_frequencies, length_norms, words
from factmill.models.readers.heuristic.reader import HeuristicReader
from factmill.models.readers.reading import PageContext, to_units
from factmill.runtime.query_checks import check_query
from factmill.runtime.search.hits import Hit, UnitHit
from factmill.schemas.errors import OptionError, Rejected
from factmill.schemas.records import Page, Reject, Segment
from factmill.transforms.clean.extract_page import ExtractedPage, extract_page
from factmill.transforms.clean.segment_page import segment_page
from factmill.transforms.inputs.raw_page import RawPage

# A handful of pages has long segments, so a word's second occurrence counts.
_K1 = 0.9
MAX_PAGES = 100
_UNITS_PER_HIT = 5


@dataclass(frozen=True, slots=True)
class _NoBuild:
    """Stands for the build of pages that are only in memory."""

    build_id: str = ""


@dataclass(frozen=True, slots=True)
class _Held:
    """A segment with its page and its word counts."""

    segment: Segment
    page: Page
    counts: Counter[str] = field(default_factory=Counter)


class PagesInMemory:
    """`SearchedPages` over extracted pages. Thread-safe: nothing changes."""

    build = _NoBuild()
    answer_models = AnswerModels()

    def __init__(self, pages: Iterable[ExtractedPage]) -> None:
        self._held = [
            _Held(segment, page.page, Counter(words(f"{page.page.title} {segment.text}")))
            for page in pages
            for segment in segment_page(
                page.page, page.tables, page.data, page.sentences, frozenset(page.headings)
            )
        ]
        self._found_in = Counter(word for held in self._held for word in held.counts)
        lengths = np.array([held.counts.total() for held in self._held], np.int32)
        mean = int(lengths.sum()) / max(1, len(lengths))
        self._length_norms: list[float] = length_norms(lengths, mean, _K1).tolist()

    @cached_property
    def _reader(self) -> HeuristicReader:
        return HeuristicReader()

    def search(self, query: str, k: int = 20) -> list[Hit]:
        """The k best pages, best first, each with its best segment."""
        return [hits[0] for hits in self.search_pages(query, k, 1)]

    def search_pages(self, query: str, k: int, most: int, tables: int = 0) -> list[list[Hit]]:
        """The k best pages, each with its `most` best segments; the best page has `tables` more
        tables.
        """
        check_query(query)
        weights = self._weights(query)
        by_page: dict[str, list[tuple[float, _Held]]] = defaultdict(list)
        for held, length_norm in zip(self._held, self._length_norms, strict=True):
            score = _score(held.counts, length_norm, weights)
            if score > 0:
                by_page[held.page.page_id].append((score, held))
        for scored in by_page.values():
            scored.sort(key=lambda one: -one[0])
        best = sorted(by_page.values(), key=lambda scored: -scored[0][0])[:k]
        shown = [scored[:most] for scored in best]
        if tables and best:
            behind = (one for one in best[0][most:] if one[1].segment.kind == "table")
            shown[0] = [*shown[0], *islice(behind, tables)]
        return [
            [self._hit(rank, score, held, weights) for score, held in scored]
            for rank, scored in enumerate(shown, 1)
        ]

    def fetched_at(self, hits: Sequence[Hit]) -> list[datetime | None]:
        """When the page of each hit was fetched; None when unknown to the input."""
        times = {held.page.page_id: held.page.fetched_at for held in self._held}
        return [times[hit.page_id] for hit in hits]

    encoder = ""

    def vector(self, text: str) -> tuple[str, Floats] | None:
        """The default encoder's fingerprint and its vector of a text; None if it is not
        installed.
        """
        encoder = packaged_encoder()
        return (encoder.fingerprint, encoder.encode([text])[0]) if encoder else None

    def search_vectors(self, query: str, k: int) -> None:
        """Always None: the pages have no vectors."""

    def _weights(self, query: str) -> dict[str, float]:
        """The idf of the query's words that occur in any segment, as shares of their sum."""
        asked = list(dict.fromkeys(word for word in words(query) if word in self._found_in))
        counts = np.array([self._found_in[word] for word in asked], np.int64)
        frequencies = inverse_frequencies(counts, len(self._held))
        total = float(frequencies.sum()) or 1.0
        return {word: float(idf) / total for word, idf in zip(asked, frequencies, strict=True)}

    def _hit(self, rank: int, score: float, held: _Held, weights: dict[str, float]) -> Hit:
        segment, page = held.segment, held.page
        units = sorted(self._units(held, weights), key=lambda unit: -unit.score)
        return Hit(
            rank, score, page.page_id, page.source_id, page.url, page.title, segment.text,
            segment.segment_id, segment.start, segment.end, tuple(units[:_UNITS_PER_HIT]),
        )  # fmt: skip

    def _units(self, held: _Held, weights: dict[str, float]) -> list[UnitHit]:
        """The units that the rule-based reader finds in a segment, scored by the share of the
        query's words.
        """
        segment, reader = held.segment, self._reader
        try:
            reading = reader.read(
                segment, PageContext.of(held.page.title, held.page.kind, held.page.kind_confidence)
            )
        except Rejected:
            return []
        made = to_units(segment, reading, reader.fingerprint)
        found = [
            (one.unit_id, "proposition", one.text, one.evidence_start, one.evidence_end)
            for one in made.propositions
        ] + [
            (one.unit_id, "qa_pair", f"{one.question} {one.answer}", one.answer_start,
             one.answer_end)
            for one in made.pairs
        ]  # fmt: skip
        title = set(words(held.page.title))
        return [
            UnitHit(
                name, kind, text,
                sum(weights[word] for word in (title | set(words(text))) & weights.keys()),
                segment.segment_id, start, end,
            )
            for name, kind, text, start, end in found
        ]  # fmt: skip


def _score(counts: Counter[str], length_norm: float, weights: dict[str, float]) -> float:
    """BM25, scaled to a maximum of 1."""
    return sum(
        weight * counts[word] / (counts[word] + length_norm)
        for word, weight in weights.items()
        if word in counts
    )


def extracted_pages(
    records: Iterable[RawPage | Reject],
) -> tuple[list[ExtractedPage], list[Reject]]:
    """The distinct pages of some records, and the rejects."""
    pages: dict[str, ExtractedPage] = {}
    rejects: list[Reject] = []
    for record in records:
        found = extract_page(record) if isinstance(record, RawPage) else record
        if isinstance(found, Reject):
            rejects.append(found)
        else:
            pages.setdefault(found.page.page_id, found)
    return list(pages.values()), rejects


def pages_in_memory(records: Iterable[RawPage | Reject], source: str) -> PagesInMemory:
    """The index of some records. Raises OptionError when no page is left, or for more pages than
    fit in memory.
    """
    taken = list(islice(records, MAX_PAGES + 1))
    if len(taken) > MAX_PAGES:
        raise OptionError(f"{source}: more than {MAX_PAGES} pages; build a store from them")
    pages, rejects = extracted_pages(taken)
    if not pages:
        why = f": {rejects[0].reason} {rejects[0].detail}" if rejects else ""
        raise OptionError(f"{source}: no page in it{why}")
    return PagesInMemory(pages)
