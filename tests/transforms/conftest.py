from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.quick_beam import beam_that_remembers


@pytest.fixture(scope="package", autouse=True)
def quick_beam() -> Iterator[None]:
    with beam_that_remembers():
        yield
