"""A tiny encoder for all tests of small models over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from factmill.models.encoding.published_encoder import PublishedEncoder


@pytest.fixture(scope="package")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> PublishedEncoder:
    """Tests must not change it."""
    # Imported late: PyTorch takes seconds, which most tests do not need.
    from tests.models.answering.tiny_span_model import published_tiny_encoder

    return published_tiny_encoder(tmp_path_factory.mktemp("encoder"))
