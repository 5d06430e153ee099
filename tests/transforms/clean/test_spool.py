from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from factmill.schemas.ids import page_id, shard_of
from factmill.schemas.layout import BuildDir
from factmill.schemas.records import Reject
from factmill.schemas.tables import REJECTS
from factmill.transforms.clean import spool as spool_module
from factmill.transforms.clean.extract_page import ExtractedPage, extract_page
from factmill.transforms.clean.read_spool import spooled_pages, spooled_rejects
from factmill.transforms.clean.spool import Spool, features_folder
from factmill.transforms.inputs.raw_page import RawPage

URL = "https://a.example/page"


def _extracted(source: str, text: str, url: str = URL) -> ExtractedPage:
    found = extract_page(RawPage(source, url, text=text))
    assert isinstance(found, ExtractedPage)
    return found


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def _pages(build: BuildDir, shard: int) -> list[dict[str, Any]]:
    return [
        {**row, "split": split}
        for split, batch in spooled_pages(build, shard)
        for row in batch.to_pylist()
    ]


def test_spool_page_comes_back_with_its_features(tmp_path: Path) -> None:
    build = BuildDir(tmp_path / "b")
    extracted = _extracted("a", "The bay is wide. It is deep.\nThe ferry leaves at nine.")
    with ExitStack() as stack:
        spool = Spool(build, 7, 1, stack)
        spool.add_page(extracted, URL)
        spool.flush()
    [row] = _pages(build, 0)
    assert (row["split"], row["row"]) == (7, 0)
    assert row["text"] == extracted.page.text
    assert row["sentences"] == [position for span in extracted.sentences for position in span]
    [features] = pq.read_table(features_folder(build)).to_pylist()
    assert (features["split"], features["row"], features["shard"]) == (7, 0, 0)
    assert (features["url"], features["site"], features["page_id"]) == (
        URL,
        "a.example",
        extracted.page.page_id,
    )
    assert features["signature"] == extracted.signature
    assert tuple(features["bands"]) == extracted.bands
    assert tuple(features["repeats"]) == extracted.repeats


def test_spool_pages_of_all_splits_lie_in_the_shard_of_their_url(tmp_path: Path) -> None:
    build = BuildDir(tmp_path / "b")
    for split in range(3):
        with ExitStack() as stack:
            spool = Spool(build, split, 4, stack)
            for number in range(20):
                url = f"https://a.example/{split}/{number}"
                spool.add_page(_extracted(f"{number}", f"Page {number} of {split}.", url), url)
            spool.flush()
    found = [(shard, row) for shard in range(4) for row in _pages(build, shard)]
    assert len(found) == 60
    assert all(shard == shard_of(row["url"], 4) for shard, row in found)
    features = pq.read_table(features_folder(build)).to_pylist()
    assert {(m["split"], m["row"], m["shard"], m["page_id"]) for m in features} == {
        (row["split"], row["row"], shard, row["page_id"]) for shard, row in found
    }


def test_spool_rejects_are_kept_and_counted(tmp_path: Path) -> None:
    build = BuildDir(tmp_path / "b")
    rejects = [Reject("clean", "bad_json", f"x:{n}", "", "detail") for n in range(20)]
    rejects.append(Reject("clean", "http_status", "id", URL, "404"))
    kept = {*rejects[:-1], replace(rejects[-1], site="a.example", page_id=page_id(URL, "", ""))}
    with ExitStack() as stack:
        spool = Spool(build, 3, 2, stack)
        for reject in rejects:
            spool.add_reject(reject)
        spool.flush()
        assert spool.rejected == Counter(bad_json=20, http_status=1)
    shards = [
        [
            Reject(**{name: row[name] for name in REJECTS.names})
            for batch in spooled_rejects(build, shard)
            for row in batch.to_pylist()
        ]
        for shard in range(2)
    ]
    assert {*shards[0], *shards[1]} == kept
    assert len(shards[0]) + len(shards[1]) == 21
    assert all(shards)


def test_spool_nothing_added_leaves_features_without_rows(tmp_path: Path) -> None:
    build = BuildDir(tmp_path / "b")
    with ExitStack() as stack:
        Spool(build, 0, 2, stack).flush()
    assert pq.read_table(features_folder(build)).num_rows == 0
    assert _pages(build, 0) == []


def test_spool_many_flushes_and_batches_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool_module, "_FLUSH_CHARACTERS", 5000)
    monkeypatch.setattr(spool_module, "_ROWS_PER_BATCH", 3)
    build = BuildDir(tmp_path / "b")
    pages = [_extracted(f"s{n}", f"Page {n}. It is number {n}.", f"u{n}") for n in range(50)]
    with ExitStack() as stack:
        spool = Spool(build, 0, 2, stack)
        for number, page in enumerate(pages):
            spool.add_page(page, f"u{number}")
        spool.flush()
    rows = _pages(build, 0) + _pages(build, 1)
    assert {row["row"]: row["text"] for row in rows} == {
        number: page.page.text for number, page in enumerate(pages)
    }


def test_spool_redone_split_replaces_what_a_killed_attempt_left(tmp_path: Path) -> None:
    build = BuildDir(tmp_path / "b")
    for split, numbers in ((0, range(20)), (1, range(20, 30)), (0, range(1))):
        with ExitStack() as stack:
            spool = Spool(build, split, 4, stack)
            for n in numbers:
                spool.add_page(_extracted(f"s{n}", "Text."), f"u{n}")
                spool.add_reject(Reject("clean", "bad_json", f"r{n}", "", ""))
            spool.flush()
    pages = [row["source_id"] for shard in range(4) for row in _pages(build, shard)]
    assert sorted(pages) == ["s0", *(f"s{n}" for n in range(20, 30))]
    assert (
        sum(batch.num_rows for shard in range(4) for batch in spooled_rejects(build, shard)) == 11
    )
    assert pq.read_table(features_folder(build)).num_rows == 11


def test_spool_large_tables_and_many_rejects_do_not_wait_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool_module, "_FLUSH_CHARACTERS", 10_000)
    build = BuildDir(tmp_path / "b")
    extracted = replace(_extracted("a", "Text."), tables=("x" * 6000,))
    with ExitStack() as stack:
        spool = Spool(build, 0, 1, stack)
        for _ in range(4):
            spool.add_page(extracted, URL)
        for n in range(40):
            spool.add_reject(Reject("clean", "bad_json", f"{n}", "", "x" * 400))
        spool.flush()
    assert [batch.num_rows for _, batch in spooled_pages(build, 0)] == [2, 2]
    assert len(list(spooled_rejects(build, 0))) > 1


def test_spool_exception_leaves_no_file_behind(tmp_path: Path) -> None:
    build = BuildDir(tmp_path / "b")

    def crash() -> None:
        with ExitStack() as stack:
            spool = Spool(build, 0, 2, stack)
            spool.add_page(_extracted("a", "Text."), URL)
            spool.add_reject(Reject("clean", "bad_json", "x", "", ""))
            spool.flush()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        crash()
    assert _files(tmp_path) == []
