"""Opening files whose name may lie: compression and kind are seen from the first bytes."""

from __future__ import annotations

import bz2
import gzip
import zlib
from pathlib import Path
from typing import BinaryIO, Literal, cast

FileKind = Literal["warc", "html", "jsonl", "parquet", "unknown"]

# What a damaged compressed file raises.
DAMAGED = (OSError, EOFError, zlib.error, ValueError)
_JSON_NAMES = (".jsonl", ".ndjson", ".json")
_HTML_NAMES = (".html", ".htm", ".xhtml", ".shtml")


def open_bytes(path: Path) -> BinaryIO:
    """The file's bytes, decompressed when it is gzip or bzip2."""
    with open(path, "rb") as stream:
        magic = stream.read(3)
    if magic[:2] == b"\x1f\x8b":
        return cast(BinaryIO, gzip.open(path, "rb"))
    if magic == b"BZh":
        return cast(BinaryIO, bz2.open(path, "rb"))
    return open(path, "rb")


def kind_of(path: Path) -> FileKind:
    """What the file holds. Raises one of DAMAGED when its first bytes cannot be read."""
    with open_bytes(path) as stream:
        head = _head(stream)
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"WARC/"):
        return "warc"
    if head.startswith(b"PAR1"):
        return "parquet"
    if start.startswith(b"{"):
        return "jsonl"
    name = path.name.lower().removesuffix(".gz").removesuffix(".bz2")
    if name.endswith(_JSON_NAMES):
        return "jsonl"
    if name.endswith(_HTML_NAMES) or start.startswith(b"<"):
        return "html"
    return "unknown"


def _head(stream: BinaryIO) -> bytes:
    """The first bytes, as many as a damaged file gives. Raises only when it gives none."""
    head = b""
    while len(head) < 2048:
        try:
            piece = stream.read(64)
        except DAMAGED:
            if not head:
                raise
            break
        if not piece:
            break
        head += piece
    return head
