"""HTML files of a folder as raw pages."""

from __future__ import annotations

from pathlib import Path

from schemas.records import Reject
from transforms.inputs.compression import DAMAGED, open_bytes
from transforms.inputs.raw import MAX_PAGE_BYTES, RawPage, unreadable


def read_html_file(path: Path, name: str) -> RawPage | Reject:
    """One page; its id is its path below the input folder."""
    try:
        with open_bytes(path) as stream:
            body = stream.read(MAX_PAGE_BYTES + 1)
    except DAMAGED as error:
        return unreadable(name, "broken_file", error)
    if len(body) > MAX_PAGE_BYTES:
        return unreadable(name, "too_large", f"over {MAX_PAGE_BYTES} bytes")
    if not body.strip():
        return unreadable(name, "empty_body", "the file is empty")
    return RawPage(source_id=name, html=body)
