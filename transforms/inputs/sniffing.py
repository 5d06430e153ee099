"""Detects the format of content by its first bytes, whatever its name or header says."""

from __future__ import annotations

_MAGIC = (
    (b"%PDF-", "PDF"), (b"PK\x03\x04", "ZIP"), (b"PK\x05\x06", "ZIP"), (b"Rar!\x1a\x07", "RAR"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip"), (b"\xfd7zXZ\x00", "XZ"), (b"\x1f\x8b\x08", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"), (b"\x89PNG\r\n", "PNG"), (b"\xff\xd8\xff", "JPEG"),
    (b"GIF87a", "GIF"), (b"GIF89a", "GIF"), (b"RIFF", "RIFF"), (b"OggS", "Ogg"), (b"ID3", "MP3"),
    (b"\x00\x00\x01\x00", "icon"), (b"\x7fELF", "ELF"), (b"wOFF", "WOFF"), (b"wOF2", "WOFF"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1", "Office"), (b"SQLite format 3\x00", "SQLite"),
)  # fmt: skip
_TAR_MAGIC_AT = 257
# The minimum share of one script, with its blanks and digits, in such a text.
_WIDE_SHARE = 0.8
_BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")
# Of compressed bytes a tenth are these; texts have none (escape begins the signs of ISO 2022).
_CONTROLS = bytes([*range(9), *range(14, 27), *range(28, 32)])
_CODED_SHARE = 0.02
# First tags of a page whose header declares another type (after the MIME sniffing standard).
_HTML_STARTS = (
    b"<!doctype html", b"<html", b"<head", b"<body", b"<title", b"<meta", b"<script", b"<div",
    b"<table", b"<h1", b"<p>", b"<p ", b"<font", b"<center", b"<a ", b"<br",
)  # fmt: skip


def binary_kind(head: bytes) -> str:
    """The name of a format without page text of its own; "" for anything else."""
    for magic, name in _MAGIC:
        if head.startswith(magic):
            return name
    if head[_TAR_MAGIC_AT : _TAR_MAGIC_AT + 5] == b"ustar":
        return "tar"
    return "MP4" if head[4:8] == b"ftyp" else ""


def is_binary(head: bytes) -> bool:
    """Whether the bytes are not text: they are of a binary format, or have null bytes other than
    those of UTF-16 or UTF-32.
    """
    if binary_kind(head):
        return True
    return b"\0" in head and not head.startswith(_BYTE_ORDER_MARKS) and not _is_wide(head)


def is_coded(head: bytes) -> bool:
    """Whether the bytes have many control characters that no text has."""
    if head.startswith(_BYTE_ORDER_MARKS) or _is_wide(head):
        return False
    return len(head) - len(head.translate(None, _CONTROLS)) > _CODED_SHARE * len(head)


def _is_wide(head: bytes) -> bool:
    """Whether it is text with four bytes a character, which hardly any other bytes can be, or with
    two bytes, mostly Latin: then nearly every second byte is null, and no other.
    """
    whole = head[: len(head) // 4 * 4]
    for encoding in ("utf-32-le", "utf-32-be"):
        try:
            text = whole.decode(encoding)
        except ValueError:
            continue
        return "\0" not in text
    odd, even = (head[first::2].count(0) / max(1, len(head[first::2])) for first in (1, 0))
    return max(odd, even) > _WIDE_SHARE and min(odd, even) == 0


def looks_like_html(head: bytes) -> bool:
    """Whether the first element is one that begins pages."""
    return first_markup(head).lower().startswith(_HTML_STARTS)


def first_markup(head: bytes) -> bytes:
    """The markup from the first element on, without byte order mark, XML declaration and
    comments.
    """
    rest = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    while True:
        if rest.startswith(b"<?"):
            rest = rest.partition(b"?>")[2].lstrip()
        elif rest.startswith(b"<!--"):
            rest = rest.partition(b"-->")[2].lstrip()
        elif rest[:9].lower() == b"<!doctype" and rest[9:].lstrip()[:4].lower() != b"html":
            subset = b"[" in rest.partition(b">")[0]
            rest = rest.partition(b"]" if subset else b">")[2].lstrip(b"> \t\r\n")
        else:
            return rest
