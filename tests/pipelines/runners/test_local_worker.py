"""How a worker process of the local runner ends, with Beam's harness played by a few lines."""

import subprocess
import sys

import pytest

from tests.conftest import ROOT

_PROGRAM = """
import atexit, os, sys, types
harness, main = types.ModuleType("sdk_worker"), types.ModuleType("sdk_worker_main")
worker, sampler = types.ModuleType("worker"), types.ModuleType("statesampler")
worker.sdk_worker, worker.sdk_worker_main, worker.statesampler = harness, main, sampler
sampler.StateSampler = lambda prefix, sampling_period_ms=200: sampling_period_ms
sys.modules["apache_beam.runners.worker"] = worker

class Left:
    def __del__(self, write=os.write):
        write(1, b"taken apart ")

left = Left()

def work(argv):
    atexit.register(os.write, 1, b"closed ")
    {work}

main.main = work
from factmill.pipelines.runners import local_worker
local_worker.main()
"""


@pytest.mark.parametrize(("work", "code"), [("return", 0), ("raise ValueError(argv)", 1)])
def test_worker_ends_with_its_exit_handlers_and_without_taking_modules_apart(
    work: str, code: int
) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(work=work)], cwd=ROOT, capture_output=True
    )
    assert ended.stdout == b"closed "
    assert ended.returncode == code
    assert (b"ValueError" in ended.stderr) == (code != 0)


def test_worker_does_not_wait_long_for_its_last_sample() -> None:
    work = "os.write(1, str(sampler.StateSampler('step')).encode())"
    ended = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(work=work)], cwd=ROOT, capture_output=True
    )
    assert ended.stdout == b"20closed "
