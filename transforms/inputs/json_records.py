"""JSON lines and JSON arrays as raw pages, including CRAG question files.

A record has `html` or `text`, and may have `id`, `url` and `title`. A CRAG record has
`search_results`, each of which is a page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from factmill.models.text.urls import canonical_url_of
from factmill.schemas.records import Reject
from factmill.transforms.inputs.compression import DAMAGED, open_bytes
from factmill.transforms.inputs.json_values import elements, string_bytes, too_many_values
from factmill.transforms.inputs.raw_page import (
    MAX_PAGE_BYTES,
    RawPage,
    clean_id,
    clean_title,
    unreadable,
)
from factmill.transforms.inputs.timestamps import utc_time

# A CRAG line holds five pages.
MAX_LINE_BYTES = 8 * MAX_PAGE_BYTES
_SPACES = re.compile(r"[ \t\r\n]*")
# Ids, URLs and titles are stored with every page; the longest real ones have a few thousand
# characters.
_MAX_FIELD_CHARACTERS = 100_000


def read_jsonl(path: Path, name: str) -> Iterator[RawPage | Reject]:
    """The pages of a JSON-lines file; a bad line is a reject, and reading continues."""
    number = 0
    try:
        with open_bytes(path) as stream:
            for number, line in _lines(stream):
                record_id = f"{name}:{number}"
                if line is None:
                    yield unreadable(record_id, "too_large", f"line over {MAX_LINE_BYTES} bytes")
                elif why := _too_large(line):
                    yield unreadable(record_id, "too_large", why)
                elif line.strip():
                    yield from _parse_line(line, record_id)
    except DAMAGED as error:
        yield unreadable(name, "broken_file", f"after line {number}: {error}")


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Numbered lines; None for one that is too long."""
    number = 0
    while line := stream.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(line) > MAX_LINE_BYTES:
            while line and not line.endswith(b"\n"):
                line = stream.readline(MAX_LINE_BYTES)
            yield number, None
        else:
            yield number, line


def _too_large(record: bytes) -> str:
    """Why a record would take too much memory, "" if it would not."""
    if too_many_values(record):
        return "a record with too many values"
    if string_bytes(record) > MAX_LINE_BYTES:
        return f"a record that takes over {MAX_LINE_BYTES} bytes as text"
    return ""


def read_json(path: Path, name: str) -> Iterator[RawPage | Reject]:
    """The pages of a file with one JSON array; everything after a bad element is one reject."""
    try:
        with open_bytes(path) as stream:
            raw = stream.read(MAX_LINE_BYTES + 1)
    except DAMAGED as error:
        yield unreadable(name, "broken_file", error)
        return
    if len(raw) > MAX_LINE_BYTES:
        yield unreadable(name, "too_large", f"an array over {MAX_LINE_BYTES} bytes; use lines")
        return
    number, end = 0, ""
    # Decoded by element: one emoji makes four bytes of every character beside it.
    parts = elements(raw.partition(b"[")[2])
    for part in parts:
        if why := _too_large(part):
            number += 1
            yield unreadable(f"{name}:{number}", "too_large", why)
            end = "]"  # if it is the last
            continue
        try:
            text = part.decode()
        except UnicodeDecodeError as error:
            yield unreadable(f"{name}:{number + 1}", "bad_json", error)
            return
        position, end = _after_spaces(text, 0), ""
        if position == len(text):
            break
        while text[position : position + 1] not in ("]", ""):
            number += 1
            try:
                record, position = json.JSONDecoder().raw_decode(text, position)
            except (ValueError, RecursionError) as error:
                yield unreadable(f"{name}:{number}", "bad_json", error)
                return
            yield from _pages_of(record, f"{name}:{number}")
            position = _after_spaces(text, position)
        if end := text[position:]:
            break
    if end.strip() != "]" or next(parts, None) is not None:
        yield unreadable(name, "bad_json", f"the array does not end after element {number}")


def _after_spaces(text: str, position: int) -> int:
    match = _SPACES.match(text, position)
    return match.end() if match else position


def _parse_line(line: bytes, record_id: str) -> Iterator[RawPage | Reject]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        yield unreadable(record_id, "bad_json", error)
        return
    yield from _pages_of(record, record_id)


def _pages_of(record: Any, record_id: str) -> Iterator[RawPage | Reject]:
    if not isinstance(record, dict):
        yield unreadable(record_id, "bad_record", f"a JSON {type(record).__name__}, not an object")
    elif isinstance(record.get("search_results"), list):
        base = _as_id(record.get("interaction_id")) or record_id
        for ordinal, result in enumerate(record["search_results"]):
            yield _search_result(result, f"{base}/{ordinal}")
    else:
        yield page_of(record, record_id)


def _search_result(result: Any, record_id: str) -> RawPage | Reject:
    if not isinstance(result, dict) or not isinstance(result.get("page_result"), str):
        return unreadable(record_id, "bad_record", "no page_result")
    record = {
        "id": record_id,
        "url": result.get("page_url"),
        "title": result.get("page_name"),
        "html": result["page_result"],
        "fetched_at": result.get("page_last_modified"),
    }
    return page_of(record, record_id)


def page_of(record: Mapping[str, Any], record_id: str) -> RawPage | Reject:
    """The page of one record; `record_id` is its id if it has none of its own."""
    source_id = clean_id(_id_of(record) or record_id)
    url = canonical_url_of(clean_id(_string(record.get("url"))))
    title = clean_title(_string(record.get("title")))
    if max(len(source_id), len(url), len(title)) > _MAX_FIELD_CHARACTERS:
        return unreadable(
            record_id, "too_large", f"a field over {_MAX_FIELD_CHARACTERS} characters"
        )
    html, text = record.get("html"), record.get("text")
    text = _string(text) if isinstance(text, bytes) else text
    fetched_at = utc_time(record.get("fetched_at"))
    if isinstance(html, str | bytes) and html.strip():
        if len(html) > MAX_PAGE_BYTES:
            return unreadable(source_id, "too_large", f"over {MAX_PAGE_BYTES} bytes", url)
        return RawPage(source_id, url, title, html=html, fetched_at=fetched_at)
    if isinstance(text, str) and text.strip():
        if len(text) > MAX_PAGE_BYTES:
            return unreadable(source_id, "too_large", f"over {MAX_PAGE_BYTES} characters", url)
        return RawPage(source_id, url, title, text=text, fetched_at=fetched_at)
    if html is None and text is None:
        return unreadable(source_id, "bad_record", "neither html nor text", url)
    return unreadable(source_id, "empty_body", "html and text are empty or not text", url)


def _id_of(record: Mapping[str, Any]) -> str:
    """The id that a record has of its own, "" if it has none."""
    for value in (record.get("id"), record.get("source_id")):
        if text := _as_id(value):
            return text
    return ""


def _as_id(value: Any) -> str:
    """The value as text; "" for none, and for what is nested, however deeply."""
    if value is None or isinstance(value, list | dict):
        return ""
    return _string(value) if isinstance(value, bytes) else str(value)


def _string(value: Any) -> str:
    """The text; "" for other types. Some writers of Parquet store all text as bytes."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    return value if isinstance(value, str) else ""
