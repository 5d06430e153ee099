"""`factmill build` through Beam's own Dataflow client, to a service that runs on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from factmill.schemas.layout import Store
from tests.conftest import ROOT, SHARDS, Museum
from tests.nightly import all_rows
from tests.portable.fake_dataflow import FakeDataflow, fake_dataflow

pytest.importorskip("google.cloud.dataflow_v1beta3", reason="needs the extra gcp")
_SECONDS = 250
pytestmark = pytest.mark.timeout(2 * _SECONDS)


@pytest.fixture
def service() -> Iterator[FakeDataflow]:
    with fake_dataflow() as fake:
        yield fake


def build_there(
    store: Path, museum: Museum, encoder: str, service: FakeDataflow
) -> tuple[int, str]:
    """Run the command; its exit code, and what it said."""
    command = [
        sys.executable, "-m", "factmill", "build", str(store), "--input", str(museum.pages),
        f"--shards={SHARDS}", "--code-bits=128", f"--encoder={encoder}",
        "--runner=DataflowRunner", "--no_auth", "--project=project-1", "--region=europe-west4",
        "--temp_location=gs://bucket/tmp", "--sdk_container_image=image",
        f"--dataflow_endpoint=http://localhost:{service.port}", "--max-workers=9",
        "--encode-accelerator=type:nvidia-l4;count:1",
    ]  # fmt: skip
    variables = {
        **os.environ, "STORAGE_EMULATOR_HOST": f"http://127.0.0.1:{service.port}",
        "OMP_NUM_THREADS": "1",
    }  # fmt: skip
    done = subprocess.run(
        command, cwd=ROOT, env=variables, capture_output=True, text=True, timeout=_SECONDS
    )
    return done.returncode, done.stdout + done.stderr


def test_a_job_that_fails_there_is_one_line_and_the_next_run_ends_as_the_local_build(
    tmp_path: Path, built_museum: Museum, small_encoder: str, service: FakeDataflow
) -> None:
    store = Store(tmp_path / "store")
    service.fails["factmill-compose"] = (
        "Traceback (most recent call last):\n  File x\n"
        "factmill.schemas.errors.CorruptStore: f: is cut short [while running 'Compose']\n"
    )
    code, said = build_there(store.root, built_museum, small_encoder, service)

    assert code == 1
    assert said == "factmill: f: is cut short\n"
    assert not store.current.exists()

    service.fails.clear()
    code, said = build_there(store.root, built_museum, small_encoder, service)

    assert code == 0, said
    names = [job["name"] for job in service.jobs]
    failed, done = names[:3], names[3:]
    steps = [name.split("-")[1] for name in done]
    assert steps == ["clean", "extract", "compose", "learn", "encode", "index"]
    assert len(set(done)) == len(steps)
    assert failed == done[:3]  # the same jobs again
    ours, local = store.published(), built_museum.store.published()
    assert all_rows(ours, SHARDS) == all_rows(local, SHARDS)
