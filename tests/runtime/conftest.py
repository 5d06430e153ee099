"""A build to be damaged."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from factmill.schemas.layout import BuildDir
from tests.runtime.tiny_build import tiny_build


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> BuildDir:
    return tiny_build(tmp_path_factory.mktemp("verify") / "store")


@pytest.fixture
def build(whole: BuildDir, tmp_path: Path) -> BuildDir:
    shutil.copytree(whole.root.parent.parent, tmp_path / "store")
    return BuildDir(tmp_path / "store" / "builds" / whole.build_id)
