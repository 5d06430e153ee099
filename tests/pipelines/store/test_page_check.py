from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from factmill.pipelines.store.page_check import BuildPages, PageCheck, lost_input, real_path
from factmill.schemas.input_source import InputSource
from factmill.transforms.clean.input_sources import with_kept

A = InputSource("/crawl/a.warc", "/crawl", 20, 20, 20)
B = InputSource("/crawl/b.warc", "/crawl", 4, 4, 4)
FILES = InputSource("/html", "/html", 30, 30, 30)
BEFORE = [A, B, FILES]


def _lost(
    now: list[InputSource],
    before: list[InputSource] | None = BEFORE,
    check: PageCheck | None = None,
    total: int | None = None,
) -> str:
    pages = sum(source.kept for source in now) if total is None else total
    published = BuildPages(sum(source.kept for source in BEFORE), before)
    return lost_input(check or PageCheck(), published, BuildPages(pages, now))


def test_lost_input_is_nothing_for_the_same_pages_and_for_more() -> None:
    assert _lost(BEFORE) == ""
    assert _lost([replace(A, read=50, kept=50), B, FILES]) == ""


@pytest.mark.parametrize(
    ("now", "said"),
    [
        ([replace(A, read=1, kept=1, broken=1), B, FILES], "/crawl/a.warc is broken: 1 page, 20"),
        ([A, replace(B, read=0, kept=0), FILES], "/crawl/b.warc is empty: 0 pages, 4 before"),
        ([A, FILES], "/crawl/b.warc is gone: 4 pages before"),
        ([FILES], "/crawl/a.warc is gone"),
        ([A, InputSource("/crawl/c.warc", "/crawl", 0, 0), FILES], "/crawl/b.warc is gone"),
        ([replace(A, read=14, kept=14), B, FILES], "/crawl: 18 pages, 24 before"),
        ([A, B, replace(FILES, read=20, kept=20)], "/html: 20 pages, 30 before"),
        ([A, B, replace(FILES, read=29, kept=29, broken=1)], "/html is broken: 29 pages, 30"),
        ([InputSource("/crawl/c.warc", "/crawl", 4, 4, 4), FILES], "/crawl: 4 pages, 24 before"),
    ],
)  # fmt: skip
def test_lost_input_names_the_source_that_lost_pages(now: list[InputSource], said: str) -> None:
    assert said in _lost(now, total=54)


def test_lost_input_of_a_named_source_is_not_said_again_of_its_folder() -> None:
    now = [replace(A, read=1, kept=1, broken=1), B, FILES]

    assert _lost(now, total=54) == "/crawl/a.warc is broken: 1 page, 20 before"


def test_lost_input_of_a_folder_with_a_broken_file_and_as_many_pages_is_nothing() -> None:
    assert _lost([A, B, replace(FILES, broken=1)]) == ""


def test_lost_input_of_archives_with_a_date_in_their_names_counts_their_pages() -> None:
    tonight = replace(A, path="/crawl/c.warc", read=23, kept=23)
    assert _lost([tonight, FILES]) == ""
    moved = [InputSource(f"/tonight/{n}.warc", "/tonight", 20, 20) for n in range(3)]
    assert _lost(moved) == ""
    empty = InputSource("/tonight/1.warc", "/tonight", 0, 0)
    assert "/crawl/a.warc is gone" in _lost([empty])


def test_lost_input_of_a_copy_that_is_gone_is_nothing() -> None:
    copy = InputSource("/crawl/copy-of-a.warc", "/crawl", 20, 20)
    of_both = [replace(A, kept=0, alone=0), copy, B, FILES]
    assert _lost(BEFORE, of_both) == ""
    assert _lost([A, B, FILES, replace(copy, read=0, kept=0)], of_both) == ""
    # Both are gone.
    assert "/crawl: 4 pages, 24 before" in _lost([B, FILES], of_both)


def test_lost_input_of_pages_that_another_source_has_newer_is_nothing() -> None:
    assert _lost([replace(A, kept=0), replace(B, read=24, kept=24), FILES]) == ""


def test_lost_input_of_one_page_alone_is_nothing_unless_no_page_may_be_lost() -> None:
    few = BuildPages(3, [InputSource("/html", "/html", 3, 3)])
    one_less = BuildPages(2, [InputSource("/html", "/html", 2, 2)])
    assert lost_input(PageCheck(), few, one_less) == ""
    assert "/html: 2 pages, 3 before" in lost_input(PageCheck(0.0), few, one_less)
    assert lost_input(PageCheck(0.0), few, few) == ""


def test_lost_input_judges_files_by_themselves_only_when_they_were_given() -> None:
    shuffled = [replace(A, read=12, kept=12), replace(B, read=12, kept=12), FILES]
    assert _lost(shuffled) == ""
    given = PageCheck(given=frozenset({A.path, B.path}))
    assert _lost(shuffled, check=given) == "/crawl/a.warc: 12 pages, 20 before"


def test_lost_input_of_a_file_that_was_broken_before_is_nothing() -> None:
    broken = replace(A, broken=1)
    assert _lost([broken, B, FILES], [broken, B, FILES]) == ""


def test_lost_input_beside_a_build_without_sources_counts_all_pages() -> None:
    assert _lost(BEFORE, None) == ""
    assert _lost(BEFORE, None, total=48) == "48 pages in all, 54 before"


def test_lost_input_allows_everything_with_a_share_of_1() -> None:
    assert _lost([], check=PageCheck(1.0)) == ""
    assert "/crawl/a.warc is gone" in _lost([], check=PageCheck(0.99))


def test_lost_input_of_many_sources_names_the_first() -> None:
    before = [InputSource(f"/c/{n}", "/c", 1, 1, 1) for n in range(9)]
    found = lost_input(PageCheck(), BuildPages(9, before), BuildPages(9, []))
    assert found.count("is gone") == 3
    assert found.endswith("and 6 more")


def test_with_kept_remembers_the_sources_that_a_partial_crawl_lacks() -> None:
    part = replace(A, read=3, kept=3)
    more = replace(B, read=9, kept=9)
    assert with_kept(BEFORE, [part, more]) == [A, more, FILES]


def test_lost_input_judges_a_given_file_by_itself_however_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "crawl").mkdir()
    (tmp_path / "crawl" / "a.warc").touch()
    (tmp_path / "link").symlink_to("crawl")
    monkeypatch.chdir(tmp_path)
    paths = ("crawl/a.warc", "link/a.warc", f"{tmp_path}/crawl/a.warc", "s3://crawl/a.warc")
    for path in paths:
        source = InputSource(path, path.removesuffix("/a.warc"), 20, 20, 20)
        now = [replace(source, read=12, kept=12), replace(B, root=source.root, read=20)]
        for given in paths[:3] if path != paths[3] else paths[3:]:
            check = PageCheck(0.3, frozenset({real_path(given)}))
            said = lost_input(check, BuildPages(24, [source, B]), BuildPages(24, now))
            assert said == f"{path}: 12 pages, 20 before"
