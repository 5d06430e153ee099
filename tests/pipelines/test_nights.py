"""Night after night with the whole chain: what is taken over, what is kept, what is nothing new."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from factmill.pipelines.build import BuildResult, build
from factmill.pipelines.plan import plan
from factmill.pipelines.runners.run_job import RunOptions
from factmill.pipelines.settings import BuildOptions, BuildSettings, settings_for
from factmill.runtime.opening import open_index
from factmill.runtime.verify.verify_build import verify_build
from factmill.schemas.errors import WrongFormat
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.manifest import read_manifest
from tests.conftest import SAMPLES, SHARDS
from tests.pipelines.test_build import TABLES, rows

SOURCE = SAMPLES / "html" / "town"
PAGES = 2
LODGE = "Marrow Lodge was built in 1921. It was designed by Agnes Teague. It has 12 rooms."


def run(
    store: Store, pages: Path, encoder: str, full: bool = False, keep: bool = False
) -> BuildResult:
    return build(store, settings_of(store, pages, encoder, keep), RunOptions(1), full)


def settings_of(store: Store, pages: Path, encoder: str, keep: bool = False) -> BuildSettings:
    options = BuildOptions(
        inputs=[str(pages)], encoder=encoder, code_bits=64, shards=SHARDS, keep_missing=keep
    )
    return settings_for(store, options)


def without_codes(build_dir: BuildDir, table: str) -> list[dict[str, Any]]:
    found = rows(build_dir, table)
    for row in found:
        row.pop("code", None)
    return sorted(found, key=str)


def touch(pages: Path) -> None:
    for path in pages.iterdir():
        os.utime(path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns + 1_000_000))


@dataclass(frozen=True)
class Town:
    """Pages and the store that they were built into."""

    pages: Path
    store: Store


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, small_encoder: str) -> Town:
    root = tmp_path_factory.mktemp("town")
    (root / "pages").mkdir()
    for path in sorted(SOURCE.glob("*.html"))[:PAGES]:
        shutil.copy(path, root / "pages" / path.name)
    town = Town(root / "pages", Store(root / "store"))
    run(town.store, town.pages, small_encoder)
    return town


@pytest.fixture
def town(built: Town, tmp_path: Path) -> Town:
    """A copy that a test may change."""
    shutil.copytree(built.pages.parent, tmp_path / "town")
    return Town(tmp_path / "town" / "pages", Store(tmp_path / "town" / "store"))


def test_a_night_takes_over_what_stayed_as_it_was(town: Town, small_encoder: str) -> None:
    before = town.store.published()
    # The same pages in files of another time.
    touch(town.pages)
    again = run(town.store, town.pages, small_encoder)
    assert not again.new
    assert again.manifest == read_manifest(before)
    assert town.store.builds() == [before]

    (town.pages / "new.html").write_text(f"<p>{LODGE}</p>")
    settings = settings_of(town.store, town.pages, small_encoder)
    planned = plan(town.store, settings, RunOptions(1))
    second = run(town.store, town.pages, small_encoder)
    assert second.new
    after = town.store.published()
    encoded = second.manifest.counts["encode"]
    new = set(map(str, rows(after, "40_vectors"))) - set(map(str, rows(before, "40_vectors")))
    assert encoded.records_in - encoded.produced["reused"] == len(new) > 0
    extracted = second.manifest.counts["extract"]
    new = set(map(str, rows(after, "11_segments"))) - set(map(str, rows(before, "11_segments")))
    assert extracted.records_in - extracted.produced["reused"] == len(new) > 0
    assert (planned.segments, planned.segments_new) == (extracted.records_in, len(new))
    assert verify_build(after, read_manifest(after)) == []
    shared = [
        path
        for path in after.root.rglob("*.parquet")
        if os.path.samefile(path, before.root / path.relative_to(after.root))
    ]
    assert len(shared) > len(TABLES)


def test_a_night_goes_on_from_a_build_of_an_older_format(town: Town, small_encoder: str) -> None:
    before = town.store.published()
    replace(read_manifest(before), format_version=1).write(before)
    with pytest.raises(WrongFormat, match="format 1"):
        open_index(town.store.root)

    (town.pages / "new.html").write_text(f"<p>{LODGE}</p>")
    after = run(town.store, town.pages, small_encoder)

    assert after.manifest.parent == before.build_id
    assert after.manifest.counts["encode"].produced["reused"] > 0
    assert verify_build(town.store.published(), after.manifest) == []
    open_index(town.store.root)


def test_a_partial_crawl_keeps_the_pages_that_it_does_not_have(
    town: Town, small_encoder: str, tmp_path: Path
) -> None:
    part = tmp_path / "part"
    part.mkdir()
    old = sorted(town.pages.iterdir())[0]
    shutil.copy2(old, part / old.name)
    assert not run(town.store, part, small_encoder, keep=True).new, "it holds the same pages"

    (part / "new.html").write_text(f"<p>{LODGE}</p>")
    kept = run(town.store, part, small_encoder, keep=True)
    clean = kept.manifest.counts["clean"]
    assert clean.records_in == PAGES + 1
    assert clean.produced["kept"] == PAGES - 1
    assert all(counts.balanced for counts in kept.manifest.counts.values())
    partial = town.store.published()

    shutil.copy2(part / "new.html", town.pages / "new.html")
    full = run(town.store, town.pages, small_encoder, full=True)
    assert full.manifest.parent is None
    for table in TABLES:
        assert without_codes(partial, table) == without_codes(town.store.published(), table)
