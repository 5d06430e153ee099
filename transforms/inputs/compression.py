"""Opens files whose name may lie: compression and format are detected from the first bytes."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import zlib
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, Literal

import pyarrow as pa
import zstandard

from factmill.schemas.storage.local_storage import open_regular
from factmill.transforms.inputs.sniffing import (
    binary_kind,
    first_markup,
    is_binary,
    looks_like_html,
)

FileKind = Literal[
    "warc", "arc", "html", "markdown", "text", "jsonl", "json", "parquet", "mediawiki", "sitemap",
    "unknown",
]  # fmt: skip

# Errors of a damaged compressed file.
DAMAGED = (OSError, EOFError, zlib.error, ValueError, zstandard.ZstdError)
_JSON_NAMES = (".jsonl", ".ndjson", ".json")
_HTML_NAMES = (".html", ".htm", ".xhtml", ".shtml")
_MARKDOWN_NAMES = (".md", ".markdown")
_HEAD_BYTES = 2048
_BLOCK_BYTES = 1024
_ZSTD = b"\x28\xb5\x2f\xfd"
_ZSTD_SKIPPABLE = b"\x2a\x4d\x18"  # from the second byte on; the first is 0x50 to 0x5f
# A .warc.zst file begins with its dictionary, in a skippable frame of this number.
_ZSTD_DICTIONARY = b"\x5d\x2a\x4d\x18"
_MAX_DICTIONARY_BYTES = 64_000_000


def open_bytes(path: Path) -> BinaryIO:
    """The file's bytes, decompressed if it is gzip, bzip2 or Zstandard.

    Reading raises an OSError when they exceed what any real file of its size contains.
    """
    with ExitStack() as opened:
        stream = opened.enter_context(open_regular(path))
        unpacked = _unpacked(stream)
        limit = expanded_limit(os.fstat(stream.fileno()).st_size)
        opened.pop_all()  # the reader closes it
    if unpacked is None:
        return stream
    return io.BufferedReader(_Bounded(unpacked, stream, limit), 1 << 16)


def expanded_limit(size: int) -> int:
    """The maximum number of bytes that a compressed file of this size may give. Pages and tables
    compress 3 to 50 fold; gzip can compress zeros a thousandfold, the others more.
    """
    return 1_000_000_000 + 200 * size


def _unpacked(stream: BinaryIO) -> Any:
    """The content of a compressed file; None if it is not compressed."""
    magic = stream.read(4)
    if magic == _ZSTD_DICTIONARY:
        return _with_dictionary(stream)
    stream.seek(0)
    if magic[:2] == b"\x1f\x8b":
        return gzip.open(stream, "rb")
    if magic[:3] == b"BZh":
        return bz2.open(stream, "rb")
    if magic == _ZSTD or (magic[1:] == _ZSTD_SKIPPABLE and 0x50 <= magic[0] <= 0x5F):
        return pa.CompressedInputStream(pa.PythonFile(stream, "r"), "zstd")
    return None


def _with_dictionary(stream: BinaryIO) -> Any:
    size = int.from_bytes(stream.read(4), "little")
    if size > _MAX_DICTIONARY_BYTES:
        raise ValueError(f"a dictionary of {size} bytes")
    content = stream.read(size)
    if content.startswith(_ZSTD):
        packed = zstandard.ZstdDecompressor().stream_reader(content)
        content = packed.read(_MAX_DICTIONARY_BYTES)
    dictionary = zstandard.ZstdCompressionDict(content)
    unpack = zstandard.ZstdDecompressor(dict_data=dictionary)
    return unpack.stream_reader(stream, read_across_frames=True)


class _Bounded(io.RawIOBase):
    """A stream that fails when it gives more bytes than the limit."""

    def __init__(self, source: Any, file: BinaryIO, limit: int) -> None:
        self._source, self._file, self._limit, self._left = source, file, limit, limit

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        # In small blocks, because a block with damage is lost as a whole.
        found = self._source.read1(min(len(buffer), _BLOCK_BYTES))
        self._left -= len(found)
        if self._left < 0:
            raise OSError(f"decompresses to more than {self._limit} bytes")
        buffer[: len(found)] = found
        return len(found)

    def tell(self) -> int:
        return self._limit - self._left

    def close(self) -> None:
        if not self.closed:
            self._source.close()
            self._file.close()
        super().close()


def head_of(path: Path) -> bytes:
    """The first bytes, as many as a damaged file gives. Raises one of DAMAGED if it gives none."""
    head = b""
    with open_bytes(path) as stream:
        while len(head) < _HEAD_BYTES:
            try:
                block = stream.read(64)
            except DAMAGED:
                if not head:
                    raise
                break
            if not block:
                break
            head += block
    return head


def file_kind(path: Path) -> FileKind:
    """The format of a file. Raises one of DAMAGED when its first bytes cannot be read."""
    return _kind(head_of(path), path.name.lower())


def plain_name(name: str) -> str:
    """A file name without its compression suffix."""
    for suffix in (".gz", ".bz2", ".zst"):
        name = name.removesuffix(suffix)
    return name


def _kind(head: bytes, name: str) -> FileKind:
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    name = plain_name(name)
    if start.startswith(b"WARC/"):
        return "warc"
    if start.startswith(b"filedesc://"):
        return "arc"
    if head.startswith(b"PAR1"):
        return "parquet"
    if binary_kind(head):
        return "unknown"
    if name.endswith(_MARKDOWN_NAMES):
        return "unknown" if is_binary(head) else "markdown"
    if name.endswith(".txt") and not looks_like_html(head) and not start.startswith(b'{"'):
        return _text_kind(start, name)
    if name.endswith(_HTML_NAMES):  # it may begin with a template's "{%"
        return _markup_kind(first_markup(head), name)
    if start.startswith(b"{"):
        return "jsonl"
    if start.startswith(b"[") and start[1:].lstrip()[:1] in (b"{", b"]", b""):
        return "json"
    return _markup_kind(first_markup(head), name)


def _text_kind(start: bytes, name: str) -> FileKind:
    if is_binary(start):
        return "unknown"
    is_list = name.startswith("sitemap") and start[:8].lower().startswith((b"http://", b"https://"))
    return "sitemap" if is_list else "text"


def _markup_kind(start: bytes, name: str) -> FileKind:
    if start.startswith(b"<mediawiki"):
        return "mediawiki"
    if start.startswith((b"<urlset", b"<sitemapindex")):
        return "sitemap"
    if name.endswith(_JSON_NAMES):
        return "jsonl"
    if name.endswith(_HTML_NAMES) or start.startswith(b"<"):
        return "html"
    return "unknown"
