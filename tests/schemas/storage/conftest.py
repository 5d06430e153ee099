from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from factmill.schemas.storage.object_paths import ObjectPath


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectPath]:
    """A folder of an object store that is in memory."""
    monkeypatch.setenv("FACTMILL_CACHE", str(tmp_path / "cache"))
    yield ObjectPath("memory", f"bucket{secrets.token_hex(4)}/folder")
    MemoryFileSystem.store.clear()
    MemoryFileSystem.pseudo_dirs[:] = [""]
