"""Pages in JSON: lines, arrays, and records with results of a search."""

from __future__ import annotations

import bz2
import gzip
import json
import sys
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.schemas.records import Reject
from factmill.transforms.inputs import compression, json_values
from factmill.transforms.inputs import json_records as records
from factmill.transforms.inputs.json_records import page_of, read_json, read_jsonl
from factmill.transforms.inputs.json_values import elements, string_bytes, too_many_values
from factmill.transforms.inputs.raw_page import MAX_PAGE_BYTES, RawPage
from tests.transforms.inputs.found import page_in, rejected

Pack = Callable[[bytes], bytes]


def _jsonl(path: Path, *lines: Any) -> list[RawPage | Reject]:
    raw = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    path.write_bytes(b"\n".join(raw))
    return list(read_jsonl(path, "x.jsonl"))


def test_read_jsonl_broken_line_is_a_reject_and_the_rest_is_read(tmp_path: Path) -> None:
    first, bad, last = _jsonl(
        tmp_path / "x", {"id": "a", "text": "One."}, b'{"id": "b", "text": "Tw', {"text": "Three."}
    )
    assert page_in(first).source_id == "a"
    assert rejected(bad, "bad_json").record_id == "x.jsonl:2"
    assert page_in(last).source_id == "x.jsonl:3"
    assert page_in(last).text == "Three."


@pytest.mark.parametrize(
    ("record", "source_id"),
    [
        ({"id": b"doc7"}, "doc7"),
        ({"id": b"caf\xe9"}, "caf\ufffd"),
        ({"id": 0, "source_id": "a"}, "0"),
        ({"id": "", "source_id": "a"}, "a"),
        ({"id": None, "source_id": b"a"}, "a"),
        ({"id": "", "source_id": b""}, "x:1"),
        ({}, "x:1"),
    ],
)
def test_page_of_record_has_its_own_id_or_that_of_its_row(
    record: dict[str, object], source_id: str
) -> None:
    assert page_in(page_of({"text": "One.", **record}, "x:1")).source_id == source_id


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, zstandard.compress])
def test_read_jsonl_compressed_gives_the_same_pages(tmp_path: Path, pack: Pack) -> None:
    content = b'{"id": 1, "html": "<p>a"}\r\n\r\n{"id": 2, "text": "b"}'
    for name, raw in (("plain", content), ("packed", pack(content))):
        (tmp_path / name).write_bytes(raw)
    packed = list(read_jsonl(tmp_path / "packed", "n"))
    assert packed == list(read_jsonl(tmp_path / "plain", "n"))
    assert [page_in(page).source_id for page in packed] == ["1", "2"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"[]", "bad_record"),
        (b"null", "bad_record"),
        (b'"text"', "bad_record"),
        (b"12", "bad_record"),
        (b"{}", "bad_record"),
        (b'{"id": "a"}', "bad_record"),
        (b'{"html": 5}', "empty_body"),
        (b'{"html": ["<p>x"]}', "empty_body"),
        (b'{"text": "  \\n "}', "empty_body"),
        (b'{"html": "", "text": ""}', "empty_body"),
        (b"{'text': 'x'}", "bad_json"),
        (b"\xff\xfe\xfa", "bad_json"),
        (b'{"text": "caf\xe9"}', "bad_json"),
        (b"[" * 100_000, "bad_json"),
        (b'{"text": "x", "n": ' + b"9" * 5000 + b"}", "bad_json"),
    ],
)
def test_read_jsonl_line_that_is_no_record_is_one_reject(
    tmp_path: Path, line: bytes, reason: str
) -> None:
    before, bad, after = _jsonl(tmp_path / "x", {"text": "a"}, line, {"text": "b"})
    rejected(bad, reason)
    assert (page_in(before).text, page_in(after).text) == ("a", "b")


def test_page_of_fields_of_a_wrong_type_are_left_out() -> None:
    page = page_in(page_of({"id": 7, "url": 5, "title": ["x"], "text": "A.", "html": None}, "r"))
    assert page == RawPage("7", text="A.")


@pytest.mark.parametrize(
    ("record", "expected"),
    [({"id": "a", "source_id": "b"}, "a"), ({"source_id": "b"}, "b"), ({}, "r"), ({"id": 0}, "0")],
)
def test_page_of_id_is_its_own_or_that_of_the_line(record: dict[str, Any], expected: str) -> None:
    assert page_in(page_of(record | {"text": "A."}, "r")).source_id == expected


def test_page_of_html_and_text_takes_html_unless_it_is_blank() -> None:
    assert page_in(page_of({"html": "<p>a", "text": "b"}, "r")).html == "<p>a"
    assert page_in(page_of({"html": " ", "text": "b"}, "r")).text == "b"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2023-06-20T16:30:02Z", datetime(2023, 6, 20, 16, 30, 2, tzinfo=timezone.utc)),
        ("2023-06-20T18:30:02+02:00", datetime(2023, 6, 20, 16, 30, 2, tzinfo=timezone.utc)),
        ("2023-06-20", datetime(2023, 6, 20, tzinfo=timezone.utc)),
        ("Tue, 20 Jun 2023 16:30:02 GMT", datetime(2023, 6, 20, 16, 30, 2, tzinfo=timezone.utc)),
        (datetime(2023, 6, 20, 16), datetime(2023, 6, 20, 16, tzinfo=timezone.utc)),
        ("yesterday", None),
        ("", None),
        (12, None),
        (None, None),
    ],
)
def test_page_of_fetched_at_is_utc_or_none(value: object, expected: datetime | None) -> None:
    page = page_in(page_of({"text": "A.", "fetched_at": value}, "r"))
    assert page.fetched_at == expected
    assert page.fetched_at is None or page.fetched_at.utcoffset() == timedelta(0)


@pytest.mark.parametrize(
    "value",
    [
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
        "Mon, 99999999999999999999 Jan 2020 10:00:00 GMT",
        "Thu, 01 Jan 1970 00:00:00 +99999999999999",
    ],
)
def test_page_of_time_out_of_range_is_no_time(value: str) -> None:
    assert page_in(page_of({"text": "A.", "fetched_at": value}, "r")).fetched_at is None


@given(st.one_of(st.text(max_size=40), st.datetimes(), st.integers(), st.floats(), st.booleans()))
@settings(max_examples=200)
def test_page_of_any_time_never_raises(value: object) -> None:
    assert isinstance(page_of({"text": "A.", "fetched_at": value}, "r"), RawPage)


@pytest.mark.parametrize("field", ["html", "text"])
def test_page_of_document_over_the_limit_is_a_reject(field: str) -> None:
    assert isinstance(page_of({field: "x" * MAX_PAGE_BYTES}, "r"), RawPage)
    rejected(page_of({field: "x" * (MAX_PAGE_BYTES + 1)}, "r"), "too_large")


def test_read_jsonl_lone_surrogates_leave_nothing_that_cannot_be_stored(tmp_path: Path) -> None:
    line = rb'{"id": "i\ud800", "url": "http://a.example/\udfff", "title": "t\ud800", "text": "A."}'
    (page,) = _jsonl(tmp_path / "x", line)
    for value in (page_in(page).source_id, page_in(page).url):
        assert value.encode("utf-8")


def test_read_jsonl_line_over_the_limit_is_a_reject_and_the_next_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "MAX_LINE_BYTES", 50)
    found = _jsonl(
        tmp_path / "x",
        {"text": "short"}, {"text": "x" * 500}, {"text": "also short"}, {"text": "y" * 90},
    )  # fmt: skip
    assert page_in(found[0]).text == "short"
    assert rejected(found[1], "too_large").record_id == "x.jsonl:2"
    assert page_in(found[2]).source_id == "x.jsonl:3"
    assert rejected(found[3], "too_large").record_id == "x.jsonl:4"
    assert len(found) == 4


def test_read_jsonl_truncated_gzip_gives_what_came_before_and_one_reject(tmp_path: Path) -> None:
    lines = b"".join(b'{"id": %d, "text": "A sentence."}\n' % n for n in range(60_000))
    packed = gzip.compress(lines)
    path = tmp_path / "x.jsonl.gz"
    path.write_bytes(packed[: len(packed) // 2])
    *pages, last = read_jsonl(path, "x")
    assert [page_in(page).source_id for page in pages] == [str(n) for n in range(len(pages))]
    assert len(pages) > 15_000
    assert rejected(last, "broken_file").record_id == "x"


def _crag_line(**changes: Any) -> dict[str, Any]:
    results = [
        {
            "page_name": f"Name {n}",
            "page_url": f"https://site.example/{n}",
            "page_result": f"<html><p>Page {n}</p></html>",
            "page_snippet": "not read",
            "page_last_modified": "Tue, 20 Jun 2023 16:30:02 GMT" if n else None,
        }
        for n in range(5)
    ]
    results[2]["page_result"] = "  "
    results[3] = {"page_name": "no result"}
    return {"interaction_id": "q-1", "query": "who?", "search_results": results} | changes


def test_read_jsonl_crag_record_gives_each_result_as_page_or_reject(tmp_path: Path) -> None:
    found = _jsonl(tmp_path / "x", _crag_line())
    assert len(found) == 5
    assert page_in(found[0]) == RawPage(
        "q-1/0", "https://site.example/0", "Name 0", "<html><p>Page 0</p></html>"
    )
    assert page_in(found[1]).fetched_at == datetime(2023, 6, 20, 16, 30, 2, tzinfo=timezone.utc)
    assert rejected(found[2], "empty_body").url == "https://site.example/2"
    assert rejected(found[3], "bad_record").record_id == "q-1/3"
    assert page_in(found[4]).source_id == "q-1/4"


def test_read_jsonl_crag_record_without_id_is_named_by_its_line(tmp_path: Path) -> None:
    found = _jsonl(tmp_path / "x", {"text": "a"}, _crag_line(interaction_id=None))
    assert page_in(found[1]).source_id == "x.jsonl:2/0"


def test_read_jsonl_crag_results_of_wrong_types_are_rejects(tmp_path: Path) -> None:
    found = _jsonl(tmp_path / "x", _crag_line(search_results=[None, "x", {"page_result": 5}]))
    assert [rejected(one, "bad_record").record_id for one in found] == ["q-1/0", "q-1/1", "q-1/2"]


def test_page_of_overlong_title_url_or_id_is_a_reject() -> None:
    for field in ("title", "url", "id"):
        record = {"text": "The tide.", field: "x" * 200_000}
        assert rejected(page_of(record, "t:1"), "too_large").record_id == "t:1"


def _json(path: Path, content: bytes) -> list[RawPage | Reject]:
    path.write_bytes(content)
    return list(read_json(path, "x.json"))


def test_read_json_array_is_read_like_lines(tmp_path: Path) -> None:
    lines = [{"id": "a", "text": "One."}, 5, {"text": "Three ] , ["}, _crag_line()]
    expected = [str(one) for one in _jsonl(tmp_path / "x", *lines)]
    for content in (json.dumps(lines), json.dumps(lines, indent=2), "\ufeff " + json.dumps(lines)):
        found = _json(tmp_path / "y", content.encode())
        assert [str(one).replace("x.json:", "x.jsonl:") for one in found] == list(
            map(str, expected)
        )


@pytest.mark.parametrize(
    ("content", "pages"),
    [
        (b'[{"text": "a"}, {"text": "b"', 1),
        (b'[{"text": "a"}, {"text": "b"}', 2),
        (b'[{"text": "a"}] more', 1),
        (b'[{"text": "a"} {"text": "b"}]', 2),
        (b'[{"text": "a"}, oops]', 1),
        (b"[" + b"[" * 100_000, 0),
        (b'[{"text": "\xff"}]', 0),
    ],
)
def test_read_json_broken_array_gives_what_came_before(
    tmp_path: Path, content: bytes, pages: int
) -> None:
    found = _json(tmp_path / "x", content)
    assert [isinstance(one, RawPage) for one in found[:pages]] == [True] * pages
    assert all(isinstance(one, Reject) for one in found[pages:])


def test_read_json_array_over_the_limit_is_a_reject(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "MAX_LINE_BYTES", 50)
    (found,) = _json(tmp_path / "x", json.dumps([{"text": "x" * 60}]).encode())
    rejected(found, "too_large")
    assert _json(tmp_path / "x", b"[ ]") == []


def test_read_jsonl_that_decompresses_without_end_is_a_reject(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compression, "expanded_limit", lambda size: 1000 * size)
    for pack in (bz2.compress, zstandard.compress):
        (tmp_path / "x").write_bytes(pack(b'{"text": "a"}\n' + b"\n" * 3_000_000))
        first, last = read_jsonl(tmp_path / "x", "x")
        assert page_in(first).text == "a"
        assert "decompresses" in rejected(last, "broken_file").detail


@pytest.mark.parametrize("as_array", [True, False])
def test_record_with_too_many_values_is_a_reject(tmp_path: Path, as_array: bool) -> None:
    page = b'{"text": "One page.", "id": "a"}'
    bomb = b'{"text": "x", "a": [' + b"{}," * 3_000_000 + b"0]}"
    path = tmp_path / ("t.json" if as_array else "t.jsonl")
    records_ = (page, bomb, page)
    path.write_bytes(b"[" + b",".join(records_) + b"]" if as_array else b"\n".join(records_))
    first, bad, last = (read_json if as_array else read_jsonl)(path, "t")
    assert "too many values" in rejected(bad, "too_large").detail
    assert rejected(bad, "too_large").record_id == "t:2"
    assert page_in(first).source_id == page_in(last).source_id == "a"


@pytest.mark.parametrize("as_array", [True, False])
@pytest.mark.parametrize("wide", ["\U0001f600".encode(), rb"\ud83d\ude00"])
def test_record_whose_strings_take_much_memory_is_a_reject(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wide: bytes, as_array: bool
) -> None:
    # A width of four bytes for all characters, because of one.
    page = b'{"text": "One page.", "id": "a"}'
    plain = b'{"id": "b", "text": "x", "more": "' + b"x" * 9_000_000 + b'"}'
    bomb = b'{"id": "c", "text": "x", "more": "' + b"x" * 9_000_000 + wide + b'"}'
    lines = (page, plain, bomb, page)
    path = tmp_path / "t"
    path.write_bytes(b"[" + b",".join(lines) + b"]" if as_array else b"\n".join(lines))
    monkeypatch.setattr(records, "MAX_LINE_BYTES", 30_000_000)
    *first, bad, last = (read_json if as_array else read_jsonl)(path, "t")
    assert [page_in(one).source_id for one in (*first, last)] == ["a", "b", "a"]
    assert rejected(bad, "too_large").record_id == "t:3"
    assert "as text" in rejected(bad, "too_large").detail


@pytest.mark.parametrize("text", ["x\u00e9", "x\u4e2d", "x\U0001f600", "\\ud83d", "\\\u4e2d\n"])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_string_bytes_are_at_least_those_of_the_string(
    monkeypatch: pytest.MonkeyPatch, text: str, ascii_only: bool
) -> None:
    monkeypatch.setattr(json_values, "_HARMLESS_BYTES", 0)
    monkeypatch.setattr(json_values, "_BLOCK_BYTES", 7)
    long = text * 1000
    line = json.dumps({"t": long}, ensure_ascii=ascii_only)
    header = sys.getsizeof("\U0001f600") - 4
    taken = max(sys.getsizeof(long), sys.getsizeof(line)) - header
    assert taken - header <= string_bytes(line.encode()) <= 2 * taken


def test_read_jsonl_long_record_with_few_values_is_a_page(tmp_path: Path) -> None:
    text = 'Words, "quoted", \\ and [{brackets}, {}]. ' * 250_000
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps({"text": text}))
    (found,) = read_jsonl(path, "t")
    assert page_in(found).text == text


def test_too_many_values_counts_those_of_each_element_across_blocks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in (("_HARMLESS_BYTES", 0), ("_BLOCK_BYTES", 7), ("_MAX_VALUES", 5)):
        monkeypatch.setattr(json_values, name, value)
    record = b'{"text": "A, [{\\"", "b": [1]}'
    assert not too_many_values(record * 20)
    assert too_many_values(b"[" + record * 20 + b"]")
    assert too_many_values(record * 20 + b"[1, 2, 3, 4, 5, 6]")


@given(st.lists(st.recursive(st.text('a,"\\[]{}', max_size=5), st.lists, max_leaves=5)))
def test_elements_are_those_of_the_array(values: list[Any]) -> None:
    array = json.dumps(values).encode()[1:]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_values, "_BLOCK_BYTES", 3)
        *parts, last = elements(array)
    assert b",".join([*parts, last]) == array
    assert [json.loads(part) for part in parts] == values[:-1]
    assert [json.loads(last[:-1])] == values[-1:] if values else last == b"]"


@pytest.mark.parametrize(
    ("content", "pages"),
    [
        (b'[{"text": "a"},, {"text": "b"}]', 1),
        (b'[{"text": "a"}], {"text": "b"}]', 1),
        (b'[{"text": "a"},', 1),
        (b'[{"text": "a"}, {"text": "\xff"}, {"text": "c"}]', 1),
        (b'[{"text": "a"}, {"text": "b}, {"text": "c"}]', 1),
    ],
)
def test_read_json_what_follows_a_bad_element_is_one_reject(
    tmp_path: Path, content: bytes, pages: int
) -> None:
    *read, bad = _json(tmp_path / "x", content)
    assert len([page_in(one) for one in read]) == pages
    rejected(bad, "bad_json")


def test_read_json_id_nested_deeply_is_not_an_id(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    for depth in range(850, 1000):
        path.write_text('[{"text": "One.", "id": ' + "[" * depth + "]" * depth + "}]")
        (found,) = read_json(path, "t")
        assert isinstance(found, Reject) or found.source_id == "t:1"
