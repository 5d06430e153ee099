"""Pages in rows of Parquet files."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.transforms.inputs.json_and_parquet import read_parquet
from factmill.transforms.inputs.raw_page import MAX_PAGE_BYTES, RawPage
from tests.transforms.inputs.found import page_in, rejected

ROWS = 1300

GROUPS = (1, 7, 512, 600, 5000)


@pytest.fixture(scope="module", params=GROUPS)
def grouped(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("parquet") / "t.parquet"
    table = pa.table(
        {"text": [f"Row {n}." for n in range(ROWS)], "unused": list(range(ROWS)), "id": range(ROWS)}
    )
    pq.write_table(table, path, row_group_size=request.param)
    return path


@given(st.integers(0, ROWS), st.integers(0, ROWS))
@settings(max_examples=15, deadline=None)
def test_read_parquet_row_range_gives_exactly_its_rows(grouped: Path, one: int, two: int) -> None:
    start, stop = min(one, two), max(one, two)
    found = [page_in(page) for page in read_parquet(grouped, "t", start, stop)]
    assert [page.source_id for page in found] == [str(n) for n in range(start, stop)]
    assert [page.text for page in found] == [f"Row {n}." for n in range(start, stop)]


def test_read_parquet_without_ids_names_rows_by_their_number(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    table = pa.table({"html": pa.array([b"<p>a", b"", None, b"<p>b"], pa.binary())})
    pq.write_table(table, path, row_group_size=2)
    found = list(read_parquet(path, "n.parquet", 1, 4))
    assert rejected(found[0], "empty_body").record_id == "n.parquet:1"
    rejected(found[1], "bad_record")
    assert page_in(found[2]) == RawPage("n.parquet:3", html=b"<p>b")
    assert len(found) == 3


def test_read_parquet_other_columns_are_read_as_of_a_record(tmp_path: Path) -> None:
    when = datetime(2023, 6, 20, 16, 30, 2, tzinfo=timezone.utc)
    row = {
        "id": "a", "url": "http://a.example/", "title": "T", "text": "Some text.",
        "fetched_at": when,
    }  # fmt: skip
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "t.parquet")
    (page,) = read_parquet(tmp_path / "t.parquet", "t", 0, 1)
    assert page == RawPage("a", "http://a.example/", "T", text="Some text.", fetched_at=when)


def test_read_parquet_times_in_nanoseconds_do_not_cost_the_rows(tmp_path: Path) -> None:
    times = pa.array([1_687_278_602_000_000_001, 1_687_278_602_000_000_000], pa.timestamp("ns"))
    pq.write_table(pa.table({"text": ["a", "b"], "fetched_at": times}), tmp_path / "t.parquet")
    found = list(read_parquet(tmp_path / "t.parquet", "t", 0, 2))
    assert [page_in(page).text for page in found] == ["a", "b"]


def test_read_parquet_without_html_or_text_is_one_reject_for_all_splits(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"body": ["x"] * 10}), path)
    found = [*read_parquet(path, "t", 0, 5), *read_parquet(path, "t", 5, 10)]
    assert len(found) == 1
    assert "html" in rejected(found[0], "bad_record").detail


@pytest.mark.parametrize("cut", [5, 200, -9])
def test_read_parquet_cut_off_is_a_reject(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"text": [f"Row {n}" for n in range(100)]}), path)
    path.write_bytes(path.read_bytes()[:cut])
    (found,) = read_parquet(path, "t", 0, 100)
    rejected(found, "broken_file")


def test_read_parquet_damaged_row_group_keeps_the_rows_before_it(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    table = pa.table({"text": [f"Row {n} with its own words" for n in range(100)]})
    pq.write_table(table, path, row_group_size=50, compression="zstd", use_dictionary=False)
    offset = pq.read_metadata(path).row_group(1).column(0).data_page_offset
    raw = bytearray(path.read_bytes())
    raw[offset : offset + 60] = b"\xff" * 60
    path.write_bytes(bytes(raw))
    *pages, last = read_parquet(path, "t", 0, 100)
    assert [page_in(page).text for page in pages] == table["text"].to_pylist()[:50]
    rejected(last, "broken_file")


@pytest.mark.parametrize("kind", ["list", "struct", "number"])
def test_read_parquet_column_that_holds_no_text_is_one_reject(tmp_path: Path, kind: str) -> None:
    values = {"list": [["<p>a"]], "struct": [{"a": "<p>"}], "number": [5]}[kind]
    pq.write_table(pa.table({"html": values}), tmp_path / "t.parquet")
    (found,) = read_parquet(tmp_path / "t.parquet", "t", 0, 1)
    rejected(found, "bad_record")


def test_read_parquet_nested_columns_cost_nopage_in(tmp_path: Path) -> None:
    table = pa.table({"id": [["a"]], "html": [["<p>"]], "text": ["Some text."], "url": [{"a": 1}]})
    pq.write_table(table, tmp_path / "t.parquet")
    (page,) = read_parquet(tmp_path / "t.parquet", "t", 0, 1)
    assert page == RawPage("t:0", text="Some text.")


@pytest.mark.parametrize(
    "kind",
    [pa.binary(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())],
)
def test_read_parquet_text_of_any_type_is_read(tmp_path: Path, kind: pa.DataType) -> None:
    text = pa.array(["Fähre", "Hafen"]).cast(kind)
    pq.write_table(pa.table({"text": text, "title": text}), tmp_path / "t.parquet")
    pages = [page_in(one) for one in read_parquet(tmp_path / "t.parquet", "t", 0, 2)]
    assert [(page.title, page.text) for page in pages] == [("Fähre", "Fähre"), ("Hafen", "Hafen")]


def test_read_parquet_large_rows_are_decoded_a_few_at_a_time(tmp_path: Path) -> None:
    text = [f"{n}" + "x" * 1_000_000 for n in range(200)]
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"text": text}), path, use_dictionary=False, write_batch_size=1)
    del text
    before = peak = pa.total_allocated_bytes()
    for number, found in enumerate(read_parquet(tmp_path / "t.parquet", "t", 0, 200)):
        assert page_in(found).source_id == f"t:{number}"
        peak = max(peak, pa.total_allocated_bytes())
    assert number == 199
    assert peak - before < 120_000_000


# Reads the file and prints what became of it, and the process's largest memory in megabytes.
READ_IN_CHILD = """
import re, sys
from collections import Counter
from pathlib import Path
from factmill.transforms.inputs.json_and_parquet import read_parquet
found = Counter(one.reason for one in read_parquet(Path(sys.argv[1]), "t", 0, 400))
# Unlike ru_maxrss, it does not count what the parent had before this program began.
peak = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())
print(*found.items(), int(peak[1]) // 1000)
"""


def test_read_parquet_value_that_rows_share_is_not_held_for_each(tmp_path: Path) -> None:
    path = tmp_path / "bomb.parquet"
    shared = pa.array(["x" * (MAX_PAGE_BYTES + 1)])
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 400, pa.int32()), shared)
    pq.write_table(pa.table({"text": column}), path, compression="zstd")
    child = [sys.executable, "-c", READ_IN_CHILD, str(path)]
    printed = subprocess.run(child, capture_output=True, text=True, check=True).stdout
    assert printed.startswith("('too_large', 400) ")
    assert int(printed.split()[-1]) < 900
