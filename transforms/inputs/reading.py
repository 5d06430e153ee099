"""A split read as raw pages, whatever it is made of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from schemas.records import Reject
from transforms.inputs.compression import DAMAGED, kind_of
from transforms.inputs.discovery import Split
from transforms.inputs.folders import read_html_file
from transforms.inputs.raw import RawPage, unreadable
from transforms.inputs.records import read_jsonl, read_parquet
from transforms.inputs.warc import read_warc


def read_split(split: Split) -> Iterator[RawPage | Reject]:
    """Every record of the split, as a page or as a reject."""
    for file in split.files:
        path = Path(file.path)
        if split.kind == "html":
            yield read_html_file(path, file.name)
        elif split.kind == "warc":
            yield from read_warc(path, file.name)
        elif split.kind == "jsonl":
            yield from read_jsonl(path, file.name)
        elif split.kind == "parquet":
            yield from read_parquet(path, file.name, split.row_start, split.row_stop)
        else:
            yield _not_read(path, file.name)


def _not_read(path: Path, name: str) -> Reject:
    """Why a file without a kind has none."""
    try:
        kind_of(path)
    except DAMAGED as error:
        return unreadable(name, "broken_file", error)
    return unreadable(name, "unknown_format", "not WARC, HTML, JSON lines or Parquet")
