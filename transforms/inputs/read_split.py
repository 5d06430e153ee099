"""Reads a split of any format as raw pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from factmill.schemas.records import Reject
from factmill.schemas.storage.paths import as_storage_path, local_copy
from factmill.transforms.inputs.arc import read_arc
from factmill.transforms.inputs.compression import DAMAGED, head_of
from factmill.transforms.inputs.discovery import InputFile, Split
from factmill.transforms.inputs.json_records import read_json, read_jsonl
from factmill.transforms.inputs.mediawiki import read_mediawiki
from factmill.transforms.inputs.page_files import read_page_file
from factmill.transforms.inputs.parquet_rows import read_parquet
from factmill.transforms.inputs.raw_page import RawPage, unreadable
from factmill.transforms.inputs.sitemaps import Location, read_sitemap
from factmill.transforms.inputs.sniffing import binary_kind
from factmill.transforms.inputs.warc import read_warc

# Formats whose files hold any number of pages.
_READERS: dict[str, Callable[[Path, str], Iterator[RawPage | Reject]]] = {
    "warc": read_warc,
    "arc": read_arc,
    "mediawiki": read_mediawiki,
    "jsonl": read_jsonl,
    "json": read_json,
    "sitemap": read_sitemap,
}


def read_split(split: Split) -> Iterator[RawPage | Reject]:
    """Every record of the split, as a page or as a reject."""
    locations = split.locations or (Location(),) * len(split.files)
    for file, location in zip(split.files, locations, strict=True):
        yield from _read_file(split, file, location)


def _read_file(split: Split, file: InputFile, location: Location) -> Iterator[RawPage | Reject]:
    if file.leads_out:
        yield unreadable(file.name, "link_out", _why_not_followed(file))
        return
    path = local_copy(as_storage_path(file.path))
    if split.kind in ("html", "markdown", "text"):
        yield read_page_file(path, file.name, split.kind, location)
    elif split.kind == "parquet":
        yield from read_parquet(path, file.name, split.row_start, split.row_stop)
    elif split.kind in _READERS:
        yield from _READERS[split.kind](path, file.name)
    else:
        yield _not_read(path, file.name)


def _why_not_followed(file: InputFile) -> str:
    if Path(file.path).is_dir():
        return "a link to a folder; name that folder as an input"
    return "a link out of the input folder; --follow-links"


def _not_read(path: Path, name: str) -> Reject:
    """Why a file of unknown format was not read."""
    try:
        head = head_of(path)
    except DAMAGED as error:
        return unreadable(name, "broken_file", error)
    if not head.strip():
        return unreadable(name, "empty_body", "the file is empty")
    kind = binary_kind(head) or "an unknown format, and not text by its name"
    return unreadable(name, "unknown_format", kind)
