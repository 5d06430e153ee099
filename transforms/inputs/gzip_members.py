"""A gzip file of WARC records as one stream that continues after a damaged member.

Crawlers write one member per record, so damage costs only its own record.
"""

from __future__ import annotations

import io
import re
import zlib
from typing import Any, BinaryIO

_MAGIC = b"\x1f\x8b\x08"
# A member begins with this magic number and a byte of flags, five of which are in use (RFC 1952).
_START = re.compile(rb"\x1f\x8b\x08[\x00-\x1f]")
_WINDOW_BITS = 31  # zlib's window bits for a gzip member
_BLOCK_BYTES = 1 << 14
# This much of a member is enough to decompress its first bytes.
_TRIED_BYTES = 1 << 10


class GzipMembers(io.RawIOBase):
    """The decompressed bytes of a file's members.

    Reading raises zlib.error at a damaged member, EOFError if the last one is truncated. The next
    read continues at the next member that begins a record. More than `limit` bytes are an OSError,
    which ends the stream. `take_lost` returns the number of skipped bytes.
    """

    def __init__(self, file: BinaryIO, limit: int) -> None:
        self._file, self._limit, self._left = file, limit, limit
        self._inflate: Any = None
        self._waiting = b""  # compressed bytes, read and not decompressed
        self._member_bytes = 0  # compressed bytes of the member so far
        self._lost = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while True:
            if not self._waiting:
                self._waiting = self._file.read(_BLOCK_BYTES)
            if self._inflate is None and not self._begin_member():
                return 0
            found = self._decompress(len(buffer))
            if found:
                break
        self._left -= len(found)
        if self._left < 0:
            self._limit_reached()
        buffer[: len(found)] = found
        return len(found)

    def take_lost(self) -> int:
        """The compressed bytes skipped since the last call: damaged members, and bytes that are not
        members.
        """
        lost, self._lost = self._lost, 0
        return lost

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()

    def _begin_member(self) -> bool:
        """Start at the next member. False at the end of the file."""
        while not self._waiting.strip(b"\0"):  # some writers fill the last block with zeros
            self._waiting = self._file.read(_BLOCK_BYTES)
            if not self._waiting:
                return False
        self._waiting = self._waiting.lstrip(b"\0")
        if len(self._waiting) < len(_MAGIC):
            self._waiting += self._file.read(_BLOCK_BYTES)
        if not self._waiting.startswith(_MAGIC):
            self._find_member()
            raise zlib.error("bytes that are not a gzip member")
        self._inflate = zlib.decompressobj(_WINDOW_BITS)
        self._member_bytes = 0
        return True

    def _decompress(self, size: int) -> bytes:
        if not self._waiting:
            self._lost += self._member_bytes
            self._inflate = None
            raise EOFError("the last gzip member is cut off")
        before = self._waiting
        try:
            found = self._inflate.decompress(before, size)
        except zlib.error:
            self._lost += self._member_bytes
            self._inflate = None
            self._find_member(skip=0 if self._member_bytes else len(_MAGIC))
            raise
        self._waiting = self._inflate.unconsumed_tail or self._inflate.unused_data
        self._member_bytes += len(before) - len(self._waiting)
        if self._inflate.eof:
            self._inflate = None
        return bytes(found)

    def _find_member(self, skip: int = 0) -> None:
        """Skip to the next bytes that begin a member."""
        while True:
            block = self._file.read(_BLOCK_BYTES)
            self._waiting += block
            # The end may be too short to decide; it is examined with the next block.
            end = len(self._waiting) - (_TRIED_BYTES if block else 0)
            for match in _START.finditer(self._waiting, skip):
                if match.start() < end and self._is_member(match.start()):
                    end, block = match.start(), b""
                    break
            end = max(end, 0)
            self._lost += end
            self._waiting, skip = self._waiting[end:], max(skip - end, 0)
            if not block:
                return

    def _is_member(self, start: int) -> bool:
        """Whether a record begins there: the magic number also occurs in compressed data."""
        tried = self._waiting[start : start + _TRIED_BYTES]
        try:
            return zlib.decompressobj(_WINDOW_BITS).decompress(tried, 5) == b"WARC/"
        except zlib.error:
            return False

    def _limit_reached(self) -> None:
        self._file.seek(0, io.SEEK_END)
        self._waiting, self._inflate = b"", None
        raise OSError(f"decompresses to more than {self._limit} bytes")
