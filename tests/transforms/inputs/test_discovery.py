from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from factmill.schemas.errors import OptionError
from factmill.schemas.records import Reject
from factmill.transforms.inputs import discovery
from factmill.transforms.inputs.discovery import (
    InputFile,
    files_per_split,
    find_inputs,
    plan_splits,
)
from factmill.transforms.inputs.read_split import read_split


def _write(path: Path, content: str = "<p>x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def _rejects(pattern: Path, follow_links: bool = False) -> list[tuple[str, str]]:
    splits = plan_splits(find_inputs([str(pattern)], follow_links))
    records = [record for split in splits for record in read_split(split)]
    rejects = [record for record in records if isinstance(record, Reject)]
    return sorted((reject.record_id, reject.reason) for reject in rejects)


def _names(files: list[InputFile]) -> list[str]:
    return [file.name for file in files]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "in"
    for name in ("z.html", "a/b.html", "a/c/d.html.gz", ".hidden.html", ".git/e.html", "a/.f/g.x"):
        _write(root / name)
    return root


def test_find_inputs_folder_walks_it_and_leaves_hidden_files_out(folder: Path) -> None:
    assert _names(find_inputs([str(folder)])) == ["a/b.html", "a/c/d.html.gz", "z.html"]


def test_find_inputs_single_file_is_named_by_its_last_part(folder: Path) -> None:
    (file,) = find_inputs([str(folder / "a" / "b.html")])
    assert file.name == "b.html"
    assert file.size == 4
    assert file.modified_ns == (folder / "a" / "b.html").stat().st_mtime_ns


def test_find_inputs_hidden_file_named_outright_is_taken(folder: Path) -> None:
    assert _names(find_inputs([str(folder / ".hidden.html")])) == [".hidden.html"]


def test_find_inputs_input_folder_itself_hidden_is_walked(tmp_path: Path) -> None:
    _write(tmp_path / ".crawl" / "a.html")
    assert _names(find_inputs([str(tmp_path / ".crawl")])) == ["a.html"]


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("*.html", ["z.html"]),
        ("*/*.html", ["a/b.html"]),
        ("**/*.html", ["a/b.html", "z.html"]),
        ("a*", ["a/b.html", "a/c/d.html.gz"]),
        ("a/?.html", ["b.html"]),
        ("**/d.html*", ["a/c/d.html.gz"]),
    ],
)
def test_find_inputs_glob_names_are_below_the_part_without_magic(
    folder: Path, pattern: str, names: list[str]
) -> None:
    assert _names(find_inputs([str(folder / pattern)])) == names


def test_find_inputs_file_with_brackets_in_its_name_is_no_pattern(tmp_path: Path) -> None:
    _write(tmp_path / "page[1].html")
    _write(tmp_path / "page1.html")
    assert _names(find_inputs([str(tmp_path / "page[1].html")])) == ["page[1].html"]


def test_find_inputs_file_named_twice_counts_once(folder: Path) -> None:
    patterns = [str(folder), str(folder / "a" / "*.html"), str(folder / "a" / ".." / "z.html")]
    assert _names(find_inputs(patterns)) == ["a/b.html", "a/c/d.html.gz", "z.html"]


def test_find_inputs_link_to_a_file_counts_it_once(folder: Path) -> None:
    os.symlink(folder / "z.html", folder / "zz.html")
    assert _names(find_inputs([str(folder)])) == ["a/b.html", "a/c/d.html.gz", "z.html"]


def test_find_inputs_folder_with_a_link_to_itself_ends(folder: Path) -> None:
    os.symlink("..", folder / "a" / "loop")
    assert _names(find_inputs([str(folder)])) == ["a/b.html", "a/c/d.html.gz", "z.html"]


def test_find_inputs_glob_through_a_link_to_itself_names_files_by_the_short_way(
    folder: Path,
) -> None:
    os.symlink("..", folder / "a" / "loop")
    names = _names(find_inputs([str(folder / "**" / "*.html")]))
    assert names == ["a/b.html", "z.html"]


@pytest.mark.parametrize("pattern", ["", "*.html"])
def test_find_inputs_dangling_links_are_rejects(folder: Path, pattern: str) -> None:
    os.symlink("nowhere", folder / "dangling.html")
    os.symlink(folder.parent / "nowhere", folder / "out.html")
    os.symlink("two.html", folder / "one.html")
    os.symlink("one.html", folder / "two.html")
    broken = [("dangling.html", "broken_file"), ("one.html", "broken_file")]
    broken += [("two.html", "broken_file")]
    assert _rejects(folder / pattern) == [*broken[:2], ("out.html", "link_out"), broken[2]]
    found = find_inputs([str(folder / pattern)])
    assert [file.name for file in found if file.absent] == [name for name, _ in broken]
    followed = _rejects(folder / pattern, follow_links=True)
    assert followed == [*broken[:2], ("out.html", "broken_file"), broken[2]]
    with pytest.raises(OptionError, match="no such file"):
        find_inputs([str(folder / "dangling.html")])


def test_find_inputs_file_that_vanished_after_it_was_listed_is_a_reject(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = sorted(folder.rglob("[a-z]*.html"))
    monkeypatch.setattr(discovery, "_files_below", lambda _: listed)
    (folder / "z.html").unlink()
    assert _rejects(folder) == [("z.html", "broken_file")]


@pytest.mark.parametrize("follow_links", [True, False])
def test_find_inputs_link_to_a_folder_outside_is_a_reject(
    folder: Path, tmp_path: Path, follow_links: bool
) -> None:
    _write(tmp_path / "other" / "x.html")
    os.symlink(tmp_path / "other", folder / "a" / "link")
    os.symlink(folder / "a" / "c", folder / "within")
    os.symlink(folder / ".git", folder / "hidden")
    links = [("a/link", "link_out"), ("hidden", "link_out")]
    assert _rejects(folder, follow_links) == links
    assert _rejects(folder / "**" / "*.html", follow_links) == links
    assert _rejects(folder / "a" / "*" / "x.html", follow_links) == [("link", "link_out")]


def test_find_inputs_name_that_is_not_utf8_can_be_stored(folder: Path) -> None:
    with open(os.fsencode(folder) + b"/caf\xe9.html", "wb") as stream:
        stream.write(b"<p>x")
    files = find_inputs([str(folder)])
    assert len(files) == 4
    assert all(file.name.encode("utf-8") for file in files)


@pytest.mark.parametrize("pattern", ["nothing", "*.warc", "a/nothing/*", "empty"])
def test_find_inputs_pattern_that_names_nothing_is_an_option_error(
    folder: Path, pattern: str
) -> None:
    (folder / "empty").mkdir()
    said = "no file in this folder" if pattern == "empty" else "no such file"
    with pytest.raises(OptionError, match=said):
        find_inputs([str(folder), str(folder / pattern)])


def test_find_inputs_url_is_an_option_error() -> None:
    with pytest.raises(OptionError, match="hdfs://bucket/x"):
        find_inputs(["hdfs://bucket/x"])


def test_find_inputs_order_of_patterns_and_of_creation_does_not_matter(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for name in ("b.html", "a.html"):
        _write(one / name)
    for name in ("c.html", "a.html"):
        _write(two / name)
    first, second = find_inputs([str(one), str(two)]), find_inputs([str(two), str(one)])
    assert first == second
    assert _names(first) == ["a.html", "a.html", "b.html", "c.html"]
    assert plan_splits(first) == plan_splits(second)


def test_plan_splits_many_pages_groups_them_and_keeps_every_file_once(tmp_path: Path) -> None:
    for number in range(130):
        _write(tmp_path / f"{number:03d}.html")
    _write(tmp_path / "lines.jsonl", '{"text": "x"}')
    files = find_inputs([str(tmp_path)])
    splits = plan_splits(files)
    assert [split.ordinal for split in splits] == list(range(len(splits)))
    assert sorted(len(split.files) for split in splits) == [1, 2, 64, 64]
    assert sorted(file.path for split in splits for file in split.files) == sorted(
        file.path for file in files
    )
    assert {split.kind for split in splits if len(split.files) == 1} == {"jsonl"}


@pytest.mark.parametrize(
    ("files", "together", "splits"), [(1, 64, 1), (129, 64, 3), (3030, 127, 24), (99_999, 256, 391)]
)
def test_files_per_split_few_pages_are_spread_and_many_are_in_larger_splits(
    files: int, together: int, splits: int
) -> None:
    assert files_per_split(files) == together
    assert len(range(0, files, together)) == splits


@pytest.mark.parametrize("rows", [0, 1, 4096, 4097, 9000])
def test_plan_splits_parquet_is_divided_into_row_ranges_without_gap(
    tmp_path: Path, rows: int
) -> None:
    pq.write_table(pa.table({"text": ["x"] * rows}), tmp_path / "t.parquet")
    splits = plan_splits(find_inputs([str(tmp_path)]))
    ranges = [(split.row_start, split.row_stop) for split in splits]
    assert [row for start, stop in ranges for row in range(start, stop)] == list(range(rows))
    assert max(stop - start for start, stop in ranges) <= 4096
    assert len(ranges) >= 1


def test_plan_splits_damaged_parquet_still_is_a_split(tmp_path: Path) -> None:
    (tmp_path / "t.parquet").write_bytes(b"PAR1 and nothing else that is true")
    (split,) = plan_splits(find_inputs([str(tmp_path)]))
    assert split.kind == "parquet"


def test_plan_splits_huge_row_group_is_in_few_splits(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"text": ["x"] * 200_000}), path, row_group_size=200_000)
    splits = plan_splits(find_inputs([str(path)]))
    assert len(splits) <= 17
    assert [row for s in splits for row in (s.row_start, s.row_stop)][-1] == 200_000


def test_find_inputs_pipe_in_a_folder_is_left_out(folder: Path) -> None:
    os.mkfifo(folder / "pipe.html")
    assert "pipe.html" not in _names(find_inputs([str(folder)]))
    with pytest.raises(OptionError):
        find_inputs([str(folder / "pipe.html")])


@pytest.mark.parametrize("pattern", ["a\0b", "\0*", "/dev/null", "x" * 5000])
def test_find_inputs_pattern_that_cannot_be_a_file_is_an_option_error(pattern: str) -> None:
    with pytest.raises(OptionError):
        find_inputs([pattern])


def test_find_inputs_name_with_control_characters_can_be_stored(folder: Path) -> None:
    _write(folder / "a\nb\x1b[1m.html")
    assert "a\ufffdb\ufffd[1m.html" in _names(find_inputs([str(folder)]))


def test_plan_splits_sitemap_gives_files_their_locations(tmp_path: Path) -> None:
    _write(tmp_path / "a.html")
    _write(tmp_path / "b.md", "# B")
    _write(tmp_path / "c.txt", "C")
    loc = "<url><loc>http://a.example/b</loc></url>"
    _write(tmp_path / "sitemap.xml", f"<?xml version='1.0'?><urlset>{loc}</urlset>")
    splits = {split.kind: split for split in plan_splits(find_inputs([str(tmp_path)]))}
    assert set(splits) == {"html", "markdown", "text", "sitemap"}
    assert [location.url for location in splits["markdown"].locations] == ["http://a.example/b"]
    assert splits["html"].locations == splits["text"].locations == ()


def test_find_inputs_link_out_of_the_folder_is_a_reject_unless_followed(
    folder: Path, tmp_path: Path
) -> None:
    secret = _write(tmp_path / "secret.html", "<p>secret")
    os.symlink(secret, folder / "a" / "link.html")
    os.symlink(folder / "z.html", folder / "a" / "within.html")
    splits = plan_splits(find_inputs([str(folder)]))
    records = [record for split in splits for record in read_split(split)]
    rejects = [record for record in records if isinstance(record, Reject)]
    assert [(reject.record_id, reject.reason) for reject in rejects] == [
        ("a/link.html", "link_out")
    ]
    assert len(records) == 4
    followed = plan_splits(find_inputs([str(folder)], follow_links=True))
    records = [record for split in followed for record in read_split(split)]
    assert b"<p>secret" in [getattr(record, "html", None) for record in records]


def test_find_inputs_link_named_outright_is_followed(folder: Path, tmp_path: Path) -> None:
    os.symlink(_write(tmp_path / "other.html"), folder / "link.html")
    (file,) = find_inputs([str(folder / "link.html")])
    assert not file.leads_out


def _store(root: Path) -> Path:
    """A store with a published build, and with the answers of an LLM."""
    _write(root / "CURRENT", "20240101T000000000Z-0123abcd")
    build = root / "builds" / "20240101T000000000Z-0123abcd"
    _write(build / "00_settings" / "build.json", "{}")
    _write(build / "70_report" / "report.html")
    _write(root / "readings" / "llm" / "shard=000" / "1.jsonl", "{}")
    _write(root / "lock" / "0000000001", "free")
    return root


@pytest.mark.parametrize("published", [True, False])
@pytest.mark.parametrize("pattern", ["", "*", "**", "**/*.html", "*/*"])
def test_find_inputs_leaves_stores_in_an_input_folder_out(
    folder: Path, pattern: str, published: bool
) -> None:
    before = _names(find_inputs([str(folder / pattern)]))
    for store in (_store(folder / "store"), _store(folder / "a" / "store")):
        if not published:
            (store / "CURRENT").unlink()

    assert _names(find_inputs([str(folder / pattern)])) == before


def test_find_inputs_leaves_out_what_the_store_has_before_its_first_build(folder: Path) -> None:
    _write(folder / "lock" / "0000000001")
    _write(folder / "readings" / "x.html")
    others = ["a/b.html", "a/c/d.html.gz", "lock/0000000001", "readings/x.html", "z.html"]

    assert _names(find_inputs([str(folder)])) == others
    assert _names(find_inputs([str(folder)], store=folder / "a")) == others
    inside = find_inputs([str(folder)], store=folder / "a" / ".." / ".." / "in")
    assert _names(inside) == ["a/b.html", "a/c/d.html.gz", "z.html"]


def test_find_inputs_takes_files_of_a_store_that_are_named(folder: Path) -> None:
    store = _store(folder / "store")
    report = store / "builds" / "20240101T000000000Z-0123abcd" / "70_report"

    assert _names(find_inputs([str(report)])) == ["report.html"]
    assert _names(find_inputs([str(store / "CURRENT")])) == ["CURRENT"]
    with pytest.raises(OptionError, match="no file in this folder"):
        find_inputs([str(store)])


def test_find_inputs_empty_pattern_is_not_the_current_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert find_inputs(["."])
    with pytest.raises(OptionError, match="--input: a pattern is empty"):
        find_inputs([str(folder), ""])
