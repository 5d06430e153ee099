"""Small builds of a few pages, in folders and in object stores, and comparisons of them."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from filelock import FileLock

from factmill.pipelines.cli.main import main
from factmill.runtime.opening import open_index
from factmill.schemas.layout import INDEX, BuildDir, Store
from factmill.schemas.storage.paths import local_copy, local_folder
from factmill.schemas.tables import TABLES, VECTORS
from tests.conftest import SAMPLES

QUERY = "When does the museum open?"
SHARDS = 2


@dataclass(frozen=True)
class FirstNight:
    """A few pages, and the store in a folder that was built from them."""

    pages: Path
    store: Store


def night_of_files(folder: Path, encoder: str) -> FirstNight:
    """Pages and store in this folder, built by the first caller."""
    night = FirstNight(folder / "pages", Store(folder / "store"))
    with FileLock(f"{folder}.lock"):
        if not night.store.current.exists():
            shutil.copytree(SAMPLES / "html" / "museum", night.pages)
            shutil.copy(SAMPLES / "html" / "town" / "bridges.html", night.pages)
            store, pages = str(night.store.root), str(night.pages)
            assert main(arguments(store, pages, encoder, "--jobs", "1")) == 0
    return night


def arguments(store: str, pages: str, encoder: str, *options: str) -> list[str]:
    return [
        "build", store, "--input", pages, "--shards", str(SHARDS), "--encoder", encoder,
        "--code-bits", "32", *options,
    ]  # fmt: skip


def rows(build: BuildDir) -> dict[str, Counter[str]]:
    return {
        table: Counter(
            json.dumps(row, default=str, sort_keys=True)
            for shard in range(SHARDS)
            for row in pq.read_table(
                local_copy(build.part(table, shard)), partitioning=None
            ).to_pylist()
        )
        for table in (*TABLES, VECTORS)
    }


def index_files(build: BuildDir) -> dict[str, bytes]:
    folder = local_folder(build.root / INDEX)
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def hits(store: Store) -> list[tuple[str, float]]:
    return [(hit.page_id, hit.score) for hit in open_index(store.root).search(QUERY, k=5)]


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    capsys.readouterr()
    assert main([*arguments, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def assert_equal(a: BuildDir, b: BuildDir) -> None:
    assert rows(a) == rows(b)
    assert index_files(a) == index_files(b)
