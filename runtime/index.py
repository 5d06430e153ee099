"""An open index: searches its mapped files in stages, and reads stored rows by id.

    query -> encoder -> head -> candidate rows of all shards -> segments by equation 10, with their
          neighbours -> pages by their best segment -> their texts
          -> words -> more candidate segments; their scores are added to those of pages
          -> names in the query and in the best pages -> more candidate pages, and higher scores

`Scoring` says which scores count. Knows nothing of how the index was built.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from factmill.models.answering.answer_models import AnswerModels, answer_models
from factmill.models.answering.r2former.r2former import R2Former, default_r2former
from factmill.models.arrays import Floats
from factmill.models.codes.hash_head import HashHead
from factmill.models.encoding.published_encoder import PublishedEncoder
from factmill.models.encoding.query_encoder import TextEncoder, query_encoder
from factmill.models.links.build_scorer import build_scorer
from factmill.runtime.mapped.open_files import IndexFiles
from factmill.runtime.query_checks import check_hits, check_queries, check_query
from factmill.runtime.search.hits import Hit, HitVectors, PathStep, UnitHit
from factmill.runtime.search.page_relevance import PageRelevance, judged_order, with_relevance
from factmill.runtime.search.page_search import PageSearch
from factmill.runtime.search.pages import Pages
from factmill.runtime.search.pairless_searcher import PairlessSearcher
from factmill.runtime.search.row_scores import Query
from factmill.runtime.search.scoring import DEFAULT_SCORING, Scoring
from factmill.runtime.search.search_filter import Allowed, SearchFilter
from factmill.runtime.search.searcher import Searcher
from factmill.runtime.search.texts import Texts
from factmill.runtime.verify.background_check import BackgroundCheck
from factmill.runtime.verify.file_checksums import FileChecks
from factmill.schemas.errors import CorruptStore, NotInBuild, OptionError
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import Manifest
from factmill.schemas.records import Page, Proposition, QAPair, Segment

if TYPE_CHECKING:
    from factmill.runtime.rows.stored_rows import StoredRows
    from factmill.runtime.search.filter_masks import FilterMasks

__all__ = ["Hit", "Index", "PathStep", "SearchFilter", "UnitHit"]


class Index:
    """An open index. Searching is thread-safe; the files never change while it is open. `close`, or
    its destruction, ends a background check. What is sent to another process, or copied, opens the
    same build again.
    """

    def __init__(
        self,
        build: BuildDir,
        manifest: Manifest,
        head: HashHead,
        files: IndexFiles,
        encoder: TextEncoder | None = None,
        check: BackgroundCheck | None = None,
        searcher: Searcher | None = None,
    ) -> None:
        """`encoder` must be the build's own, if already loaded. `check` is the check of files whose
        checksums were not compared yet. `searcher` searches these files.
        """
        self.build, self.manifest = build, manifest
        self._head, self._files = head, files
        self._searcher = searcher or Searcher(files)
        self._encoder_name = str(manifest.configuration["encoder"])
        self._encoder = encoder or query_encoder(build, self._encoder_name)
        self._encoder_checked = False
        self._file_check = check or BackgroundCheck(build.root, (), FileChecks())
        # Releases what `open_build` holds while the index is open.
        self.let_go: Callable[[], object] = self._file_check.stop
        # The call that opens these files again, in another process, too.
        self.opened_by: tuple[Callable[..., Index], tuple[object, ...]] | None = None

    def __repr__(self) -> str:
        return f"<Index of {self.build.root}>"

    def __reduce__(self) -> tuple[object, ...]:
        if self.opened_by is None:
            raise TypeError("only an index from open_index can be pickled; open this one there")
        given = vars(self).get("r2former", default_r2former())
        return *self.opened_by, {} if given is default_r2former() else {"r2former": given}

    @cached_property
    def _texts(self) -> Texts:
        return Texts(self._files.shards)

    @cached_property
    def _rows(self) -> StoredRows:
        # Created on first use: Arrow's functions take a tenth of a second to import.
        from factmill.runtime.rows.stored_rows import StoredRows

        return StoredRows(self.build, self._files.shards)

    @cached_property
    def _masks(self) -> FilterMasks:
        from factmill.runtime.search.filter_masks import FilterMasks

        return FilterMasks(self.build, self._files.shards, self._searcher.table)

    def _allowed(self, only: SearchFilter | None) -> Allowed | None:
        if only and not isinstance(only, SearchFilter):
            raise OptionError(f"only must be a SearchFilter, not {type(only).__name__}")
        return self._masks.allowed(only) if only else None

    @cached_property
    def page_search(self) -> PageSearch:
        """The stages of a search on encoded queries; `search` runs all of them."""
        scorer = build_scorer(self.build, self._head.encoder)
        return PageSearch(self._files, self._searcher, self._texts, scorer)

    def without_pairs(self) -> Index:
        """The same files searched as if they had no QA pairs, for questions that are these pairs.
        Open as long as this index is.
        """
        searcher = PairlessSearcher(self._files)
        return Index(
            self.build, self.manifest, self._head, self._files, self._encoder, searcher=searcher
        )

    def page(self, page_id: str) -> Page:
        """The stored page with this id, with its text. Raises NoSuchRow, OptionError for an id that
        is no text, or CorruptStore for a table that is missing or damaged; so do `segment` and
        `unit`.
        """
        return self._rows.page(page_id)

    def tables_of(self, page_id: str) -> list[str]:
        """The tables of a page as Markdown, in order; the page's text does not contain them."""
        return self._rows.tables_of(page_id)

    def segment(self, segment_id: str) -> Segment:
        """The stored segment with this id."""
        return self._rows.segment(segment_id)

    def unit(self, unit_id: str) -> Proposition | QAPair:
        """The stored proposition or QA pair with this id."""
        return self._rows.unit(unit_id)

    async def page_async(self, page_id: str) -> Page:
        """`page` in a thread; likewise the methods below."""
        return await asyncio.to_thread(self.page, page_id)

    async def segment_async(self, segment_id: str) -> Segment:
        return await asyncio.to_thread(self.segment, segment_id)

    async def unit_async(self, unit_id: str) -> Proposition | QAPair:
        return await asyncio.to_thread(self.unit, unit_id)

    def encode(self, queries: Sequence[str]) -> list[Query]:
        """Encode queries for the search stages. Raises CorruptStore for the wrong encoder, and for
        damage found in the background.
        """
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

    @property
    def file_checks(self) -> FileChecks:
        """The files whose checksums have been compared so far."""
        return self._file_check.checks

    def encoder_of(self, head: HashHead) -> TextEncoder | None:
        """The encoder, if it is loaded and belongs to this head."""
        fits = self._encoder_checked and head.encoder == self._head.encoder
        return self._encoder if fits else None

    @cached_property
    def answer_models(self) -> AnswerModels:
        """The models and rules that find answers; the build's own models where it learned them."""
        encoder = self._encoder
        published = encoder if isinstance(encoder, PublishedEncoder) else None
        return answer_models(self.build, published)

    @property
    def segments(self) -> int:
        """The number of segments."""
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
        relevance: bool = False,
    ) -> list[Hit]:
        """The k best pages, best first. `rerank` scores them by the stored embeddings; raises
        OptionError when there are none. `lexical` adds the score of shared words. `only` filters
        what may be found; raises OptionError when the build cannot evaluate the filter. `relevance`
        lets `r2former` judge the first pages; raises OptionError when it was trained for another
        encoder.
        """
        return self.search_many([query], k, Scoring(rerank, lexical, relevance), only)[0]

    async def search_async(
        self,
        query: str,
        k: int = 20,
        rerank: bool = False,
        lexical: bool = True,
        only: SearchFilter | None = None,
        relevance: bool = False,
    ) -> list[Hit]:
        """`search` in a thread, without blocking the event loop."""
        return await asyncio.to_thread(self.search, query, k, rerank, lexical, only, relevance)

    def search_many(
        self,
        queries: Sequence[str],
        k: int = 20,
        scoring: Scoring = DEFAULT_SCORING,
        only: SearchFilter | None = None,
    ) -> list[list[Hit]]:
        """The k best pages of each query, encoded together. Raises OptionError for an empty or
        malformed query, and for an invalid k.
        """
        check_queries(queries)
        self._check(k, scoring)
        if not len(queries):  # also a column of a table, which has no truth value
            return []
        return self.search_encoded(self.encode(queries), k, scoring, only)

    def search_pages(
        self,
        query: str,
        k: int,
        most: int,
        tables: int = 0,
        only: SearchFilter | None = None,
    ) -> list[list[Hit]]:
        """The k best pages as in `search`, each with `most` of its segments: the best one, then the
        first ones, which say what a page is about. The best page also has `tables` more tables from
        further down.
        """
        check_query(query)
        check_hits(k)
        (encoded,) = self.encode([query])
        allowed = self._allowed(only)
        return self.page_search.hits_of_segments(encoded, k, most, tables, allowed)

    def search_encoded(
        self,
        queries: Sequence[Query],
        k: int,
        scoring: Scoring = DEFAULT_SCORING,
        only: SearchFilter | None = None,
    ) -> list[list[Hit]]:
        """`search_many` on encoded queries, sequentially: two threads of many short calls take
        longer than one (docs/log.md).
        """
        allowed = self._allowed(only)
        found = [self._hits(query, k, scoring, allowed) for query in queries]
        self._file_check.raise_fault()
        return found

    def _hits(self, query: Query, k: int, scoring: Scoring, allowed: Allowed | None) -> list[Hit]:
        pages = self.page_search.for_hits(query, k, scoring, allowed)
        if not scoring.relevance:
            return self.page_search.read(query, pages, k, scoring, allowed)
        pages, log_odds = self.judged(query, pages, scoring)
        return with_relevance(self.page_search.read(query, pages, k, scoring, allowed), log_odds)

    @cached_property
    def r2former(self) -> R2Former:
        """The model that judges the relevance of pages; it can be replaced."""
        return default_r2former()

    def judged(
        self, query: Query, pages: Pages, scoring: Scoring = DEFAULT_SCORING
    ) -> tuple[Pages, Floats]:
        """Pages ordered by score and relevance together, and the log-odds of the first ones. Raises
        ModelMismatch.
        """
        self.r2former.check_encoder(self._head.encoder)
        row_scores = self._searcher.row_scores(query, scoring.rerank)
        log_odds = self._relevance.log_odds(self.r2former, query, row_scores, pages)
        order = judged_order(pages, log_odds)
        return pages.at(order), log_odds[order[: len(log_odds)]]

    def page_features(self, query: Query, pages: Pages) -> Floats:
        """The PAGE_FEATURES of pages, for training an R2-Former."""
        return self._relevance.features(query, self._searcher.row_scores(query), pages)

    def search_vectors(self, query: str, k: int, only: SearchFilter | None = None) -> HitVectors:
        """The k best pages as in `search`, with the vectors that the codes of their units decode
        to.
        """
        check_query(query)
        check_hits(k)
        allowed = self._allowed(only)
        (encoded,) = self.encode([query])
        search = self.page_search
        pages = search.for_hits(encoded, k, DEFAULT_SCORING, allowed).first(k)
        of_query, of_pages = self._relevance.unit_vectors(
            encoded, search.unit_rows(encoded, pages, allowed), pages
        )
        hits = search.read(encoded, pages, k, allowed=allowed)
        return HitVectors(self._head.encoder, hits, of_query, of_pages)

    @cached_property
    def _relevance(self) -> PageRelevance:
        return PageRelevance(self._searcher, self._head)

    def fetched_at(self, hits: Sequence[Hit]) -> list[datetime | None]:
        """When the page of each hit was fetched; None if unrecorded. Raises NoSuchRow for hits of
        another index.
        """
        times = {name: self.page(name).fetched_at for name in {hit.page_id for hit in hits}}
        return [times[hit.page_id] for hit in hits]

    @property
    def encoder(self) -> str:
        """The fingerprint of the index's encoder."""
        return self._head.encoder

    def vector(self, text: str) -> tuple[str, Floats]:
        """The encoder's fingerprint and its vector of a text."""
        (query,) = self.encode([text])
        return self._head.encoder, query.vector

    @property
    def damage(self) -> CorruptStore | None:
        """The damage that the background check found, which every query raises."""
        return self._file_check.damage

    def wait_until_checked(self) -> None:
        """Wait until the background check has finished. Raises CorruptStore for damage it found."""
        self._file_check.wait()
        self._file_check.raise_fault()

    def close(self) -> None:
        """End the background check, and allow the build to be deleted."""
        self.let_go()

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _check(self, k: int, scoring: Scoring) -> None:
        check_hits(k)
        if scoring.rerank and not self._files.has_embeddings:
            raise NotInBuild(
                f"{self.build.root}: rerank needs embeddings in the index: build with"
                " --store-embeddings"
            )
