"""Pages in rows of Parquet files."""

from __future__ import annotations

import mmap
import subprocess
import sys
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.schemas.parquet_footers import checked_metadata
from factmill.schemas.parquet_pages import decoded_sizes
from factmill.transforms.inputs import parquet_rows
from factmill.transforms.inputs.discovery import find_inputs, plan_splits
from factmill.transforms.inputs.parquet_rows import read_parquet
from factmill.transforms.inputs.raw_page import MAX_PAGE_BYTES, RawPage
from factmill.transforms.inputs.read_split import read_split
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
@settings(max_examples=15)
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


_YEARS_IN_TICKS = {"s": 10**12, "ms": 10**17, "us": 10**18}


@pytest.mark.parametrize("unit", _YEARS_IN_TICKS)
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("zone", ["UTC", None])
def test_read_parquet_time_outside_the_calendar_is_no_time(
    tmp_path: Path, unit: str, sign: int, zone: str | None
) -> None:
    ticks = [0, sign * _YEARS_IN_TICKS[unit], None]
    times = pa.array(ticks, pa.int64()).view(pa.timestamp(unit, zone))
    table = pa.table({"text": list("abc"), "fetched_at": times, "id": times})
    pq.write_table(table, tmp_path / "t.parquet")
    found = [page_in(page) for page in read_parquet(tmp_path / "t.parquet", "t", 0, 3)]
    when = datetime(1970, 1, 1, tzinfo=timezone.utc)
    assert [page.fetched_at for page in found] == [when, None, None]
    assert [page.source_id for page in found[1:]] == ["t:1", "t:2"]


_DATES = (pa.date32(), "fetched_at")


@pytest.mark.parametrize("name", ["fetched_at", "id"])
@pytest.mark.parametrize("kind", [pa.date32(), pa.duration("ns"), pa.time64("ns")])
def test_read_parquet_values_that_python_lacks_do_not_cost_the_rows(
    tmp_path: Path, kind: pa.DataType, name: str
) -> None:
    width = pa.int32() if kind == pa.date32() else pa.int64()
    values = pa.array([0, 2**31 - 1], width).view(kind)
    pq.write_table(pa.table({"text": ["a", "b"], name: values}), tmp_path / "t.parquet")
    found = [page_in(page) for page in read_parquet(tmp_path / "t.parquet", "t", 0, 2)]
    assert [page.text for page in found] == ["a", "b"]
    day = datetime(1970, 1, 1, tzinfo=timezone.utc) if (kind, name) == _DATES else None
    assert [page.fetched_at for page in found] == [day, None]
    assert len({page.source_id for page in found}) == 2


@pytest.mark.parametrize("zone", ["Pacific Standard Time", "Europe/Oslo", "+02:00"])
def test_read_parquet_time_of_any_zone_is_its_instant(tmp_path: Path, zone: str) -> None:
    times = pa.array([1_687_278_602_000_000], pa.int64()).view(pa.timestamp("us", zone))
    pq.write_table(pa.table({"text": ["a"], "fetched_at": times}), tmp_path / "t.parquet")
    (found,) = read_parquet(tmp_path / "t.parquet", "t", 0, 1)
    assert page_in(found).fetched_at == datetime(2023, 6, 20, 16, 30, 2, tzinfo=timezone.utc)


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


def test_read_parquet_nested_columns_cost_no_page(tmp_path: Path) -> None:
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


# Reads files and prints what became of their rows, and by how many megabytes that raised the
# largest memory of the process. What libraries take before differs between machines.
READ_IN_CHILD = """
import re, sys
from collections import Counter
from pathlib import Path
from factmill.transforms.inputs.parquet_rows import read_parquet
def peak():
    # Unlike ru_maxrss, it does not count what the parent had before this program began.
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", status)[1]) // 1000
before = peak()
for path in sys.argv[1:]:
    print(*Counter(one.reason for one in read_parquet(Path(path), "t", 0, 400)).items())
print(peak() - before)
"""


def test_read_parquet_values_that_rows_share_are_not_held_for_each(tmp_path: Path) -> None:
    """In a dictionary, and by taking over the value before."""
    value = "x" * (MAX_PAGE_BYTES + 1)
    shared, repeated = tmp_path / "shared.parquet", tmp_path / "repeated.parquet"
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 40, pa.int32()), pa.array([value]))
    pq.write_table(pa.table({"text": column}), shared, compression="zstd")
    pq.write_table(
        pa.table({"text": [value] * 40}), repeated, compression="zstd", use_dictionary=False,
        column_encoding={"text": "DELTA_BYTE_ARRAY"}, write_statistics=False,
    )  # fmt: skip
    assert max(shared.stat().st_size, repeated.stat().st_size) < 5000
    child = [sys.executable, "-c", READ_IN_CHILD, str(shared), str(repeated)]
    printed = subprocess.run(child, capture_output=True, text=True, check=True).stdout
    *found, taken = printed.splitlines()
    assert found == ["('too_large', 40)"] * 2
    assert int(taken) < 800  # 470 to 490; 1,575 if each row had a value of its own


def test_read_parquet_row_group_with_too_large_pages_is_a_reject_and_the_next_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_rows, "_MAX_HELD_BYTES", 100_000)
    path = tmp_path / "t.parquet"
    text = ["a", "b", "x" * 100_000, "c", "d", "e"]
    pq.write_table(pa.table({"text": text}), path, row_group_size=2, use_dictionary=False)
    one, two, large, *rest = read_parquet(path, "t", 0, 5)
    assert [page_in(found).text for found in (one, two, *rest)] == ["a", "b", "d"]
    assert rejected(large, "too_large").record_id == "t:2"
    assert "2 rows whose pages take 1000" in large.detail


def _zigzag(number: int, width: int = 0) -> bytes:
    """As Thrift writes a number that is not below 0, in so many bytes."""
    number *= 2
    written = bytearray()
    while number > 127 or len(written) + 1 < width:
        written.append(number & 127 | 128)
        number >>= 7
    return bytes([*written, number])


def test_decoded_sizes_are_those_of_page_headers_whatever_the_footer_says(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    text = [letter * 90_001 for letter in "abcdefghij"]
    pq.write_table(
        pa.table({"text": text}), path, use_dictionary=False, write_batch_size=1,
        data_page_size=50_000,
    )  # fmt: skip
    footer = pq.read_metadata(path).row_group(0)
    content = path.read_bytes()
    for size in (footer.total_byte_size, footer.column(0).total_uncompressed_size):
        claimed = _zigzag(size)
        content = content.replace(claimed, _zigzag(1, len(claimed)))
    path.write_bytes(content)
    column = pq.read_metadata(path).row_group(0).column(0)
    assert column.total_uncompressed_size == 1
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        sizes = decoded_sizes(data, column)
    assert sum(map(len, text)) < sizes.total < sum(map(len, text)) + 1000
    assert max(map(len, text)) < sizes.held < sizes.total
    assert sizes.shared == 0
    pages = [page_in(one) for one in read_parquet(path, "t", 0, 10)]
    assert [page.text for page in pages] == text


@given(st.data())
@settings(max_examples=60)
def test_decoded_sizes_of_damaged_headers_are_sizes_or_a_value_error(
    grouped: Path, data: st.DataObject
) -> None:
    column = pq.read_metadata(grouped).row_group(0).column(0)
    content = bytearray(grouped.read_bytes())
    for _ in range(3):
        content[data.draw(st.integers(0, 60))] = data.draw(st.integers(0, 255))
    with mmap.mmap(-1, len(content)) as mapped:
        mapped.write(content)
        with suppress(ValueError):
            assert decoded_sizes(mapped, column).held >= 0


def test_read_parquet_page_header_whose_kind_is_a_struct_is_a_reject(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"text": ["Row."]}), path)
    content = bytearray(path.read_bytes())
    content[4:6] = b"\x1c\x00"
    path.write_bytes(content)
    (found,) = read_parquet(path, "t", 0, 1)
    rejected(found, "broken_file")


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("dictionary", [True, False])
def test_decoded_sizes_of_pages_of_both_versions(
    tmp_path: Path, version: str, dictionary: bool
) -> None:
    path = tmp_path / "t.parquet"
    table = pa.table({"text": ["x" * 5000, None, "x" * 5000] * 9})
    encoding = {} if dictionary else {"column_encoding": {"text": "DELTA_BYTE_ARRAY"}}
    pq.write_table(
        table, path, data_page_version=version, use_dictionary=dictionary, compression="zstd",
        **encoding,
    )  # fmt: skip
    column = pq.read_metadata(path).row_group(0).column(0)
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        sizes = decoded_sizes(data, column)
    assert 5000 < sizes.shared <= sizes.total == sizes.held < 6000


@pytest.mark.parametrize("dictionary", [True, False])
def test_read_parquet_row_that_is_not_utf_8_costs_no_other_row(
    tmp_path: Path, dictionary: bool
) -> None:
    path = tmp_path / "t.parquet"
    values = pa.array([b"Row 0.", b"Row \xff.", None, b"Row 3."])
    texts = pa.Array.from_buffers(pa.string(), len(values), values.buffers())
    pq.write_table(pa.table({"text": texts}), path, use_dictionary=dictionary)
    found = list(read_parquet(path, "t", 0, 4))
    assert [page_in(found[row]).text for row in (0, 3)] == ["Row 0.", "Row 3."]
    assert rejected(found[1], "bad_record").record_id == "t:1"
    assert "utf-8" in rejected(found[1], "bad_record").detail
    assert rejected(found[2], "bad_record").record_id == "t:2"
    assert len(found) == 4


def _forged(path: Path, levels: int, rows: int) -> None:
    """A table of no row group with a column of text in so many groups, that claims so many rows."""
    group = b"\x35\x02\x18\x01a\x15\x02\x00"  # repetition, name, one child
    text = b"\x15\x0c\x25\x00\x18\x04text\x25\x00\x00"
    columns = b"\xfc" + _varint(levels + 1) + group * levels + text
    footer = b"\x15\x02\x19" + columns + b"\x16" + _zigzag(rows) + b"\x19\x0c\x00"
    path.write_bytes(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1")


def _varint(number: int) -> bytes:
    return bytes([number & 127 | 128, number >> 7 & 127 | 128, number >> 14])


def test_find_inputs_parquet_with_columns_nested_deeply_is_a_reject(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    _forged(path, 30_000, 1)
    (split,) = plan_splits(find_inputs([str(path)]))
    (found,) = read_split(split)
    assert "nested" in rejected(found, "broken_file").detail


def test_plan_splits_rows_that_no_row_group_has_make_no_splits(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    _forged(path, 1, 1_000_000_000)
    assert pq.read_metadata(path).num_rows == 1_000_000_000
    assert len(plan_splits(find_inputs([str(path)]))) == 1


def test_check_footer_takes_what_arrow_writes(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    nested = pa.array([[{"a": {"b": [True]}}], None])
    columns = {f"c{number}": nested for number in range(60)} | {"text": ["One.", "Two."]}
    pq.write_table(pa.table(columns), path, row_group_size=1)
    with open(path, "rb") as file:
        assert checked_metadata(file).num_row_groups == 2
    assert [page_in(one).text for one in read_parquet(path, "t", 0, 2)] == ["One.", "Two."]
