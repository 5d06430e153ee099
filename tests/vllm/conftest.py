"""vLLM with a tiny model, started once for all tests here. They skip where there is no vLLM."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.vllm.tiny_model import serve_tiny_model

EXECUTABLE = os.environ.get("FACTMILL_VLLM", "")


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name of the model, which is the folder it is in."""
    if not EXECUTABLE:
        pytest.skip("FACTMILL_VLLM names no executable of vLLM; `make test-vllm` sets one up")
    return str(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="session")
def url(model: str) -> Iterator[str]:
    with serve_tiny_model(EXECUTABLE, model) as url:
        yield url
