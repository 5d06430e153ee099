from __future__ import annotations

from pathlib import Path

import pytest

from factmill.pipelines import build_manifest as manifest_module
from factmill.pipelines.build_manifest import build_manifest
from factmill.pipelines.job import Job
from factmill.pipelines.runners.run_job import RunOptions
from factmill.pipelines.settings import BuildSettings
from factmill.schemas.manifest import read_manifest
from factmill.schemas.storage.checksum import sha256_of
from tests.conftest import Museum


def test_manifest_made_again_in_a_run_hashes_only_what_came_since(
    museum: Museum, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed: list[str] = []

    def counted(path: Path) -> str:
        hashed.append(path.name)
        return sha256_of(path)

    monkeypatch.setattr(manifest_module, "sha256_of", counted)
    build = museum.store.published()
    job = Job(build, BuildSettings.load(build), None, RunOptions(1))
    first = build_manifest(job, {})
    assert len(hashed) == sum(len(entry.files) for entry in first.tables.values())
    hashed.clear()
    (Path(str(build.models)) / "card.json").write_text("{}")

    again = build_manifest(job, {})

    assert hashed == ["card.json"]
    models = {file.path for file in again.tables["30_models"].files}
    assert models == {file.path for file in first.tables["30_models"].files} | {
        "30_models/card.json"
    }
    assert {**again.tables, "30_models": None} == {**first.tables, "30_models": None}
    assert read_manifest(build).tables["50_index"].files == again.tables["50_index"].files
