"""What a person sees of an error that a worker raised, on the local runner."""

from __future__ import annotations

from pathlib import Path

import pytest

from factmill.pipelines.cli.job_command import main
from factmill.pipelines.settings import BuildOptions, settings_for
from factmill.schemas.layout import Store
from tests.conftest import SAMPLES
from tests.pipelines.runners.failing_work import failing_job

# In this process, and in processes of their own.
WORKERS = pytest.mark.parametrize("workers", [1, 2])


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store with a build that was begun."""
    store = Store(tmp_path / "store")
    options = BuildOptions(inputs=[str(SAMPLES / "pages.jsonl")], shards=4)
    settings_for(store, options).save(store.build("20240101T000000000Z-0123abcd"))
    return store


def run(store: Store, name: str, workers: int) -> int:
    (build,) = store.builds()
    return main(failing_job(name), "clean", ["--build", str(build.root), "--jobs", str(workers)])


@WORKERS
@pytest.mark.parametrize(
    ("name", "code", "line"),
    [
        ("build", 1, "shard 3: nothing adds up"),
        ("corrupt", 1, "10_pages/part.parquet: is cut short"),
        ("unreachable", 1, "s3://bucket/store: does not answer"),
        ("option", 2, "--encoder tiny: no such model"),
        ("extra", 1, "openai is not installed; run: pip install 'factmill[llm]'"),
        ("llm", 1, "the LLM server at http://h/v1 answers nobody"),
        (
            "disk", 1,
            "{store}: No space left on device; nothing was published,"
            " and the same command goes on",
        ),
    ],
)  # fmt: skip
def test_error_of_a_worker_is_its_line_alone_and_its_exit_code(
    store: Store, name: str, code: int, line: str, workers: int, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(store, name, workers) == code
    said = line.format(store=store.root)
    assert capfd.readouterr().err == f"python -m factmill.pipelines.clean: {said}\n"


@WORKERS
def test_message_of_several_lines_is_one_line(
    store: Store, workers: int, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(store, "two lines", workers) == 1
    said = capfd.readouterr().err
    assert said.startswith("python -m factmill.pipelines.clean: the first")
    assert said.count("\n") == 1


def test_interrupt_of_a_worker_in_this_process_stops_the_build(
    store: Store, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(store, "interrupt", 1) == 130
    assert capfd.readouterr().err.endswith("and the same command goes on\n")


@WORKERS
def test_bug_of_a_worker_stays_a_traceback(store: Store, workers: int) -> None:
    with pytest.raises((KeyError, RuntimeError), match="a bug"):
        run(store, "bug", workers)
