from __future__ import annotations

import pytest

from factmill.pipelines.extract import asking_processes
from factmill.pipelines.llm_options import LlmOptions


@pytest.mark.parametrize(
    ("options", "shards", "found"),
    [
        (LlmOptions(in_flight=32), 16, (1, 32)),
        (LlmOptions(in_flight=256), 16, (4, 64)),
        (LlmOptions(in_flight=2, workers=8), 16, (2, 1)),
        (LlmOptions(in_flight=64, workers=8), 3, (3, 21)),
        (LlmOptions(in_flight=2, workers=8, vllm="vllm"), 16, (8, 2)),
    ],
)
def test_processes_together_keep_to_the_requests_in_flight(
    options: LlmOptions, shards: int, found: tuple[int, int]
) -> None:
    assert asking_processes(options, shards) == found
