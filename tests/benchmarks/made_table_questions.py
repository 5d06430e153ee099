"""Makes questions about tables, with their answers, by rule from gold cells.

The rules read columns with `float` and `str` only, so the expected answers do not depend on the
measured code. Wordings are drawn at random.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

Rows = list[list[str]]
_CELL = re.compile(r'"((?:\\.|[^"\\])*)"(,|\n|$)')
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?")
_WORDY = re.compile(r"[A-Za-z][\w .'’-]{3,40}")
# Questions about the order of rows suit any table.
_SELDOM = 0.3
_PLAIN_HEADER = re.compile(r"[A-Z][a-z]+(?: [a-z]+)?")


class MadeQuestion(NamedTuple):
    """A question about the table of an id."""

    table: str
    kind: str
    text: str
    answer: str


def read_gold(text: str) -> Rows:
    """The rows of a WikiTableQuestions file, header first."""
    rows: Rows = []
    row: list[str] = []
    for match in _CELL.finditer(text):
        plain = match[1].replace('\\"', '"').replace("\\\\", "\\")
        row.append(" ".join(plain.split()))
        if match[2] != ",":
            rows.append(row)
            row = []
    return rows


def made_questions(table: str, rows: Rows, rng: random.Random) -> Iterator[MadeQuestion]:
    """A few questions of each kind that suits the table."""
    header, body = rows[0], rows[1:]
    width = len(header)
    if len(body) < 4 or any(len(row) != width for row in body):
        return
    if any("total" in " ".join(row[:2]).lower() for row in body):
        return
    if len({name.lower() for name in header}) < width:
        return
    key = _key(header, body)
    if key is None:
        return
    numbers = [c for c in range(width) if _PLAIN_HEADER.fullmatch(header[c]) and _numbers(body, c)]
    texts = [
        c for c in range(width)
        if c != key and c not in numbers and _PLAIN_HEADER.fullmatch(header[c])
    ]  # fmt: skip
    names = [row[key] for row in body]
    noun = header[key].lower()
    for column in rng.sample(numbers, min(2, len(numbers))):
        yield from _of_numbers(table, header[column], noun, names, _numbers(body, column), rng)
    for column in rng.sample(texts, min(2, len(texts))):
        cells = [row[column] for row in body]
        yield from _of_texts(table, header[column], noun, names, cells, rng)


def _key(header: Sequence[str], body: Rows) -> int | None:
    for column in range(len(header)):
        cells = [row[column] for row in body]
        if (
            _PLAIN_HEADER.fullmatch(header[column])
            and len(set(cells)) == len(cells)
            and all(_WORDY.fullmatch(cell) for cell in cells)
        ):
            return column
    return None


def _numbers(body: Rows, column: int) -> list[float]:
    """The numbers of a column that has only numbers; empty for other columns, years and ranks."""
    cells = [row[column] for row in body]
    if not all(_NUMBER.fullmatch(cell) for cell in cells):
        return []
    values = [float(cell.replace(",", "")) for cell in cells]
    years = all(1500 <= value <= 2100 for value in values)
    ranks = values == [float(n) for n in range(1, len(values) + 1)]
    return [] if years or ranks else values


def _shown(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.10g}"


def _of_numbers(
    table: str, column: str, noun: str, names: list[str], values: list[float], rng: random.Random
) -> Iterator[MadeQuestion]:
    what = column.lower()
    pick = rng.randrange(len(names))
    yield MadeQuestion(
        table, "lookup", rng.choice(
            (f"What is the {what} of {names[pick]}?", f"What was {names[pick]}'s {what}?",
             f"What {what} does {names[pick]} have?")
        ), _shown(values[pick]),
    )  # fmt: skip
    for word, choose in (("highest", max), ("lowest", min)):
        best = choose(values)
        if values.count(best) == 1:
            yield MadeQuestion(
                table, "extreme", rng.choice(
                    (f"Which {noun} has the {word} {what}?", f"Which {noun} had the {word} {what}?",
                     f"Name the {noun} with the {word} {what}.")
                ), names[values.index(best)],
            )  # fmt: skip
    yield MadeQuestion(
        table, "value", rng.choice(
            (f"What is the highest {what}?", f"What is the maximum {what}?",
             f"What was the largest {what}?")
        ), _shown(max(values)),
    )  # fmt: skip
    yield MadeQuestion(
        table, "sum", rng.choice(
            (f"What is the total {what}?", f"What is the sum of the {what}?",
             f"What is the combined {what}?")
        ), _shown(round(sum(values), 6)),
    )  # fmt: skip
    mean = sum(values) / len(values)
    if mean * 1000 == int(mean * 1000):
        yield MadeQuestion(table, "mean", f"What is the average {what}?", _shown(mean))
    limit = sorted(values)[len(values) // 2]
    if limit != values[0]:
        yield MadeQuestion(
            table, "filter", rng.choice(
                (f"How many {noun}s have a {what} of more than {_shown(limit)}?",
                 f"How many {noun}s have a {what} above {_shown(limit)}?")
            ), str(sum(value > limit for value in values)),
        )  # fmt: skip
    one, other = rng.sample(range(len(names)), 2)
    if values[one] != values[other]:
        more = one if values[one] > values[other] else other
        yield MadeQuestion(
            table, "choice",
            f"Which {noun} has a higher {what}, {names[one]} or {names[other]}?", names[more],
        )  # fmt: skip
        yield MadeQuestion(
            table, "difference", rng.choice(
                (f"What is the difference in {what} between {names[one]} and {names[other]}?",
                 f"What is the difference between the {what} of {names[one]} and {names[other]}?")
            ), _shown(round(abs(values[one] - values[other]), 6)),
        )  # fmt: skip


def _of_texts(
    table: str, column: str, noun: str, names: list[str], cells: list[str], rng: random.Random
) -> Iterator[MadeQuestion]:
    what = column.lower()
    filled = [n for n, cell in enumerate(cells) if 1 < len(cell) <= 40 and cell[0].isalnum()]
    if not filled:
        return
    pick = rng.choice(filled)
    yield MadeQuestion(
        table, "lookup", rng.choice(
            (f"What is the {what} of {names[pick]}?", f"Which {what} does {names[pick]} have?")
        ), cells[pick],
    )  # fmt: skip
    counts = Counter(cells)
    words = [n for n in filled if _WORDY.fullmatch(cells[n])]
    if words:
        pick = rng.choice(words)
        yield MadeQuestion(
            table, "count", rng.choice(
                (f"How many {noun}s have the {what} {cells[pick]}?",
                 f"How many {noun}s are listed with {cells[pick]} as {what}?")
            ), str(counts[cells[pick]]),
        )  # fmt: skip
        if counts[cells[pick]] == 1:
            yield MadeQuestion(
                table, "reverse", f"Which {noun} has the {what} {cells[pick]}?", names[pick]
            )
    if rng.random() > _SELDOM:
        return
    pick = rng.randrange(len(names) - 1)
    yield MadeQuestion(
        table, "neighbour", rng.choice(
            (f"Which {noun} is listed after {names[pick]}?",
             f"Which {noun} comes after {names[pick]}?")
        ), names[pick + 1],
    )  # fmt: skip
    if rng.random() < _SELDOM:
        yield MadeQuestion(table, "last", f"Which {noun} is listed last?", names[-1])
