"""Removes transfer and content codings from HTTP bodies.

Headers lie: crawlers store decoded bodies under the headers of the coded ones, captures are
truncated, servers compress twice. A body that is not coded as declared stays as it is; a truncated
one gives what came before. No step gives more than `limit` bytes or holds more than that in memory.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator

import pyarrow as pa

from factmill.transforms.inputs.sniffing import is_coded

_GZIP_OR_ZLIB = 47  # window bits of zlib's automatic detection
_RAW_DEFLATE = -15
_BLOCK_BYTES = 1 << 16
_LAST_BYTES = 1 << 8
# The first bytes of a body, which tell whether it is coded.
_TOLD = 1 << 11
# Real pages are never compressed more often; each step costs up to `limit` bytes of work.
_MAX_CODINGS = 3
_CHUNK_SIZE = re.compile(rb"(?:\r?\n)?([0-9a-fA-F]{1,15})(?:[ \t;][^\n]{0,4096})?\r?(?:\n|$)")


def decoded_body(body: bytes, transfer: str, content: str, limit: int) -> bytes:
    """The body as its author wrote it; `transfer` and `content` are the headers' values."""
    if "chunked" in transfer.lower():
        body = _unchunked(body)
    codings = [name.strip().lower() for name in f"{content},{transfer}".split(",")]
    steps = [name for name in codings if name in _DECODERS]
    for name in reversed(steps[-_MAX_CODINGS:]):
        body = _joined(_DECODERS[name](body, limit), limit) or body
    if body.startswith(b"\x1f\x8b\x08"):  # undeclared, or once more than declared
        body = _joined(_inflated(body, limit), limit) or body
    return body


def _unchunked(body: bytes) -> bytes:
    """The chunks' content (RFC 9112, section 7.1), up to the first invalid one."""
    blocks: list[bytes] = []
    position = 0
    while match := _CHUNK_SIZE.match(body, position):
        size = int(match[1], 16)
        if size == 0:
            return b"".join(blocks)
        blocks.append(body[match.end() : match.end() + size])
        position = match.end() + size
    return b"".join(blocks) or body


def _inflated(body: bytes, limit: int) -> Iterator[bytes]:
    """The members of a gzip or zlib body; for a headerless body, which some servers call "deflate",
    the content.
    """
    while body:
        inflate = zlib.decompressobj(_GZIP_OR_ZLIB if _is_zlib(body) else _RAW_DEFLATE)
        for start in range(0, len(body), _BLOCK_BYTES):
            try:
                yield inflate.decompress(body[start : start + _BLOCK_BYTES], limit + 1)
            except zlib.error:
                return
            if inflate.eof:
                break
        rest = inflate.unused_data + body[start + _BLOCK_BYTES :] if inflate.eof else b""
        body = rest if rest.startswith(b"\x1f\x8b\x08") else b""


def _is_zlib(body: bytes) -> bool:
    """Whether the bytes begin with a zlib header (RFC 1950: a multiple of 31)."""
    return body[:2] == b"\x1f\x8b" or (
        len(body) > 1 and body[0] & 15 == 8 and int.from_bytes(body[:2], "big") % 31 == 0
    )


def _by_arrow(codec: str) -> Callable[[bytes, int], Iterator[bytes]]:
    def blocks(body: bytes, _limit: int) -> Iterator[bytes]:
        read = 0
        # A block that reaches the damage is lost, so the last ones are small; but a text that was
        # stored decoded may begin like something coded.
        for size in (_BLOCK_BYTES, _LAST_BYTES) if is_coded(body[:_TOLD]) else (_BLOCK_BYTES,):
            stream = pa.CompressedInputStream(pa.BufferReader(body), codec)
            try:
                left = read  # what larger blocks gave
                while left:
                    left -= len(stream.read(min(left, _BLOCK_BYTES)))
                while block := stream.read(size):
                    read += len(block)
                    yield block
                return
            except (OSError, ValueError):
                continue

    return blocks


def _joined(blocks: Iterator[bytes], limit: int) -> bytes:
    """The blocks, cut after the first byte beyond the limit."""
    kept: list[bytes] = []
    size = 0
    for block in blocks:
        kept.append(block)
        size += len(block)
        if size > limit:
            break
    return b"".join(kept)[: limit + 1]


_DECODERS: dict[str, Callable[[bytes, int], Iterator[bytes]]] = {
    "gzip": _inflated,
    "x-gzip": _inflated,
    "deflate": _inflated,
    "br": _by_arrow("brotli"),
    "zstd": _by_arrow("zstd"),
}
