"""Answers to questions about real tables without an LLM: how many are exact, how many wrong.

    python -m tests.benchmarks.bench_table_questions FOLDER [--parity 1] [--store S] [--show wrong]
    python -m tests.benchmarks.bench_table_questions FOLDER --write-pages PAGES.jsonl

FOLDER has WikiTableQuestions pages (NNN-M.html.gz) with the gold cells of one table each. Questions
go to the Markdown that factmill extracts from the page; gold answers come from the gold cells. Some
questions are made by rule (`made_table_questions.py`), others are written by hand
(`table_questions.tsv`). The pages have no titles; `--write-pages` writes them with titles, for
building the store S.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path

from lxml import html

from factmill.models.answering.tables.table_answers import TABLE_THRESHOLD, answer_from_table
from factmill.models.answering.tables.table_evaluation import TableAnswer
from factmill.models.answering.words.answer_words import same_answer
from factmill.runtime.answers.answer_question import answer
from factmill.runtime.opening import open_index
from factmill.transforms.markup.tables.table_markdown import HtmlTable, read_tables
from tests.benchmarks.made_table_questions import MadeQuestion, made_questions, read_gold


def table_of(page: Path, gold: list[list[str]]) -> HtmlTable | None:
    """The table of a page that has most of the gold cells."""
    tree = html.fromstring(gzip.decompress(page.read_bytes()).decode("utf-8", "replace"))
    wanted = Counter(cell for row in gold for cell in row)
    scored: list[tuple[float, int, HtmlTable]] = []
    for table in read_tables(tree).values():
        cells = Counter(
            " ".join(cell.split()) for row in (table.header, *table.body) for cell in row
        )
        scored.append(
            (sum((cells & wanted).values()) - 0.1 * sum(cells.values()), len(scored), table)
        )
    return max(scored)[2] if scored else None


def questions_of(folder: Path, hand: Path, seed: int) -> Iterator[MadeQuestion]:
    """The questions about a table: at most five made by rule, then those written by hand."""
    rng = random.Random(seed)
    for path in sorted(folder.glob("*.csv")):
        made = list(made_questions(path.stem, read_gold(path.read_text("utf-8")), rng))
        yield from rng.sample(made, min(5, len(made)))
    for line in hand.read_text("utf-8").splitlines():
        table, text, answer = line.split("\t")
        yield MadeQuestion(table, "by hand", text, answer)


def write_pages(folder: Path, path: Path) -> None:
    """Write all pages as input of a build, with titles."""
    with path.open("w", encoding="utf-8") as lines:
        for about in sorted(folder.glob("*.json")):
            named = json.loads(about.read_text("utf-8"))
            raw = gzip.decompress((folder / f"{about.stem}.html.gz").read_bytes())
            title, body = escape(named["title"]), raw.decode("utf-8", "replace")
            page = f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{body}</body>"
            record = {"id": about.stem, "url": named["url"], "html": f"{page}</html>"}
            lines.write(json.dumps(record) + "\n")


Answerer = Callable[[MadeQuestion], TableAnswer | None]


def of_the_table(folder: Path) -> Answerer:
    """Answers from the table that the question is about."""
    markdown: dict[str, str] = {}

    def answered(question: MadeQuestion) -> TableAnswer | None:
        if question.table not in markdown:
            gold = read_gold((folder / f"{question.table}.csv").read_text("utf-8"))
            table = table_of(folder / f"{question.table}.html.gz", gold)
            markdown[question.table] = next(table.segments()) if table else ""
        return answer_from_table(question.text, markdown[question.table])

    return answered


def of_a_store(store: str, folder: Path) -> Answerer:
    """Answers from a store of all pages; the question names its page."""
    index = open_index(store)

    def answered(question: MadeQuestion) -> TableAnswer | None:
        about = json.loads((folder / f"{question.table}.json").read_text("utf-8"))
        found = answer(f"{question.text.rstrip('?.')} on the page {about['title']}?", index)
        kinds = ", ".join(step.kind for step in found.steps)
        return TableAnswer(found.text, 1.0, (), kinds) if found.known else None

    return answered


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--parity", type=int, choices=(0, 1), help="use every second table only")
    parser.add_argument("--store", help="ask a store of the pages; the question names its page")
    parser.add_argument("--show", choices=("wrong", "missed", "all"), default=None)
    parser.add_argument("--write-pages", type=Path, metavar="PAGES.jsonl")
    options = parser.parse_args()
    if options.write_pages:
        write_pages(options.folder, options.write_pages)
        return
    hand = Path(__file__).with_name("table_questions.tsv")
    folder = options.folder
    answered = of_a_store(options.store, folder) if options.store else of_the_table(folder)
    figures: dict[str, Counter[str]] = defaultdict(Counter)
    names = sorted(path.stem for path in folder.glob("*.csv"))
    for question in questions_of(folder, hand, options.seed):
        if options.parity is not None and names.index(question.table) % 2 != options.parity:
            continue
        found = answered(question)
        said = found is not None and found.score >= TABLE_THRESHOLD
        right = found is not None and same_answer(found.text, question.answer)
        verdict = _SAID[right] if said else _NOT_SAID[right]
        figures[question.kind][verdict] += 1
        if options.show == "all" or options.show == verdict:
            gives = f"{found.text!r} {found.score:.2f} {found.derivation}" if found else None
            print(f"{verdict:13} {question.table} {question.text} = {question.answer!r}: {gives}")
    total: Counter[str] = Counter()
    for kind, counts in sorted(figures.items()):
        total += counts
        print(f"{kind:12} {_line(counts)}")
    print(f"{'all':12} {_line(total)}")


_SAID = {True: "right", False: "wrong"}
_NOT_SAID = {True: "right, unsure", False: "missed"}


def _line(counts: Counter[str]) -> str:
    questions = sum(counts.values())
    said = counts["right"] + counts["wrong"]
    return (
        f"{questions:4} questions, exact {counts['right'] / questions:.3f}, "
        f"wrong {counts['wrong']} of {said} said ({counts['wrong'] / max(1, said):.3f}), "
        f"right but unsure {counts['right, unsure']}"
    )


if __name__ == "__main__":
    main()
