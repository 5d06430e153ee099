"""The default encoder from its package gives what a build of it publishes."""

from __future__ import annotations

from pathlib import Path

import pytest

from factmill.models.encoding import packaged_encoder as module
from factmill.models.encoding.packaged_encoder import packaged_encoder
from factmill.models.encoding.published_encoder import PublishedEncoder
from factmill.schemas.layout import Store

TEXTS = ["When was Quenby Lock opened?", "", "lighthouse " * 400]


def test_its_vectors_are_those_of_a_build(sample_store: Path) -> None:
    published = PublishedEncoder(Store(sample_store).published().query_encoder)
    packaged = packaged_encoder()

    assert packaged is not None
    assert packaged.fingerprint == published.fingerprint
    assert (packaged.encode(TEXTS) == published.encode(TEXTS)).all()


def test_there_is_none_where_its_package_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ENCODER_PACKAGE", "factmill_no_such_package")

    assert packaged_encoder.__wrapped__() is None
