from __future__ import annotations

import pytest

from factmill.pipelines.encode import BYTES_PER_WORKER, worker_processes


@pytest.mark.parametrize(
    ("device", "cores", "megabytes", "shards", "processes"),
    [
        ("cpu", 2, 100, 16, 1),
        ("cpu", 8, 100, 16, 1),
        ("cpu", 9, 100, 16, 2),
        ("cpu", 64, 100, 16, 8),
        ("cpu", 64, 100, 3, 3),
        ("cpu", 64, 0, 16, 1),
        ("cuda", 64, 100, 16, 1),
        ("mps", 10, 100, 16, 1),
    ],
)
def test_worker_processes_one_for_eight_cores_and_one_for_a_gpu(
    device: str, cores: int, megabytes: int, shards: int, processes: int
) -> None:
    size = 2 * megabytes * BYTES_PER_WORKER
    assert worker_processes(device, cores, size, shards) == processes
