"""Recall of the heuristic reader's units and of whole passages, by exact search of float vectors.

    python -m tests.benchmarks.bench_units DATA [--questions train] [--cache DIR] [--passages N]
        [--whole]

DATA has passages.parquet and questions.dev.jsonl. Each passage is a page: it is segmented, read,
encoded and ranked as in the product, but with float vectors instead of codes. Only questions whose
gold passages are all present count. Encoding takes nearly an hour on two cores; `--whole`, which
also encodes whole passages for comparison, takes half as much again. `--cache` keeps the vectors.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from factmill.models.arrays import Flags, Floats, Integers
from factmill.models.encoding.encoder import Encoder, segment_text, unit_text
from factmill.models.readers.heuristic.reader import HeuristicReader
from factmill.models.readers.reading import PageContext, Reading, to_units
from factmill.models.text.sentences import split_sentences
from factmill.runtime.evaluate import Question, read_questions
from factmill.runtime.search.segment_scores import segment_scores
from factmill.runtime.search.sharded import ranges
from factmill.schemas.errors import Rejected
from factmill.schemas.records import Page, UnitKind
from factmill.transforms.clean.segment_page import segment_page
from tests.benchmarks.vector_cache import VectorCache

DEPTHS = (1, 5, 20, 100)
_QUESTIONS_AT_ONCE = 32
# Rows with the best scores, whose segments are ranked.
_NEAREST_ROWS = 1000

# Maps scores of rows to scores of pages.
Ranking = Callable[[Floats], Floats]


def read_passages(path: Path, wanted: set[str], count: int) -> list[Page]:
    """The passages as pages; if `count` is not 0, only `wanted` and randomly drawn others."""
    table = pq.read_table(path, columns=["id", "title", "text"])
    rows = [row for row in table.to_pylist() if row["text"].strip()]
    if count:
        others = [row["id"] for row in rows if row["id"] not in wanted]
        random.Random(1).shuffle(others)
        kept = wanted | set(others[: max(0, count - len(wanted))])
        rows = [row for row in rows if row["id"] in kept]
    return [
        Page(
            row["id"], row["id"], "", " ".join(row["title"].split()), row["text"].strip(), "", None,
            "",
        )
        for row in rows
    ]  # fmt: skip


@dataclass(frozen=True)
class Rows:
    """The texts to encode, in the order of an index: pages, their segments, the rows of these."""

    texts: list[str]
    kinds: list[UnitKind]
    page_of_segment: Integers
    lengths: Integers

    def without(self, *kinds: UnitKind) -> tuple[Flags, Integers]:
        """Which rows stay, and the remaining number of rows of each segment."""
        stays = np.array([kind not in kinds for kind in self.kinds])
        starts = np.cumsum(self.lengths) - self.lengths
        return stays, np.add.reduceat(stays.astype(np.int64), starts)


def rows_of(pages: Sequence[Page]) -> Rows:
    """The pages, segmented and read, with the texts that the product would encode."""
    reader = HeuristicReader()
    texts: list[str] = []
    kinds: list[UnitKind] = []
    numbers, lengths = [], []
    for number, page in enumerate(pages):
        for segment in segment_page(page, (), (), split_sentences(page.text), frozenset()):
            found: list[tuple[UnitKind, str]] = [("segment", segment.text)]
            reading = Reading()
            with suppress(Rejected):
                reading = reader.read(segment, PageContext(page.title, page.kind))
            units = to_units(segment, reading, "")
            found += [("proposition", unit.text) for unit in units.propositions]
            found += [("qa_pair", f"{pair.question} {pair.answer}") for pair in units.pairs]
            texts.append(segment_text(page.title, segment.text))
            texts.extend(unit_text(page.title, text) for _, text in found[1:])
            kinds.extend(kind for kind, _ in found)
            numbers.append(number)
            lengths.append(len(found))
    return Rows(texts, kinds, np.array(numbers, np.int64), np.array(lengths, np.int64))


def by_best_row(rows: Rows, *without: UnitKind) -> tuple[float, Ranking]:
    """Scores pages by their best row; -1 for a page without rows."""
    stays, lengths = rows.without(*without)
    page = np.repeat(rows.page_of_segment, lengths)
    pages = int(rows.page_of_segment[-1]) + 1

    def rank(scores: Floats) -> Floats:
        best = np.full(pages, -1, np.float32)
        np.maximum.at(best, page, scores[stays])
        return best

    return stays.sum() / pages, rank


def by_equation(rows: Rows, *without: UnitKind) -> tuple[float, Ranking]:
    """Scores the pages of the nearest rows as the product does; -1 for all other pages."""
    stays, lengths = rows.without(*without)
    starts = np.cumsum(lengths) - lengths
    page_of_row = np.repeat(rows.page_of_segment, lengths)
    first, counts = np.unique(rows.page_of_segment, return_index=True, return_counts=True)[1:]
    follows = np.diff(rows.page_of_segment, prepend=-1) == 0

    def rank(scores: Floats) -> Floats:
        kept = scores[stays]
        nearest = np.argpartition(-kept, min(_NEAREST_ROWS, len(kept)) - 1)[:_NEAREST_ROWS]
        pages = np.unique(page_of_row[nearest])
        segments = ranges(first[pages], counts[pages])
        members = kept[ranges(starts[segments], lengths[segments])]
        found, _ = segment_scores(members, lengths[segments], follows[segments])
        best = np.full(len(first), -1, np.float32)
        best[pages] = np.maximum.reduceat(found, np.flatnonzero(~follows[segments]))
        return best

    return len(page_of_row) / len(first), rank


def gold_ranks(
    queries: Floats, vectors: Floats, gold: Sequence[Integers], rankings: Sequence[Ranking]
) -> Iterator[list[Integers]]:
    """For each query and ranking, the number of other pages that score at least as high as each
    gold page.
    """
    for start in range(0, len(queries), _QUESTIONS_AT_ONCE):
        block = queries[start : start + _QUESTIONS_AT_ONCE] @ vectors.T
        for number, scores in enumerate(block, start):
            found = []
            for ranking in rankings:
                pages = ranking(scores)
                found.append((pages[None, :] >= pages[gold[number]][:, None]).sum(axis=1) - 1)
            yield found


def report(names: Sequence[str], sizes: Sequence[float], ranks: Sequence[list[Integers]]) -> None:
    """Print recall at each depth: the mean share of a question's gold pages."""
    print(f"{'':38}rows/page  " + "  ".join(f"recall@{depth}" for depth in DEPTHS))
    for way, (name, size) in enumerate(zip(names, sizes, strict=True)):
        recalls = [
            np.mean([np.mean(of_question[way] < depth) for of_question in ranks])
            for depth in DEPTHS
        ]
        print(f"{name:38}{size:9.2f}  " + "  ".join(f"{recall:8.4f}" for recall in recalls))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--questions", choices=["train", "dev"], default="train")
    parser.add_argument("--passages", type=int, default=0, help="0 stands for all")
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--whole", action="store_true")
    options = parser.parse_args()
    asked = read_questions(options.data / f"questions.{options.questions}.jsonl")
    wanted = {gold for question in asked for gold in question.gold_ids}
    pages = read_passages(options.data / "passages.parquet", wanted, options.passages)
    page_numbers = {page.page_id: number for number, page in enumerate(pages)}
    questions = [question for question in asked if question.gold_ids <= page_numbers.keys()]
    with tempfile.TemporaryDirectory() as temporary:
        cache = VectorCache(options.cache or Path(temporary), Encoder())
        compare(pages, page_numbers, questions, cache, options.whole)


def compare(
    pages: Sequence[Page],
    page_numbers: dict[str, int],
    questions: Sequence[Question],
    cache: VectorCache,
    whole: bool,
) -> None:
    """Print the recall of each way to rank pages."""
    rows = rows_of(pages)
    print(f"{len(pages):,} passages, {len(rows.texts):,} rows, {len(questions):,} questions")
    queries = cache.encode([question.text for question in questions])
    gold = [
        np.array([page_numbers[page] for page in question.gold_ids], np.int64)
        for question in questions
    ]
    ways = {
        "best segment": by_best_row(rows, "proposition", "qa_pair"),
        "best proposition or pair": by_best_row(rows, "segment"),
        "equation 10": by_equation(rows),
        "equation 10 without pairs": by_equation(rows, "qa_pair"),
        "equation 10 of segments alone": by_equation(rows, "proposition", "qa_pair"),
    }
    names, sizes = list(ways), [size for size, _ in ways.values()]
    rankings = [ranking for _, ranking in ways.values()]
    ranks = list(gold_ranks(queries, cache.encode(rows.texts), gold, rankings))
    if whole:
        vectors = cache.encode([unit_text(page.title, page.text) for page in pages])
        for found, (rank,) in zip(
            ranks, gold_ranks(queries, vectors, gold, [lambda scores: scores]), strict=True
        ):
            found.append(rank)
        names, sizes = [*names, "whole passages"], [*sizes, 1.0]
    report(names, sizes, ranks)


if __name__ == "__main__":
    main()
