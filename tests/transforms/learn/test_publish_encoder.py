"""The encoder for queries in a build: exported, taken over, or left out with a notice."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from factmill.models.encoding import export_encoder as export
from factmill.models.encoding.encoder import Encoder
from factmill.models.encoding.export_encoder import NotExportable
from factmill.models.encoding.published_encoder import (
    CARD,
    ENCODER_FILES,
    WEIGHTS,
    PublishedEncoder,
)
from factmill.runtime.opening import open_index
from factmill.schemas.layout import MODELS, BuildDir, Store
from factmill.schemas.manifest import read_manifest
from factmill.transforms.learn.publish_encoder import publish_encoder
from tests.models.encoding.tiny_encoder import tiny_encoder
from tests.runtime.tiny_build import random_head, write_manifest, write_tables, write_vectors

TEXTS = ["museum built in", "ferry"]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Encoder:
    return Encoder(tiny_encoder(tmp_path_factory.mktemp("model"), ["museum", "ferry", "built"]))


@pytest.fixture
def parent(tmp_path: Path, encoder: Encoder) -> BuildDir:
    """A published build with an encoder for queries."""
    parent = BuildDir(tmp_path / "parent")
    write_tables(parent)
    random_head().save(parent.hash_head)
    write_vectors(parent, random_head())
    publish_encoder(parent, None, encoder, TEXTS, "learn")
    write_manifest(parent)
    return parent


def is_shared(build: BuildDir, parent: BuildDir) -> list[bool]:
    """Of each file, whether it is the parent's own."""
    return [
        os.path.samefile(str(build.query_encoder / name), str(parent.query_encoder / name))
        for name in ENCODER_FILES
    ]


def test_publish_encoder_without_a_parent_is_exported(tmp_path: Path, encoder: Encoder) -> None:
    build = BuildDir(tmp_path / "b")
    publish_encoder(build, None, encoder, TEXTS, "learn")
    assert build.has_query_encoder()
    assert PublishedEncoder(build.query_encoder).fingerprint == encoder.fingerprint
    assert sorted(path.name for path in build.query_encoder.iterdir()) == sorted(ENCODER_FILES)  # type: ignore[union-attr]
    assert list(build.work.iterdir()) == []  # type: ignore[union-attr]


def test_publish_encoder_of_the_parent_is_taken_over_and_nothing_is_written(
    tmp_path: Path, parent: BuildDir, encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Encoder, "model", None)  # not even asked for
    build = BuildDir(tmp_path / "b")
    publish_encoder(build, parent, encoder, TEXTS, "learn")
    assert is_shared(build, parent) == [True, True, True]


@pytest.mark.parametrize("name", ENCODER_FILES)
def test_publish_encoder_that_is_damaged_in_the_parent_is_exported_anew(
    tmp_path: Path, parent: BuildDir, encoder: Encoder, name: str
) -> None:
    path = parent.query_encoder / name
    path.write_bytes(path.read_bytes()[:-1])
    build = BuildDir(tmp_path / "b")
    publish_encoder(build, parent, encoder, TEXTS, "learn")
    assert is_shared(build, parent) == [False, False, False]
    PublishedEncoder(build.query_encoder).check()


def test_publish_encoder_of_another_encoder_is_not_taken_over(
    tmp_path: Path, parent: BuildDir
) -> None:
    tuned = Encoder(tiny_encoder(tmp_path, ["museum", "ferry", "bridge", "lamp"]))
    build = BuildDir(tmp_path / "b")
    publish_encoder(build, parent, tuned, TEXTS, "learn")
    assert is_shared(build, parent) == [False, False, False]
    assert PublishedEncoder(build.query_encoder).fingerprint == tuned.fingerprint


def test_publish_encoder_that_cannot_be_exported_is_left_out_with_a_notice(
    tmp_path: Path, encoder: Encoder, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    build = BuildDir(tmp_path / "b")
    publish_encoder(build, None, encoder, TEXTS, "learn")

    def refuse(_model: Any, _fingerprint: str, folder: Path, _texts: list[str]) -> None:
        (folder / WEIGHTS).write_text("half")
        raise NotExportable("its architecture is mamba")

    monkeypatch.setattr(export, "export_encoder", refuse)
    publish_encoder(build, None, encoder, TEXTS, "learn")
    assert not build.query_encoder.exists()
    said = capsys.readouterr().err
    assert said.startswith("learn: queries will need PyTorch")
    assert said.endswith("its architecture is mamba\n")
    assert said.count("\n") == 1


def test_publish_encoder_that_was_killed_on_its_way_counts_as_none(
    tmp_path: Path, encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second run must not leave the card of the first beside files of its own."""
    build = BuildDir(tmp_path / "b")
    publish_encoder(build, None, encoder, TEXTS, "learn")

    def killed(source: Path, target: Path) -> None:
        if source.name == CARD:
            raise KeyboardInterrupt
        source.rename(target)

    monkeypatch.setattr("factmill.transforms.learn.publish_encoder.shutil.move", killed)
    with pytest.raises(KeyboardInterrupt):
        publish_encoder(build, None, encoder, TEXTS, "learn")
    assert not build.has_query_encoder()


def test_build_of_the_samples_publishes_its_encoder(sample_store: Path) -> None:
    manifest = read_manifest(Store(sample_store).published())
    index = open_index(sample_store)
    assert isinstance(index._encoder, PublishedEncoder)
    assert index._encoder.fingerprint == manifest.fingerprints["encoder"]
    listed = {file.path for file in manifest.tables[MODELS].files}
    assert {f"{MODELS}/query_encoder/{name}" for name in ENCODER_FILES} <= listed
