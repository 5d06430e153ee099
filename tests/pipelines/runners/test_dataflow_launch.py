"""`factmill build` through Beam's own Dataflow client, to a service that runs on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from factmill.schemas.layout import Store
from tests.conftest import ROOT, SAMPLES, SHARDS, build_store
from tests.nightly import all_rows
from tests.portable.fake_dataflow import FakeDataflow, fake_dataflow

pytest.importorskip("google.cloud.dataflow_v1beta3", reason="needs the extra gcp")
_SECONDS = 250
pytestmark = pytest.mark.timeout(2 * _SECONDS)


@pytest.fixture
def service() -> Iterator[FakeDataflow]:
    with fake_dataflow() as fake:
        yield fake


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    shutil.copytree(SAMPLES / "html" / "museum", tmp_path / "pages")
    return tmp_path / "pages"


def build_there(store: Path, pages: Path, service: FakeDataflow) -> tuple[int, str]:
    """Run the command; its exit code, and what it said."""
    command = [
        sys.executable, "-m", "factmill", "build", str(store), "--input", str(pages),
        f"--shards={SHARDS}", "--code-bits=128", "--runner=DataflowRunner", "--no_auth",
        "--project=project-1", "--region=europe-west4", "--temp_location=gs://bucket/tmp",
        "--sdk_container_image=image", f"--dataflow_endpoint=http://localhost:{service.port}",
        "--max-workers=9", "--encode-accelerator=type:nvidia-l4;count:1",
    ]  # fmt: skip
    variables = {
        **os.environ, "STORAGE_EMULATOR_HOST": f"http://127.0.0.1:{service.port}",
        "OMP_NUM_THREADS": "1",
    }  # fmt: skip
    done = subprocess.run(
        command, cwd=ROOT, env=variables, capture_output=True, text=True, timeout=_SECONDS
    )
    return done.returncode, done.stdout + done.stderr


def test_build_by_jobs_of_dataflow_is_the_local_build(
    tmp_path: Path, pages: Path, service: FakeDataflow
) -> None:
    code, said = build_there(tmp_path / "store", pages, service)

    assert code == 0, said
    steps = [job["name"].split("-")[1] for job in service.jobs]
    assert steps == ["clean", "extract", "compose", "learn", "encode", "index"]
    assert len({job["name"] for job in service.jobs}) == len(steps)
    build_store(tmp_path / "local", [str(pages)])
    ours, local = (Store(tmp_path / name).published() for name in ("store", "local"))
    assert all_rows(ours, SHARDS) == all_rows(local, SHARDS)


def test_a_job_that_fails_there_is_one_line_and_is_done_again(
    tmp_path: Path, pages: Path, service: FakeDataflow
) -> None:
    service.fails["factmill-compose"] = (
        "Traceback (most recent call last):\n  File x\n"
        "factmill.schemas.errors.CorruptStore: f: is cut short [while running 'Compose']\n"
    )
    code, said = build_there(tmp_path / "store", pages, service)

    assert code == 1
    assert said == "factmill: f: is cut short\n"
    assert not Store(tmp_path / "store").current.exists()

    service.fails.clear()
    assert build_there(tmp_path / "store", pages, service)[0] == 0
    names = [job["name"] for job in service.jobs]
    assert names.count(names[2]) == 2  # the same job again
