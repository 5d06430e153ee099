"""Small builds of a few pages, in folders and in object stores, and what must be equal in them."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from factmill.pipelines.cli.main import main
from factmill.runtime.index import open_index
from factmill.schemas.layout import INDEX, BuildDir, Store
from factmill.schemas.storage.paths import local_copy, local_folder
from factmill.schemas.tables import TABLES, VECTORS
from tests.conftest import SAMPLES

QUERY = "When does the museum open?"
SHARDS = 2


def write_pages(folder: Path) -> None:
    shutil.copytree(SAMPLES / "html" / "museum", folder)
    shutil.copy(SAMPLES / "html" / "town" / "bridges.html", folder)


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
