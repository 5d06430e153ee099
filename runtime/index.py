"""A published index: opened by mapping its files, searched in stages.

    query -> encoder -> head -> candidate rows of all shards -> segments by equation 10, read with
          their neighbours -> pages by their best segment -> their texts
          -> words -> more candidate segments; their scores are added to those of pages
          -> names in the query and in the best pages -> more candidate pages, and higher scores

With stored embeddings, `rerank` scores the candidates' segments by these instead of codes. Without
`lexical`, codes alone decide. Knows nothing of how the index was built.
"""

from __future__ import annotations

import asyncio
import os
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from factmill.models.answering.answer_models import AnswerModels, answer_models
from factmill.models.codes.hash_head import HashHead
from factmill.models.encoding.batching import Floats
from factmill.models.encoding.published_encoder import PublishedEncoder
from factmill.models.encoding.query_encoder import TextEncoder, query_encoder
from factmill.models.links.link_scorer import default_scorer
from factmill.runtime.mapped.open_files import IndexFiles
from factmill.runtime.query_checks import check_hits, check_query
from factmill.runtime.readers_lock import hold
from factmill.runtime.search.candidates import BY_CODES, WITH_WORDS, Effort
from factmill.runtime.search.hits import Hit, PathStep, UnitHit
from factmill.runtime.search.page_ranking import PageRanking, UnrankedPages
from factmill.runtime.search.pages import Pages, ranked
from factmill.runtime.search.row_scores import Query, RowScores
from factmill.runtime.search.search_filter import Allowed, SearchFilter
from factmill.runtime.search.searcher import Searcher
from factmill.runtime.search.sharded import Numbers
from factmill.runtime.search.texts import Texts
from factmill.runtime.verify.background_check import BackgroundCheck
from factmill.runtime.verify.check_opening import open_files
from factmill.runtime.verify.file_checksums import FileChecks
from factmill.runtime.verify.opening_checks import OpeningCheck
from factmill.schemas.errors import CorruptStore, NotInBuild
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.manifest import Manifest, read_manifest
from factmill.schemas.records import Page, Proposition, QAPair, Segment
from factmill.schemas.storage.paths import StoragePath, parse_storage_path

if TYPE_CHECKING:
    from factmill.runtime.rows.stored_rows import StoredRows
    from factmill.runtime.search.filter_masks import FilterMasks

__all__ = ["Hit", "Index", "PathStep", "SearchFilter", "UnitHit", "open_build", "open_index"]

_UNITS_PER_HIT = 5
# Of a segment that names a page so many units are read, the best ones, for one that names it too.
_UNITS_READ = 8
# When a filter leaves too few pages, so many times the candidates are looked at.
_MORE_CANDIDATES = 8


class Index:
    """An open index. Searching is thread-safe; the files never change under it. A check in the
    background ends with it, or with `close`."""

    def __init__(
        self,
        build: BuildDir,
        manifest: Manifest,
        head: HashHead,
        files: IndexFiles,
        encoder: TextEncoder | None = None,
        check: BackgroundCheck | None = None,
    ) -> None:
        """`encoder` must be the build's own; it may be loaded already. `check` is that of files
        whose checksums were not compared before."""
        self.build, self.manifest = build, manifest
        self._head, self._files = head, files
        self._searcher = Searcher(files)
        self._encoder_name = str(manifest.configuration["encoder"])
        self._encoder = encoder or query_encoder(build, self._encoder_name)
        self._encoder_checked = False
        self._file_check = check or BackgroundCheck(build.root, (), FileChecks())
        self._let_go: Callable[[], object] = self._file_check.stop

    @cached_property
    def _texts(self) -> Texts:
        return Texts(self._files.shards)

    @cached_property
    def _rows(self) -> StoredRows:
        # Not before it is asked for: Arrow's functions take a tenth of a second to import.
        from factmill.runtime.rows.stored_rows import StoredRows

        return StoredRows(self.build, self._files.shards)

    @cached_property
    def _masks(self) -> FilterMasks:
        from factmill.runtime.search.filter_masks import FilterMasks

        return FilterMasks(self.build, self._files.shards, self._searcher.table)

    def page(self, page_id: str) -> Page:
        """The stored page of an id, with its text. Raises NoSuchRow, or CorruptStore for a table
        that is missing or damaged; so do `segment` and `unit`."""
        return self._rows.page(page_id)

    def tables_of(self, page_id: str) -> list[str]:
        """The tables of a page as Markdown, in order; its text has none of them."""
        return self._rows.tables_of(page_id)

    def segment(self, segment_id: str) -> Segment:
        """The stored segment of an id."""
        return self._rows.segment(segment_id)

    def unit(self, unit_id: str) -> Proposition | QAPair:
        """The stored proposition or QA pair of an id."""
        return self._rows.unit(unit_id)

    async def page_async(self, page_id: str) -> Page:
        """As `page`, in a thread; so are the others."""
        return await asyncio.to_thread(self.page, page_id)

    async def segment_async(self, segment_id: str) -> Segment:
        return await asyncio.to_thread(self.segment, segment_id)

    async def unit_async(self, unit_id: str) -> Proposition | QAPair:
        return await asyncio.to_thread(self.unit, unit_id)

    @cached_property
    def _ranking(self) -> PageRanking:
        return PageRanking(
            self._searcher, self._files.lexical, self._texts.segment, default_scorer()
        )

    def encode(self, queries: Sequence[str]) -> list[Query]:
        """Queries as the stages want them. Raises CorruptStore for the wrong encoder, and for
        damage that was found in the background."""
        self._file_check.raise_fault()
        if not self._encoder_checked:
            if self._encoder.fingerprint != self._head.encoder:
                raise CorruptStore(
                    f"{self.build.root}: built with another version of encoder {self._encoder_name}"
                )
            self._encoder_checked = True
        vectors = self._encoder.encode(queries)
        projected = self._head.queries(vectors)
        return list(map(Query.of, queries, vectors, projected))

    def encoder_of(self, head: HashHead) -> TextEncoder | None:
        """The encoder, if it is loaded and is the one that goes with a head."""
        fits = self._encoder_checked and head.encoder == self._head.encoder
        return self._encoder if fits else None

    @cached_property
    def answer_models(self) -> AnswerModels:
        """What finds answers: models that the build learned, and rules."""
        encoder = self._encoder
        published = encoder if isinstance(encoder, PublishedEncoder) else None
        return answer_models(self.build, published)

    @property
    def segments(self) -> int:
        """How many segments there are."""
        return sum(len(shard.segments) for shard in self._files.shards)

    def samples(self, count: int) -> list[tuple[str, str]]:
        """Texts from all over the index, each with the id of the page that it should find."""
        table = self._searcher.table
        rows = np.arange(0, table.rows, max(1, -(-table.rows // count)))
        segments = table.of_each_row(rows)
        return [
            self._texts.sample(row, segment, page)
            for row, segment, page in zip(
                rows.tolist(), segments.tolist(), table.pages[segments].tolist(), strict=True
            )
        ]

    def page_names(self) -> Iterator[tuple[str, str, str]]:
        """The page id, source id and URL of every page."""
        return self._texts.page_names()

    def search(
        self,
        query: str,
        k: int = 20,
        rerank: bool = False,
        lexical: bool = True,
        only: SearchFilter | None = None,
    ) -> list[Hit]:
        """The k best pages, best first. `rerank` scores them by the stored embeddings; raises
        OptionError when there are none. `lexical` counts the words they share with the query.
        `only` says what may be found at all; raises OptionError when the build cannot tell."""
        return self.search_many([query], k, rerank, lexical, only)[0]

    async def search_async(
        self,
        query: str,
        k: int = 20,
        rerank: bool = False,
        lexical: bool = True,
        only: SearchFilter | None = None,
    ) -> list[Hit]:
        """As `search`, in a thread; others go on meanwhile."""
        return await asyncio.to_thread(self.search, query, k, rerank, lexical, only)

    def search_many(
        self,
        queries: Sequence[str],
        k: int = 20,
        rerank: bool = False,
        lexical: bool = True,
        only: SearchFilter | None = None,
    ) -> list[list[Hit]]:
        """The k best pages of each query, encoded together. Raises OptionError for a query that
        is empty or no text, and for a k that no search gives."""
        for query in queries:
            check_query(query)
        self._check(k, rerank)
        if not queries:
            return []
        return self.search_encoded(self.encode(queries), k, rerank, lexical, only)

    def search_pages(
        self, query: str, k: int, most: int, only: SearchFilter | None = None
    ) -> list[list[Hit]]:
        """The k best pages as `search` finds them, each with `most` of its segments: the one that
        fits best, then the first ones, where pages say what they are about."""
        check_query(query)
        check_hits(k)
        allowed = self._masks.allowed(only) if only else None
        (encoded,) = self.encode([query])
        found = self._filtered(encoded, k, rerank=False, lexical=True, allowed=allowed).first(k)
        segments = [
            self._shown_of(page, best, most, allowed)
            for page, best in zip(found.pages.tolist(), found.segments.tolist(), strict=True)
        ]
        counts = list(map(len, segments))
        flat = np.array([one for of_page in segments for one in of_page], np.int64)
        repeated = Pages(
            np.repeat(found.pages, counts),
            flat,
            np.repeat(found.scores, counts),
            np.repeat(found.led_by, counts),
        )
        kinds = allowed.unit_kinds if allowed else None
        hits = iter(self.hits(encoded, repeated, len(flat), unit_kinds=kinds))
        return [
            [next(hits)._replace(rank=rank) for _ in range(count)]
            for rank, count in enumerate(counts, 1)
        ]

    def _shown_of(self, page: int, best: int, most: int, allowed: Allowed | None) -> list[int]:
        """Segments of a page: the best one, then the first ones that are allowed."""
        first, last = self._searcher.table.of_page(page)
        shown = range(first, last)
        others = [
            one for one in shown if one != best and (allowed is None or allowed.segments[one])
        ]
        return [best, *others[: most - 1]]

    def search_encoded(
        self,
        queries: Sequence[Query],
        k: int,
        rerank: bool = False,
        lexical: bool = True,
        only: SearchFilter | None = None,
    ) -> list[list[Hit]]:
        """As `search_many`, of encoded queries; one after the other, as two threads of so many
        short calls take longer than one (docs/log.md)."""
        allowed = self._masks.allowed(only) if only else None
        kinds = allowed.unit_kinds if allowed else None
        found = [
            self.hits(query, self._filtered(query, k, rerank, lexical, allowed), k, rerank, kinds)
            for query in queries
        ]
        self._file_check.raise_fault()
        return found

    def _filtered(
        self, query: Query, k: int, rerank: bool, lexical: bool, allowed: Allowed | None
    ) -> Pages:
        """The pages for k hits. Where a filter leaves fewer, more candidates are looked at, until
        there are k pages or all that is allowed was seen."""
        wanted = k
        while True:
            found = self.pages(query, wanted, rerank, lexical, spread=True, allowed=allowed)
            if allowed is None or len(found) >= k or wanted >= allowed.rows:
                return found
            wanted *= _MORE_CANDIDATES

    def candidates(
        self,
        query: Query,
        k: int,
        spread: bool = False,
        effort: Effort = BY_CODES,
        allowed: Allowed | None = None,
    ) -> Numbers:
        """The segments that k hits are chosen from by their codes."""
        return self._searcher.candidates(query, k, spread, effort, allowed)

    def pages(
        self,
        query: Query,
        k: int,
        rerank: bool = False,
        lexical: bool = True,
        spread: bool = False,
        allowed: Allowed | None = None,
    ) -> Pages:
        """All pages of the candidate segments for k hits, best first, before `hits` reads their
        texts. `allowed` is what may be among them."""
        row_scores = self._searcher.row_scores(query, rerank)
        segments = self.candidates(query, k, spread, WITH_WORDS if lexical else BY_CODES, allowed)
        if lexical:
            return self._ranking.ranked(query.text, row_scores, segments, allowed)
        found = self._searcher.pages(self._searcher.scored(row_scores, segments))
        return ranked(found, found.dense)

    def unranked(self, query: Query, k: int) -> UnrankedPages:
        """What `pages` is to rank, with words and names: training a scorer of names needs it."""
        segments = self.candidates(query, k, effort=WITH_WORDS)
        return self._ranking.unranked(query.text, self._searcher.row_scores(query), segments)

    def hits(
        self,
        query: Query,
        pages: Pages,
        k: int,
        rerank: bool = False,
        unit_kinds: frozenset[int] | None = None,
    ) -> list[Hit]:
        """The first k pages, with the texts of their segments and units; with units of some kinds
        alone when these are given."""
        shown = pages.first(k)
        row_scores = self._searcher.row_scores(query, rerank)
        units = self._searcher.units(row_scores, shown.segments, _UNITS_PER_HIT, unit_kinds)
        hits = list(self._texts.hits(shown, *units))
        return self._with_paths(row_scores, shown, hits, unit_kinds)

    def _with_paths(
        self,
        row_scores: RowScores,
        pages: Pages,
        hits: list[Hit],
        unit_kinds: frozenset[int] | None,
    ) -> list[Hit]:
        """The hits of pages, with what led to those that others name."""
        led = (pages.led_by >= 0).nonzero()[0]
        if not len(led):
            return hits
        segments, of_segment = np.unique(pages.led_by[led], return_inverse=True)
        units, scores = self._searcher.units(row_scores, segments, _UNITS_READ, unit_kinds)
        of_pages = self._searcher.table.pages[segments].tolist()
        for number, one in zip(led.tolist(), of_segment.tolist(), strict=True):
            step = self._texts.step(
                of_pages[one], int(segments[one]), hits[number].title, units[one], scores[one]
            )
            hits[number] = hits[number]._replace(path=(step,))
        return hits

    def fetched_at(self, hits: Sequence[Hit]) -> list[datetime | None]:
        """When the page of each hit was fetched, None where nobody says. Raises NoSuchRow for hits
        of another index."""
        times = {name: self.page(name).fetched_at for name in {hit.page_id for hit in hits}}
        return [times[hit.page_id] for hit in hits]

    def vector(self, text: str) -> tuple[str, Floats]:
        """The encoder's fingerprint and its vector of a text."""
        (query,) = self.encode([text])
        return self._head.encoder, query.vector

    @property
    def damage(self) -> CorruptStore | None:
        """What the check in the background has found, which every query raises."""
        return self._file_check.damage

    def wait_until_checked(self) -> None:
        """Return when nothing is left to be checked in the background. Raises CorruptStore for
        damage that was found."""
        self._file_check.wait()
        self._file_check.raise_fault()

    def close(self) -> None:
        """End the check in the background, and let the build be deleted."""
        self._let_go()

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _check(self, k: int, rerank: bool) -> None:
        check_hits(k)
        if rerank and not self._files.has_embeddings:
            raise NotInBuild(f"{self.build.root}: its index was written without embeddings")


def open_index(store: str | StoragePath, check: OpeningCheck = "auto") -> Index:
    """Open the published index of a store, which may be the URL of an object store. `check` says
    how its files are compared with the manifest. Raises NoIndex, WrongFormat, CorruptStore or
    Unreachable, and OptionError for a URL of no store."""
    return open_published(
        Store(parse_storage_path(str(store))), lambda build: open_build(build, check=check)
    )


def open_published(store: Store, opened: Callable[[BuildDir], Index]) -> Index:
    """The published build, `opened`; what was replaced meanwhile may be gone, and is not missed."""
    while True:
        build = store.published()
        try:
            return opened(build)
        except CorruptStore:
            if store.published() == build:
                raise


def open_build(
    build: BuildDir,
    manifest: Manifest | None = None,
    like: Index | None = None,
    check: OpeningCheck = "sizes",
) -> Index:
    """Open one build; `manifest` is that of a build whose manifest is not written yet. The encoder
    of the index `like` is used again where it is the same, and files that it has compared count as
    compared. Raises as `open_index` does."""
    with ExitStack() as held:
        build.check_links()
        if manifest is None:
            held.callback(os.close, hold(build))
            manifest = read_manifest(build)
        opened = open_files(build, manifest, check, like._file_check.checks if like else None)
        held.callback(opened.check.stop)
        encoder = like.encoder_of(opened.head) if like else None
        index = Index(build, manifest, opened.head, opened.index, encoder, opened.check)
        index._let_go = weakref.finalize(index, held.pop_all().close)
    return index
