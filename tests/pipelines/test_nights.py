"""Night after night with the whole chain: what is taken over, what is kept, what is nothing new."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from pipelines.build import BuildResult, build
from pipelines.running import RunOptions
from pipelines.settings import settings_for
from runtime.verify import verify_build
from schemas.errors import OptionError
from schemas.layout import BuildDir, Store
from schemas.manifest import read_manifest
from tests.conftest import SAMPLES, SHARDS
from tests.models.tiny_encoder import tiny_encoder
from tests.pipelines.test_build import TABLES, rows

TOWN = SAMPLES / "html" / "town"


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    words = "museum bridge ferry built designed opened in by the was is has of and".split()
    return tiny_encoder(tmp_path_factory.mktemp("encoder"), words)


def run(
    store: Store, pages: Path, encoder: str, full: bool = False, keep: bool = False
) -> BuildResult:
    settings = settings_for(
        store, [str(pages)], "heuristic", encoder, 64, SHARDS, None, keep_missing=keep
    )
    return build(store, settings, RunOptions(1), full)


def without_codes(build_dir: BuildDir, table: str) -> list[dict[str, Any]]:
    found = rows(build_dir, table)
    for row in found:
        row.pop("code", None)
    return sorted(found, key=str)


def touch(pages: Path) -> None:
    for path in pages.iterdir():
        os.utime(path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns + 1_000_000))


def test_nights_of_a_small_town(tmp_path: Path, encoder: str) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    names = sorted(path.name for path in TOWN.glob("*.html"))[:3]
    for name in names:
        shutil.copy(TOWN / name, pages / name)
    store = Store(tmp_path / "store")
    first = run(store, pages, encoder)
    before = store.published()

    # The same pages in files of another time.
    touch(pages)
    again = run(store, pages, encoder)
    assert not again.new
    assert again.manifest == first.manifest
    assert store.builds() == [before]

    (pages / "new.html").write_text(
        "<p>Marrow Lodge was built in 1921. It was designed by Agnes Teague. It has 12 rooms.</p>"
    )
    second = run(store, pages, encoder)
    assert second.new
    after = store.published()
    encoded = second.manifest.counts["encode"]
    new = set(map(str, rows(after, "40_vectors"))) - set(map(str, rows(before, "40_vectors")))
    assert encoded.records_in - encoded.produced["reused"] == len(new) > 0
    assert verify_build(after, read_manifest(after)) == []
    shared = [
        path
        for path in after.root.rglob("*.parquet")
        if os.path.samefile(path, before.root / path.relative_to(after.root))
    ]
    assert len(shared) > len(TABLES)

    # A partial crawl: one page of those there are.
    part = tmp_path / "part"
    part.mkdir()
    shutil.copy(pages / "new.html", part / "new.html")
    kept = run(store, part, encoder, keep=True)
    assert not kept.new, "it holds the same pages"

    (part / "other.html").write_text("<p>The lamp of Gannet Rock was first lit in 1894.</p>")
    kept = run(store, part, encoder, keep=True)
    assert kept.manifest.counts["clean"].records_in == len(names) + 2
    assert kept.manifest.counts["clean"].produced["kept"] == len(names)
    assert all(counts.balanced for counts in kept.manifest.counts.values())
    partial = store.published()

    shutil.copy(part / "other.html", pages / "other.html")
    full = run(store, pages, encoder, full=True)
    assert full.manifest.parent is None
    for table in TABLES:
        assert without_codes(partial, table) == without_codes(store.published(), table)

    with pytest.raises(OptionError, match="--full"):
        run(store, pages, encoder, full=True, keep=True)
