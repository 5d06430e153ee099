from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pytest

from factmill.transforms.inputs import compression
from tests.conftest import page_processes_that_stay
from tests.loaded_encoders import encoders_that_stay
from tests.quick_beam import beam_that_remembers


@pytest.fixture(scope="package", autouse=True)
def page_processes() -> Iterator[None]:
    with page_processes_that_stay():
        yield


@pytest.fixture(scope="package", autouse=True)
def quick_beam() -> Iterator[None]:
    with beam_that_remembers():
        yield


@pytest.fixture(scope="package", autouse=True)
def loaded_encoders() -> Iterator[None]:
    with encoders_that_stay():
        yield


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> set[Path]:
    """Files that nobody may open; for root, that cannot be said with permissions."""
    paths: set[Path] = set()
    open_regular = compression.open_regular

    def open_allowed(path: Path) -> BinaryIO:
        if path in paths:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return open_regular(path)

    monkeypatch.setattr(compression, "open_regular", open_allowed)
    return paths
