"""Which encoder a build's queries get."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from factmill.models.encoding.encoder import Encoder
from factmill.models.encoding.published_encoder import PublishedEncoder
from factmill.models.encoding.query_encoder import query_encoder
from factmill.schemas.errors import MissingExtra, OptionError
from factmill.schemas.layout import BuildDir


def test_query_encoder_is_the_published_one_where_the_build_has_it(tmp_path: Path) -> None:
    build = BuildDir(tmp_path)
    build.query_encoder.mkdir(parents=True)
    assert isinstance(query_encoder(build, "a-name"), Encoder)  # without a card it is half written
    (build.query_encoder / "card.json").write_text('{"encoder": "encoder-x"}')
    assert isinstance(query_encoder(build, "a-name"), PublishedEncoder)


@pytest.mark.parametrize(
    ("package", "name"),
    [("torch", "torch"), ("sentence_transformers", "sentence-transformers")],
)
def test_query_encoder_unpublished_without_pytorch_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, name: str
) -> None:
    _hide(monkeypatch, package)
    with pytest.raises(MissingExtra, match=rf"^{name} is not installed.*factmill\[torch\]"):
        query_encoder(BuildDir(tmp_path), "a-name")


def test_query_encoder_named_by_the_build_is_not_fetched_from_a_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def send(_session: object, request: Any, **_options: object) -> Any:
        asked.append(str(request.url))
        raise ConnectionError

    monkeypatch.setattr("httpx.Client.send", send)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    with pytest.raises(OptionError, match="hf download nobody/no-such-model"):
        query_encoder(BuildDir(tmp_path), "nobody/no-such-model").encode(["x"])
    assert asked == []


def _hide(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    """Make a package one that is not installed."""
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == package else find(name)
    )
