"""Writes training examples for the Revelator as JSONL, one file for each of its five abilities.

    python -m factmill.pipelines.revelator_examples STORE OUT
        [--questions FILE.jsonl ...] [--samples FILE.jsonl]
        [--break FILE.csv] [--strategyqa FILE.json]

The store supplies composed questions, QA pairs, and search results for each question whose gold
pages it has. docs/answers.md describes the format. `train_revelator` trains the local models on
these files; they can be used to tune an LLM as well.
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from factmill.models.answering.example_files import (
    examples_in,
    open_examples,
    text_field,
)
from factmill.models.answering.revelator.ability_examples import (
    STEPS,
    AbilityExample,
    decompose_example,
    lines,
    relevance_example,
    route_example,
    without_repeats,
)
from factmill.models.answering.revelator.composed_examples import (
    composed_examples,
    single_examples,
)
from factmill.models.answering.revelator.question_routes import (
    parts_of_steps,
    route_of_gold,
    route_of_operators,
)
from factmill.models.answering.routing.route import Route
from factmill.models.text.gold_ids import GoldIds
from factmill.pipelines.cli.exit_codes import OutputFormat, exit_code
from factmill.pipelines.cli.line_parser import LineParser
from factmill.runtime.answers.retrieved_documents import retrieved_documents
from factmill.runtime.evaluate import Question, read_questions
from factmill.runtime.index import Index
from factmill.runtime.opening import open_index
from factmill.schemas.errors import OptionError
from factmill.schemas.records import ComposedPart, ComposedQuestion
from factmill.schemas.storage.atomic import whole_file
from factmill.schemas.storage.paths import as_storage_path
from factmill.schemas.tables import COMPOSED_TABLE, PAGES_TABLE, QA_PAIRS_TABLE
from factmill.transforms.tasks.shard_files import read_rows

# Documents of a question: as many as the Revelator judges in one step.
DOCUMENTS = 10
# At most this many composed questions about one name, or a few names would dominate.
_OF_ONE_NAME = 2
_PAIRS = 2000
_QDMR_COLUMNS = ("question_id", "question_text", "decomposition", "operators")
# A list of operators in Break: "['select', 'project']".
_OPERATOR = re.compile(r"'([^']*)'")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    return exit_code("revelator_examples", partial(_run, given), OutputFormat())


def _run(arguments: Sequence[str]) -> int:
    """Write the files, and print how many lines they have."""
    parser = LineParser(description=__doc__)
    parser.add_argument("store")
    parser.add_argument("out", type=Path)
    parser.add_argument("--questions", nargs="*", default=[], metavar="FILE")
    parser.add_argument("--samples", type=Path)
    parser.add_argument("--break", dest="qdmr", type=Path)
    parser.add_argument("--strategyqa", type=Path)
    options = parser.parse_args(arguments)
    index = open_index(options.store)
    examples = list(store_examples(index))
    for path in options.questions:
        questions = read_questions(as_storage_path(path))
        examples += question_examples(index, questions)
    if options.samples:
        examples += _sample_examples(options.samples)
    if options.qdmr:
        examples += qdmr_examples(options.qdmr)
    if options.strategyqa:
        examples += strategyqa_examples(options.strategyqa)
    written = list(without_repeats(examples))
    options.out.mkdir(parents=True, exist_ok=True)
    for step in STEPS:
        of_step = [example for example in written if example.step == step]
        with whole_file(options.out / f"{step}.jsonl") as temporary:
            temporary.write_text(lines(of_step), "utf-8")
        print(f"{step}: {len(of_step):,}")
    return 0


def store_examples(index: Index) -> Iterator[AbilityExample]:
    """Examples from composed questions and QA pairs of the index."""
    seen: dict[tuple[str, str], int] = {}
    for composed in sorted(_composed(index), key=lambda one: one.composed_id):
        key = (composed.kind, composed.entity)
        seen[key] = seen.get(key, 0) + 1
        if seen[key] <= _OF_ONE_NAME:
            yield from composed_examples(composed)
    rows = sorted(_rows(index, QA_PAIRS_TABLE), key=lambda row: str(row["unit_id"]))
    for row in islice(rows, _PAIRS):
        yield from single_examples(row["question"], row["answer"], f"page {row['page_id']}")


def question_examples(index: Index, questions: Iterable[Question]) -> Iterator[AbilityExample]:
    """The route of each question, and which of the documents found for it are gold; without all
    gold pages in the index, or if nothing is found, only the route, if the question has one.
    """
    questions = list(questions)
    gold = GoldIds(one for question in questions for one in question.gold_ids)
    titles = _titles_of_gold(index, gold)
    for question in questions:
        group = min(question.gold_ids)
        if len(question.gold_ids) == 1:
            yield route_example(question.text, Route.SINGLE, question.dataset, group)
        if not question.gold_ids <= titles.keys():
            continue
        named = [titles[one] for one in sorted(question.gold_ids)]
        if len(named) > 1:
            route = route_of_gold(question.text, named)
            yield route_example(question.text, route, question.dataset, group)
        hits = index.search(question.text, DOCUMENTS)
        if not hits:
            continue
        own = GoldIds(question.gold_ids)
        relevant = [
            position
            for position, hit in enumerate(hits)
            if own.of_page(hit.page_id, hit.source_id, hit.url)
        ]
        documents = retrieved_documents(hits)
        yield relevance_example(question.text, documents, relevant, question.dataset, group)


def _sample_examples(path: Path) -> list[AbilityExample]:
    """Handwritten questions, each with its route and its group. Raises OptionError for a wrong
    file.
    """
    return examples_in(open_examples(path, "--samples"), "--samples", _sample_example)


def _sample_example(row: Mapping[str, Any]) -> AbilityExample:
    """Raises KeyError for a missing field, and ValueError for a wrong one."""
    question, group = text_field(row, "question"), text_field(row, "group")
    return route_example(question, Route(row["route"]), "samples", group)


def qdmr_examples(path: Path) -> Iterator[AbilityExample]:
    """Questions of Break. Those about one paragraph (DROP) have no lookup steps, and those about
    several pages (HotpotQA, CWQ) are never single. Raises OptionError for a wrong file.
    """
    for row in _qdmr_rows(path):
        source = row["question_id"].partition("_")[0]
        steps = [step.strip() for step in row["decomposition"].split(";")]
        operators = _OPERATOR.findall(row["operators"])
        if len(steps) != len(operators):
            continue
        route = route_of_operators(steps, operators)
        if route is not (Route.COMPLEX if source == "DROP" else Route.SINGLE):
            yield route_example(
                row["question_text"], route, f"break-{source.lower()}", row["question_id"]
            )


def _qdmr_rows(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a file of Break. Raises OptionError for one that lacks a column."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for number, row in enumerate(csv.DictReader(file), 1):
                for name in _QDMR_COLUMNS:
                    if row.get(name) is None:
                        raise OptionError(f"--break {path}: row {number} has no {name}")
                yield row
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise OptionError(f"--break {path}: {error}") from None


def strategyqa_examples(path: Path) -> Iterator[AbilityExample]:
    """The decompositions of StrategyQA's questions, without routes: their parts are implicit
    ("Would a pear sink in water?"), and a router trained on them would assume parts in every
    yes-or-no question. Raises OptionError for a wrong file.
    """
    file = open_examples(path, "--strategyqa")
    for question, term, steps in examples_in(file, "--strategyqa", _strategyqa_question):
        if len(steps) > 1:
            yield decompose_example(question, parts_of_steps(steps), "strategyqa", term)


def _strategyqa_question(row: Mapping[str, Any]) -> tuple[str, str, list[str]]:
    """A question, its term, and its steps. Raises KeyError for a missing field, and ValueError for
    a wrong one.
    """
    steps = row["decomposition"]
    if not isinstance(steps, list) or not all(isinstance(one, str) for one in steps):
        raise ValueError("decomposition is no list of texts")
    return text_field(row, "question"), text_field(row, "term"), steps


def _composed(index: Index) -> Iterator[ComposedQuestion]:
    for row in _rows(index, COMPOSED_TABLE):
        parts = tuple(ComposedPart(**part) for part in row.pop("parts"))
        yield ComposedQuestion(**row, parts=parts)


def _rows(index: Index, table: str) -> Iterator[dict[str, Any]]:
    for shard in range(index.manifest.shards):
        yield from read_rows(index.build.part(table, shard))


def _titles_of_gold(index: Index, gold: GoldIds) -> dict[str, str]:
    """The page title of each gold id."""
    columns = ["page_id", "source_id", "url", "title"]
    return {
        name: str(row["title"])
        for shard in range(index.manifest.shards)
        for row in read_rows(index.build.part(PAGES_TABLE, shard), columns)
        for name in gold.of_page(row["page_id"], row["source_id"], row["url"])
    }


if __name__ == "__main__":
    sys.exit(main())
