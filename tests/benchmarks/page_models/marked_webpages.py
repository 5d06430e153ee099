"""Pages of seven kinds with their marked main content (WCXB), and how near a text comes to it."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from factmill.models.text.sites import site_of

# The pages of a domain are of one half, so that no site is both learned from and scored.
HALVES = ("a", "b")
# Names that the set has for kinds of ours.
_RENAMED = {"category": "collection"}
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class MarkedPage:
    """A page of the set. `content` is what its annotator marked; `site` is a number that all pages
    of its domain have."""

    name: str
    url: str
    kind: str
    site: int
    content: str
    path: Path

    @property
    def half(self) -> str:
        return HALVES[self.site % len(HALVES)]

    def fold(self, folds: int) -> int:
        """One of several parts of the page's half."""
        return self.site // len(HALVES) % folds

    def html(self) -> bytes:
        return gzip.decompress(self.path.read_bytes())


@dataclass(frozen=True, slots=True)
class WordScore:
    """Over bags of lower-case words."""

    precision: float
    recall: float
    f1: float


def marked_webpages(folder: Path) -> list[MarkedPage]:
    """The pages of a folder with `html/` and `ground-truth/`, in the order of their names."""
    pages = []
    for path in sorted((folder / "ground-truth").glob("*.json")):
        truth = json.loads(path.read_text(encoding="utf-8"))
        kind = truth["_internal"]["page_type"]["primary"]
        number = int(hashlib.sha256(site_of(truth["url"]).encode()).hexdigest(), 16)
        pages.append(
            MarkedPage(
                path.stem,
                truth["url"],
                _RENAMED.get(kind, kind),
                number,
                truth["ground_truth"].get("main_content") or "",
                folder / "html" / f"{path.stem}.html.gz",
            )
        )
    return pages


def words(text: str) -> list[str]:
    """The words of a text as the set's score counts them."""
    return _WORD.findall(text.lower())


def word_score(content: str, text: str) -> WordScore:
    """The score of a text for marked content; without either it is perfect."""
    want, got = Counter(words(content)), Counter(words(text))
    hits = (want & got).total()
    precision, recall = hits / max(1, got.total()), hits / max(1, want.total())
    if not hits:
        return WordScore(precision, recall, float(not want and not got))
    return WordScore(precision, recall, 2 * precision * recall / (precision + recall))


def mean_scores(scored: Iterable[tuple[str, WordScore]]) -> dict[str, tuple[WordScore, int]]:
    """Mean scores by kind, with the number of pages; "all" for all of them."""
    by_kind: defaultdict[str, list[WordScore]] = defaultdict(list)
    for kind, score in scored:
        by_kind[kind].append(score)
        by_kind["all"].append(score)
    return {kind: (_mean(scores), len(scores)) for kind, scores in sorted(by_kind.items())}


def _mean(scores: Sequence[WordScore]) -> WordScore:
    count = len(scores)
    return WordScore(
        sum(score.precision for score in scores) / count,
        sum(score.recall for score in scores) / count,
        sum(score.f1 for score in scores) / count,
    )
