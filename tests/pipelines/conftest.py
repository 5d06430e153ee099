from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conftest import page_processes_that_stay


@pytest.fixture(scope="package", autouse=True)
def page_processes() -> Iterator[None]:
    with page_processes_that_stay():
        yield
