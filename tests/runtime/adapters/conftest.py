"""A store that any adapter can open, and an index of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from factmill.runtime.index import Index
from factmill.runtime.opening import open_index
from tests.runtime.tiny_build import tiny_build

QUERY = "Who started the regatta?"
FACT = "It was started by Winifred Hale."


@pytest.fixture(autouse=True)
def _fake_encoder(fake_encoder: None) -> None:
    """Every adapter opens a tiny build."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_build(tmp_path_factory.mktemp("adapters") / "store").root.parent.parent


@pytest.fixture
def index(store: Path) -> Iterator[Index]:
    with open_index(store) as opened:
        yield opened
