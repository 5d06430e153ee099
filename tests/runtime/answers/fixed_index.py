"""An index of a few pages for tests: it ranks them by the words that they share with a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import SimpleNamespace
from typing import cast

from factmill.models.answering.answer_models import AnswerModels
from factmill.models.answering.sentences.sentence_spans import sentence_spans
from factmill.models.answering.words.content_words import stem_set
from factmill.runtime.index import Hit, Index, UnitHit


@dataclass
class FixedIndex:
    """`pages` are titles and texts; every sentence is a proposition. A text of a page begins at
    character 100 of it; a table is no part of its text."""

    pages: dict[str, str]
    queries: list[str] = field(default_factory=list)
    fetched: datetime | None = None
    build = SimpleNamespace(build_id="build-1")
    answer_models = AnswerModels()

    def search(self, query: str, k: int = 20) -> list[Hit]:
        self.queries.append(query)
        asked = stem_set(query)
        ranked = sorted(self.pages.items(), key=lambda page: -_score(asked, *page))
        found = [page for page in ranked if _score(asked, *page) > 0][:k]
        return [_hit(rank, asked, *page) for rank, page in enumerate(found, 1)]

    def search_pages(self, query: str, k: int, most: int, tables: int = 0) -> list[list[Hit]]:
        assert most > 0 <= tables
        return [[hit] for hit in self.search(query, k)]

    def fetched_at(self, hits: Sequence[Hit]) -> list[datetime | None]:
        return [self.fetched for _ in hits]

    encoder = ""

    def vector(self, text: str) -> None:
        """There is no encoder."""
        assert text

    def search_vectors(self, query: str, k: int) -> None:
        """There is no encoder."""
        assert query
        assert k


def fixed_index(**pages: str) -> Index:
    """Keywords are titles, with underscores for blanks."""
    return cast(Index, FixedIndex({name.replace("_", " "): text for name, text in pages.items()}))


def page_text(text: str) -> str:
    """The text of the page that a hit's offsets are of."""
    return "." * 100 + text


def _score(asked: frozenset[str], title: str, text: str) -> float:
    return len(asked & stem_set(f"{title} {text}")) / max(1, len(asked))


def _hit(rank: int, asked: frozenset[str], title: str, text: str) -> Hit:
    units = [
        UnitHit(
            f"unit-{title}-{number}", "proposition", text[start:end],
            _score(asked, title, text[start:end]), f"segment-{title}", start, end,
        )
        for number, (start, end) in enumerate(sentence_spans(text))
    ]  # fmt: skip
    units.sort(key=lambda unit: -unit.score)
    span = (None, None) if "| --- |" in text else (100, 100 + len(text))
    return Hit(
        rank, _score(asked, title, text), f"page-{title}", title, f"https://{title}.example/",
        title, text, f"segment-{title}", *span, tuple(units[:5]),
    )  # fmt: skip
