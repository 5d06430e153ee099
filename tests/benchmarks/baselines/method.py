"""What a method of the comparison is: something built over the rows, and ways to ask it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from factmill.models.arrays import Floats, Integers
from factmill.models.codes.hash_head import HashHead
from factmill.runtime.evaluate import Question
from tests.benchmarks.baselines.judging import Found, PageRanking
from tests.benchmarks.baselines.units import Units

# Rows that a method gives for a query.
NEAREST = 1000
BEST_ROW, EQUATION = "best row", "equation 10"


@dataclass(frozen=True)
class Data:
    """One corpus and its questions. `vectors` are those of the questions, by the encoder of the
    units; `store` is set when the units are all that is published there."""

    units: Units
    ranking: PageRanking
    head: HashHead
    questions: Sequence[Question]
    vectors: Floats
    gold: Sequence[Sequence[Integers]]
    store: Path | None

    @property
    def rows(self) -> int:
        return len(self.units.vectors)

    @property
    def nearest(self) -> int:
        return min(NEAREST, self.rows)


@dataclass(frozen=True)
class Way:
    """A line of the table: a way to ask what was built.

    `search` takes numbers of questions; it gives rows, which are then ranked by their best row
    outside the time taken, or pages. Time is taken of `usual`, where people would ask for less than
    recall takes. `effort` is what a ladder turns, ascending, 0 if there is none.
    """

    label: str
    ranking: str
    gives: Literal["rows", "pages"]
    timed: str
    search: Callable[[Integers], list[Found]]
    effort: int = 0
    usual: Callable[[Integers], object] | None = None


@dataclass(frozen=True)
class Built:
    """`size` gives the bytes that the index takes in memory."""

    size: Callable[[], int]
    ways: Sequence[Way]


@dataclass(frozen=True)
class Method:
    """`raises` is what its library raises. Of a ladder that way counts which first comes near the
    recall of `target`, a method with ways of the same labels and rankings."""

    name: str
    title: str
    build: Callable[[Data], Built]
    raises: tuple[type[Exception], ...]
    needs: str = ""
    target: str = ""


def split(numbers: Integers, scores: Floats) -> list[Found]:
    """One `Found` for each line of a result, without what stayed empty (-1)."""
    return [
        Found(row[row >= 0].astype(np.int64), score[row >= 0].astype(np.float32))
        for row, score in zip(numbers, scores, strict=True)
    ]
