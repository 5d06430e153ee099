"""`factmill build` on a portable runner: Beam's Python job server, and workers that have factmill
from its source distribution."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from factmill.pipelines.cli.main import main
from factmill.runtime import open_index
from factmill.runtime.verify.verify_build import verify_build
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.manifest import read_manifest
from tests.conftest import ROOT, SHARDS, Museum
from tests.nightly import all_rows
from tests.pipelines.test_build import identities
from tests.portable.cluster import PACKAGES, Cluster, cluster, environment, source_distribution

# On a machine with nothing else to do it is a third of that.
_SECONDS = 250
pytestmark = pytest.mark.timeout(2 * _SECONDS)
QUESTIONS = ["When does the museum open?", "Where can visitors leave their luggage?"]


@pytest.fixture(scope="module")
def distribution(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return source_distribution(tmp_path_factory.mktemp("distribution"))


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory, distribution: Path) -> Path:
    """The Python of the workers."""
    return environment(tmp_path_factory.mktemp("workers") / "venv", distribution)


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory, python: Path) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("machines") / "cluster", python) as found:
        yield found


# The command, with a short time to wait for heartbeats.
_COMMAND = (
    "import sys; from factmill.pipelines.progress.quiet_logs import quiet_logs; quiet_logs();"
    "import factmill.pipelines.runners.heartbeat_monitor as monitor;"
    "from factmill.pipelines.cli.main import main;"
    "monitor.HEARTBEAT_TIMEOUT_SECONDS = 4.0; sys.exit(main())"
)


def arguments(store: Path, pages: Path, encoder: str, options: list[str]) -> list[str]:
    command = ["build", str(store), "--input", str(pages)]
    return [*command, f"--shards={SHARDS}", "--code-bits=128", f"--encoder={encoder}", *options]


def factmill_build(store: Path, pages: Path, encoder: str, options: list[str]) -> tuple[int, str]:
    """Run the command; its exit code, and what it said."""
    command = [sys.executable, "-c", _COMMAND, *arguments(store, pages, encoder, options)]
    variables = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env=variables, capture_output=True, text=True, timeout=_SECONDS
    )
    return done.returncode, done.stdout + done.stderr


def found(store: Path) -> list[list[tuple[str, float]]]:
    index = open_index(store)
    return [[(hit.segment_id, hit.score) for hit in index.search(text, k=10)] for text in QUESTIONS]


def test_distribution_has_every_module_and_what_an_image_is_made_of(distribution: Path) -> None:
    with tarfile.open(distribution) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    modules = {
        f"factmill/{path.relative_to(ROOT).as_posix()}"
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if package not in ("factmill", "dataflow")
    }
    assert modules | {"factmill/__init__.py", "factmill/py.typed", "dataflow/launch.py"} <= names
    assert {
        "setup.py", "pyproject.toml", "constraints.txt", "README.md", "MANIFEST.in", "Dockerfile",
        "dataflow/flex_template.json",
    } <= names  # fmt: skip


@pytest.mark.several_machines
def test_build_that_lost_a_worker_ends_with_a_line_and_is_resumed_to_what_a_local_build_is(
    tmp_path: Path, workers: Cluster, built_museum: Museum, small_encoder: str
) -> None:
    store, pages, local = Store(tmp_path / "store"), built_museum.pages, built_museum.store
    workers.kill_at("40_vectors/shard=002/part")
    code, said = factmill_build(store.root, pages, small_encoder, workers.options)

    assert workers.killed
    assert code == 1, said
    # On a busy machine lines of waiting come before.
    (line,) = [line for line in said.splitlines() if not line.endswith("still waiting")]
    assert "the job encode lost a worker (at " in line
    assert not store.current.exists()
    (unfinished,) = store.builds()

    assert main(arguments(store.root, pages, small_encoder, workers.options)) == 0
    ours, expected = store.published(), local.published()
    assert ours == unfinished
    assert verify_build(ours, read_manifest(ours)) == []
    assert identities(ours) == identities(expected)
    assert all_rows(ours, SHARDS) == all_rows(expected, SHARDS)
    assert found(store.root) == found(local.root)
    assert_workers_of_their_own(workers, ours)


def assert_workers_of_their_own(workers: Cluster, build: BuildDir) -> None:
    """All tables were made by processes that know nothing of this checkout, two for each job."""
    notes = workers.notes()
    site = str(workers.python.parent.parent)
    makers: dict[str, Counter[int]] = {}
    for process, lines in notes.items():
        for line in lines:
            assert line["layout"].startswith(site), line
            assert str(ROOT) not in line["path"], line
            made = Path(line["made"]).relative_to(build.root.resolve())
            makers.setdefault(made.parts[0], Counter())[process] += 1
    for table in ("10_pages", "11_segments", "20_propositions", "22_composed_questions"):
        assert len(makers[table]) == 2, table
    assert len(makers["50_index"]) == 2
    # The job that lost one of its workers had two again.
    assert 2 <= len(makers["40_vectors"]) <= 4
    made_here = {path.name for path in build.root.iterdir()} - set(makers)
    assert made_here == {"00_settings", "70_report", "manifest.json"}
