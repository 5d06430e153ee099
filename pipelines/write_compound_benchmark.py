"""Writes the compound benchmark of a published build: question files that `evaluate` reads.

    python -m factmill.pipelines.write_compound_benchmark STORE FOLDER [--entities N] [--pages 10]
    factmill evaluate STORE --questions FOLDER/compound.test.jsonl --strategy hanrag

The files are compound.train.jsonl, compound.dev.jsonl and compound.test.jsonl; no entity is in two
of them. A line has `id, question, answers, gold_ids, dataset`, `answer_parts` (the right answers of
each part), `entity`, and `questions` (the parts, in the shape of an LLM's `decompose` step).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from factmill.models.composing.compound_benchmark import (
    BenchmarkSize,
    benchmark_questions,
    question_line,
)
from factmill.models.composing.parsed_question import name_key
from factmill.pipelines.cli.argument_types import positive, store
from factmill.pipelines.cli.exit_codes import OutputFormat, exit_code
from factmill.pipelines.cli.line_parser import LineParser
from factmill.schemas.layout import BuildDir
from factmill.schemas.records import ComposedPart, ComposedQuestion
from factmill.schemas.storage.atomic import whole_file
from factmill.schemas.storage.paths import files_below
from factmill.schemas.tables import COMPOSED_TABLE
from factmill.transforms.tasks.shard_files import read_rows


def write_compound_benchmark(build: BuildDir, folder: Path, size: BenchmarkSize) -> dict[str, Any]:
    """Write the three files; returns their numbers of questions and entities."""
    folder.mkdir(parents=True, exist_ok=True)
    counts = {}
    for split, questions in benchmark_questions(composed_questions(build), size).items():
        lines = (json.dumps(question_line(one), ensure_ascii=False) + "\n" for one in questions)
        with whole_file(folder / f"compound.{split}.jsonl") as temporary:
            temporary.write_text("".join(lines), encoding="utf-8")
        entities = len({name_key(one.entity) for one in questions})
        counts[split] = {"questions": len(questions), "entities": entities}
    return counts


def composed_questions(build: BuildDir) -> Iterator[ComposedQuestion]:
    """All composed questions of a build."""
    for path in files_below(build.root / COMPOSED_TABLE):
        for row in read_rows(path):
            parts = tuple(ComposedPart(**part) for part in row.pop("parts"))
            yield ComposedQuestion(**row, parts=parts)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    return exit_code("write_compound_benchmark", partial(_run, given), OutputFormat())


def _run(arguments: Sequence[str]) -> int:
    """Write the benchmark, and print its counts."""
    parser = LineParser(description=__doc__)
    parser.add_argument("store", type=store)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--entities", type=positive, default=BenchmarkSize().entities)
    parser.add_argument("--pages", type=positive, default=BenchmarkSize().pages)
    options = parser.parse_args(arguments)
    size = BenchmarkSize(options.entities, options.pages)
    counts = write_compound_benchmark(options.store.published(), options.folder, size)
    print(json.dumps(counts, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
