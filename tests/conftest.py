"""Stores that are built once per test run and shared by its processes."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest
from filelock import FileLock

from factmill.schemas.layout import Store

if TYPE_CHECKING:
    from factmill.pipelines.build import BuildResult

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "samples"
# Evaluation data, beside the checkout; tests that need them are skipped if they are missing.
DATA = ROOT.parent / "shared" / "data"
SAMPLE_INPUTS = [
    str(SAMPLES / "html"),
    str(SAMPLES / "crawl.warc.gz"),
    str(SAMPLES / "pages.jsonl"),
]
SHARDS = 4
_ENCODER_WORDS = (
    "museum bridge ferry built designed opened open in by the was is has of and luggage ."
).split()
# An example may take as long as it takes on a busy machine.
hypothesis.settings.register_profile(
    "factmill", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("factmill")
# Imports create millions of permanent objects, which the garbage collector need not examine.
gc.disable()
# At the end it runs again, because some libraries report leaked objects then.
atexit.register(gc.unfreeze)


def pytest_configure(config: pytest.Config) -> None:
    """A process of xdist ends at once: it has reported everything, and freeing what it imported
    takes seconds. What is registered first runs last.
    """
    if hasattr(config, "workerinput"):
        atexit.register(os._exit, 0)


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_sessionfinish() -> None:
    """pytest looks for garbage five times now. What the first look leaves is none."""
    gc.collect()
    gc.freeze()


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """A constant name for gzip bytes, which contain the time: processes must agree on names."""
    return argname if isinstance(val, bytes) and b"\x1f\x8b" in val else None


def build_store(
    root: Path, inputs: list[str], jobs: int = 1, encoder: str = "all-MiniLM-L6-v2"
) -> BuildResult:
    """Build inputs with the heuristic reader, like `factmill build`."""
    # Imported late: Beam and PyTorch take seconds, which other tests do not need.
    from factmill.pipelines.build import build
    from factmill.pipelines.runners.run_job import RunOptions
    from factmill.pipelines.settings import BuildOptions, settings_for

    store = Store(root)
    settings = settings_for(
        store, BuildOptions(inputs=inputs, encoder=encoder, code_bits=128, shards=SHARDS)
    )
    return build(store, settings, RunOptions(jobs), full=False)


@pytest.fixture(scope="session", autouse=True)
def power_stays_on() -> Iterator[None]:
    """Skip syncing files to the disk, which takes a third of the time of tests that write stores; a
    killed process loses nothing without it. A separate test checks that files are synced.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@contextmanager
def page_processes_that_stay() -> Iterator[None]:
    """Share the process for pages between the builds of a test process, because it takes a second
    to start. A separate test checks that a job ends it
    (tests/transforms/clean/test_clean_pages.py).
    """
    from factmill.transforms.clean import extract_split, page_processes

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(extract_split, "end_idle_processes", lambda: None)
        yield
    page_processes.end_idle_processes()


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of this test run share."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.fixture(scope="session")
def small_encoder(run_folder: Path) -> str:
    """A model that encodes very fast, for builds whose vectors need not mean much."""
    folder, name = run_folder / "encoder", run_folder / "encoder.name"
    with FileLock(run_folder / "encoder.lock"):
        if not name.exists():
            from tests.models.encoding.tiny_encoder import tiny_encoder

            name.write_text(tiny_encoder(folder, _ENCODER_WORDS))
    return name.read_text()


@pytest.fixture
def fake_encoder() -> Iterator[None]:
    """Indexes that the test opens encode queries with the fake encoder of tiny builds."""
    from tests.runtime.tiny_build import fake_query_encoder

    with fake_query_encoder():
        yield


@pytest.fixture(scope="session")
def sample_store(run_folder: Path) -> Path:
    """A store with the sample crawl published. Tests must not change it."""
    root = run_folder / "sample-store"
    with FileLock(run_folder / "sample-store.lock"):
        if not Store(root).current.exists():
            assert build_store(root, SAMPLE_INPUTS).new
    return root


@dataclass(frozen=True)
class Museum:
    """A few pages of the sample crawl, and a store built from them with the small encoder."""

    pages: Path
    store: Store


@pytest.fixture(scope="session")
def built_museum(run_folder: Path, small_encoder: str) -> Museum:
    """The museum's pages and store. Tests must not change them."""
    pages, store = run_folder / "museum" / "pages", Store(run_folder / "museum" / "store")
    with FileLock(run_folder / "museum.lock"):
        if not store.current.exists():
            shutil.copytree(SAMPLES / "html" / "museum", pages, dirs_exist_ok=True)
            assert build_store(store.root, [str(pages)], encoder=small_encoder).new
    return Museum(pages, store)


@pytest.fixture
def museum(built_museum: Museum, tmp_path: Path) -> Museum:
    """A copy that a test may change."""
    shutil.copytree(built_museum.pages.parent, tmp_path / "museum")
    return Museum(tmp_path / "museum" / "pages", Store(tmp_path / "museum" / "store"))
