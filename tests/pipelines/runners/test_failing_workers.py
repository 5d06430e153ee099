"""What a person sees of an error that a worker raised, on the local runner."""

from __future__ import annotations

from pathlib import Path

import pytest

from factmill.pipelines.cli.job_command import main
from factmill.pipelines.settings import BuildOptions, settings_for
from factmill.schemas.layout import Store
from tests.conftest import SAMPLES
from tests.pipelines.runners.failing_work import failing_job


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store with a build that was begun."""
    store = Store(tmp_path / "store")
    options = BuildOptions(inputs=[str(SAMPLES / "pages.jsonl")], shards=4)
    settings_for(store, options).save(store.build("20240101T000000000Z-0123abcd"))
    return store


def run(store: Store, name: str, processes: int = 0) -> int:
    """The job in so many worker processes, 0 for this one; its exit code."""
    (build,) = store.builds()
    jobs = ["--jobs", str(processes or 1)]
    job = failing_job(name, own_process=processes > 0)
    return main(job, "clean", ["--build", str(build.root), *jobs])


LINES = [
    ("build", 1, "shard 3: nothing adds up"),
    ("corrupt", 1, "10_pages/part.parquet: is cut short"),
    ("unreachable", 1, "s3://bucket/store: does not answer"),
    ("option", 2, "--encoder tiny: no such model"),
    ("extra", 1, "openai is not installed; run: pip install 'factmill[llm]'"),
    ("llm", 1, "the LLM server at http://h/v1 answers nobody"),
    (
        "disk", 1,
        "{store}: No space left on device; nothing was published; make room and run the same"
        " command again",
    ),
    ("two lines", 1, "the first"),
]  # fmt: skip
# Each of another kind. A process takes two seconds to start, and what becomes of every error's text
# has tests in test_worker_errors.py.
IN_PROCESSES = {"option": 1, "disk": 1, "llm": 2}


@pytest.mark.parametrize(
    ("name", "code", "line", "processes"),
    [(*case, 0) for case in LINES]
    + [(*case, IN_PROCESSES[case[0]]) for case in LINES if case[0] in IN_PROCESSES],
)
def test_error_of_a_worker_is_its_line_alone_and_its_exit_code(
    store: Store, name: str, code: int, line: str, processes: int, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(store, name, processes) == code
    said = capfd.readouterr().err
    assert said.startswith(f"python -m factmill.pipelines.clean: {line.format(store=store.root)}")
    assert said.count("\n") == 1
    if name != "two lines":
        assert said.endswith(f"{line.format(store=store.root)}\n")


def test_interrupt_of_a_worker_in_this_process_stops_the_build(
    store: Store, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(store, "interrupt") == 130
    assert capfd.readouterr().err.endswith("and the same command goes on\n")


@pytest.mark.parametrize("processes", [0, 1])
def test_bug_of_a_worker_stays_a_traceback(store: Store, processes: int) -> None:
    with pytest.raises((KeyError, RuntimeError), match="a bug"):
        run(store, "bug", processes)
