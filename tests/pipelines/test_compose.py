"""Composed questions of the sample crawl, and the job by itself."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from factmill.models.composing.compound_benchmark import BenchmarkSize
from factmill.pipelines.cli.job_command import main
from factmill.pipelines.compose import compose
from factmill.pipelines.job import Job
from factmill.pipelines.runners.run_job import RunOptions
from factmill.pipelines.settings import BuildSettings
from factmill.pipelines.write_compound_benchmark import write_compound_benchmark
from factmill.runtime.evaluate import read_questions
from factmill.schemas.layout import BuildDir, Store
from factmill.transforms.compose.compose_questions import COMPOSE_STAGE
from factmill.transforms.tasks.task_results import TaskResults
from tests.build_tables import rows
from tests.conftest import SHARDS

TABLE = "22_composed_questions"


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory, sample_store: Path) -> BuildDir:
    """The tables of the sample crawl up to its pairs, and its questions composed again."""
    published = Store(sample_store).published()
    settings = BuildSettings.load(published)
    build = Store(tmp_path_factory.mktemp("compose") / "store").build("sample")
    settings.save(build)
    for table in ("10_pages", "11_segments", "20_propositions", "21_qa_pairs"):
        shutil.copytree(published.root / table, build.root / table)
    compose(Job(build, settings, None, RunOptions(1)))
    return build


def test_composed_questions_of_the_sample_lead_to_their_pairs(build: BuildDir) -> None:
    pairs = {row["unit_id"]: row for row in rows(build, "21_qa_pairs")}
    composed = rows(build, TABLE)

    assert len(composed) > 10
    for row in composed:
        assert 2 <= len(row["parts"]) <= 4
        for part in row["parts"]:
            pair = pairs[part["unit_id"]]
            assert [part[key] for key in ("page_id", "question", "answer")] == [
                pair[key] for key in ("page_id", "question", "answer")
            ]
        first = pairs[row["parts"][0]["unit_id"]]
        assert (row["page_id"], row["shard"]) == (first["page_id"], first["shard"])
        assert row["entity"] in row["question"]


def test_composed_questions_are_counted(build: BuildDir) -> None:
    counts = TaskResults.of(build, COMPOSE_STAGE).total()
    kinds = [row["kind"] for row in rows(build, TABLE)]

    assert counts.records_in == counts.records_out == len(rows(build, "21_qa_pairs"))
    assert counts.produced == {
        TABLE: len(kinds), "chain": kinds.count("chain"), "compound": kinds.count("compound")
    }  # fmt: skip


def test_job_that_cannot_run_says_so_in_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert main(compose, "compose", ["--build", str(tmp_path), "--json-logs"]) == 2
    (said,) = map(json.loads, capsys.readouterr().err.splitlines())
    assert (said["level"], said["event"], said["exit_code"]) == ("error", "failed", 2)


def test_job_compose_again_writes_only_what_is_missing(
    build: BuildDir, capsys: pytest.CaptureFixture[str]
) -> None:
    before, files = rows(build, TABLE), [build.part(TABLE, shard) for shard in range(SHARDS)]
    written = [path.stat().st_mtime_ns for path in files]
    files[1].unlink()
    Path(build.work / "progress" / COMPOSE_STAGE / "000001.json").unlink()

    capsys.readouterr()
    assert main(compose, "compose", ["--build", str(build.root), "--json-logs"]) == 0

    said = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line["event"] for line in said] == ["stage_started", "stage_finished", "finished"]
    assert (said[1]["stage"], said[1]["done"], said[1]["total"]) == ("compose", 9, 9)
    assert rows(build, TABLE) == before
    again = [path.stat().st_mtime_ns for path in files]
    assert [new != old for new, old in zip(again, written, strict=True)] == [
        False, True, False, False
    ]  # fmt: skip


def test_benchmark_of_the_sample_is_three_question_files(
    sample_store: Path, tmp_path: Path
) -> None:
    counts = write_compound_benchmark(
        Store(sample_store).published(), tmp_path / "files", BenchmarkSize()
    )

    files = {path.name: path for path in (tmp_path / "files").iterdir()}
    assert set(files) == {f"compound.{split}.jsonl" for split in ("train", "dev", "test")}
    assert counts["train"]["questions"] > 5
    questions = read_questions(files["compound.train.jsonl"])
    assert len(questions) == counts["train"]["questions"]
    assert all(len(one.answer_parts) == int(one.dataset[-1]) for one in questions)
