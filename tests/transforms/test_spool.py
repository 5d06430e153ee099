from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from datetime import datetime, timezone
from itertools import permutations
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.ids import shard_of
from schemas.layout import BuildDir
from schemas.manifest import StageCounts
from schemas.records import Reject
from transforms import spool as spool_module
from transforms.cleaning import CleanPage, clean_page
from transforms.inputs.raw import RawPage
from transforms.spool import Spool, merge_shard

URL = "https://a.example/page"


def _day(day: int | None) -> datetime | None:
    return datetime(2023, 6, day, tzinfo=timezone.utc) if day else None


def _capture(source: str, text: str, day: int | None = None, url: str = URL) -> CleanPage:
    return clean_page(RawPage(source, url, text=text, fetched_at=_day(day)))


def _spool(build: BuildDir, split: int, pages: list[CleanPage], shards: int = 1) -> None:
    with ExitStack() as stack:
        spool = Spool(build, split, shards, stack)
        for page in pages:
            spool.add_page(page)
        spool.flush()


def _sources(build: BuildDir, shard: int = 0) -> list[str]:
    return pq.read_table(build.part("10_pages", shard))["source_id"].to_pylist()


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def _merge(root: Path, captures: list[CleanPage]) -> tuple[StageCounts, BuildDir]:
    build = BuildDir(root)
    for split, capture in enumerate(captures):
        _spool(build, split, [capture])
    return merge_shard(build, 0), build


CAPTURES = [
    _capture("undated", "Text without a date."),
    _capture("old", "The old text.", 1),
    _capture("middle", "The text of the middle.", 2),
    _capture("new", "The new text.", 3),
]


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_merge_shard_newest_capture_wins_whatever_the_order(
    tmp_path: Path, order: tuple[int, ...]
) -> None:
    counts, build = _merge(tmp_path / "b", [CAPTURES[number] for number in order])
    assert _sources(build) == ["new"]
    assert counts.rejected == {"superseded": 3}
    texts = pq.read_table(build.part("11_segments", 0))["text"].to_pylist()
    assert texts == ["The new text."]


@pytest.mark.parametrize("order", list(permutations(range(2))))
def test_merge_shard_undated_capture_is_older_than_any_dated_one(
    tmp_path: Path, order: tuple[int, ...]
) -> None:
    _, build = _merge(tmp_path / "b", [CAPTURES[number] for number in order])
    assert _sources(build) == ["old"]


def test_merge_shard_equally_old_captures_keep_the_first_of_the_splits(tmp_path: Path) -> None:
    pages = [_capture(name, f"Text {name}.", 5) for name in ("one", "two", "three")]
    _, build = _merge(tmp_path / "b", pages)
    assert _sources(build) == ["one"]


def test_merge_shard_same_content_is_a_duplicate_other_content_superseded(tmp_path: Path) -> None:
    pages = [_capture("a", "Same.", 1), _capture("b", "Other.", 2), _capture("c", "Same.", 3)]
    counts, build = _merge(tmp_path / "b", pages)
    assert counts.rejected == {"duplicate": 1, "superseded": 1}
    rejects = pq.read_table(build.part("19_rejects", 0)).to_pylist()
    assert {(row["record_id"], row["reason"], row["detail"], row["url"]) for row in rejects} == {
        ("a", "duplicate", "kept c", URL),
        ("b", "superseded", "kept c", URL),
    }


def test_merge_shard_same_page_twice_in_one_split_is_kept_once(tmp_path: Path) -> None:
    build = BuildDir(tmp_path / "b")
    pages = [_capture("a", "Text.", 1), _capture("a", "Text.", 1), _capture("b", "x y", 2, "u")]
    _spool(build, 0, pages)
    assert merge_shard(build, 0).rejected == {"duplicate": 1}
    assert sorted(_sources(build)) == ["a", "b"]


def test_merge_shard_pages_without_url_are_told_apart_by_content(tmp_path: Path) -> None:
    pages = [_capture("index.html", text, url="") for text in ("One.", "Two.", "One.")]
    counts, build = _merge(tmp_path / "b", pages)
    assert counts.rejected == {"duplicate": 1}
    assert _sources(build) == ["index.html", "index.html"]


_PAGES = st.lists(
    st.tuples(st.sampled_from("uvwxyz"), st.sampled_from("ABC"), st.sampled_from([None, 1, 2, 3])),
    max_size=14,
)


@given(_PAGES, st.integers(1, 4), st.integers(1, 3))
@settings(max_examples=25, deadline=None)
def test_merge_shard_any_captures_in_is_out_plus_rejects(
    tmp_path_factory: pytest.TempPathFactory,
    pages: list[tuple[str, str, int | None]],
    splits: int,
    shards: int,
) -> None:
    build = BuildDir(tmp_path_factory.mktemp("merge") / "b")
    made = [_capture(f"{n}", f"Text {t}.", day, url) for n, (url, t, day) in enumerate(pages)]
    for split in range(splits):
        _spool(build, split, made[split::splits], shards)
    total = sum((merge_shard(build, shard) for shard in range(shards)), StageCounts())
    assert total.records_out + sum(total.rejected.values()) == len(pages)
    assert total.records_out == total.produced["10_pages"] == len({url for url, _, _ in pages})
    assert total.produced["19_rejects"] == sum(total.rejected.values())
    newest: dict[str, int] = {}
    for url, _, day in pages:
        newest[url] = max(newest.get(url, 0), day or 0)
    for shard in range(shards):
        for row in pq.read_table(build.part("10_pages", shard)).to_pylist():
            assert shard_of(row["url"], shards) == shard
            assert row["fetched_at"] == _day(newest[row["url"]])


def test_merge_shard_rejects_of_splits_are_kept_and_not_counted_again(tmp_path: Path) -> None:
    build = BuildDir(tmp_path / "b")
    rejects = [Reject("clean", "bad_json", f"x:{n}", "", "detail") for n in range(20)]
    rejects.append(Reject("clean", "http_status", "id", URL, "404"))
    with ExitStack() as stack:
        spool = Spool(build, 3, 2, stack)
        for reject in rejects:
            spool.add_reject(reject)
        spool.flush()
        assert spool.counts == Counter(bad_json=20, http_status=1)
    total = merge_shard(build, 0) + merge_shard(build, 1)
    assert total.rejected == {}
    assert total.produced["19_rejects"] == 21
    found = [
        Reject(**row)
        for shard in range(2)
        for row in pq.read_table(build.part("19_rejects", shard), partitioning=None).to_pylist()
    ]
    assert set(found) == set(rejects)
    shards = [pq.read_metadata(build.part("19_rejects", shard)).num_rows for shard in range(2)]
    assert min(shards) > 0


def test_merge_shard_nothing_spooled_writes_empty_tables(tmp_path: Path) -> None:
    build = BuildDir(tmp_path / "b")
    counts = merge_shard(build, 5)
    assert counts == StageCounts(0, 0, {}, {"10_pages": 0, "11_segments": 0, "19_rejects": 0})
    assert pq.read_metadata(build.part("11_segments", 5)).num_rows == 0


def test_merge_shard_again_writes_the_same_files(tmp_path: Path) -> None:
    first, build = _merge(tmp_path / "b", CAPTURES)
    before = {path: path.read_bytes() for path in _files(tmp_path)}
    assert merge_shard(build, 0) == first
    assert {path: path.read_bytes() for path in _files(tmp_path)} == before


def test_spool_many_flushes_and_batches_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool_module, "_FLUSH_CHARACTERS", 5000)
    monkeypatch.setattr(spool_module, "_ROWS_PER_BATCH", 3)
    build = BuildDir(tmp_path / "b")
    pages = [
        _capture(f"s{n}", f"Page {n}. It is number {n}.", n % 28 + 1, f"u{n}") for n in range(50)
    ]
    _spool(build, 0, pages, shards=2)
    assert merge_shard(build, 0).records_out + merge_shard(build, 1).records_out == 50
    texts = [
        text
        for shard in range(2)
        for text in pq.read_table(build.part("11_segments", shard))["text"].to_pylist()
    ]
    assert sorted(texts) == sorted(page.page.text for page in pages)


def test_spool_exception_leaves_no_file_behind(tmp_path: Path) -> None:
    build = BuildDir(tmp_path / "b")

    def crash() -> None:
        with ExitStack() as stack:
            spool = Spool(build, 0, 2, stack)
            spool.add_page(CAPTURES[0])
            spool.add_reject(Reject("clean", "bad_json", "x", "", ""))
            spool.flush()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        crash()
    assert _files(tmp_path) == []
