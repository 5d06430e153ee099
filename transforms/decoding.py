"""Bytes of a page to text: declared encodings first, then what the bytes look like."""

from __future__ import annotations

import codecs
import re

from bs4.dammit import EncodingDetector

# XML and HTML allow none of these; a null byte would end the text in C libraries.
# Python decodes these, but no page is written in them.
_NOT_OF_PAGES = frozenset({
    "unicode_escape", "raw_unicode_escape", "idna", "punycode", "undefined", "utf-7",
})  # fmt: skip
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")


def decode_html(html: bytes | str, charset: str = "") -> str:
    """The page as text without control characters.

    Tried in order: byte order mark, the transport's charset, the page's own declaration, UTF-8,
    detection, Windows-1252. The first that decodes every byte wins; otherwise undecodable bytes of
    UTF-8 become U+FFFD.
    """
    if isinstance(html, str):
        return _without_controls(html)
    markup, marked = EncodingDetector.strip_byte_order_mark(html)
    declared = EncodingDetector.find_declared_encoding(markup, is_html=True)
    for encoding in (marked, charset, declared, "utf-8"):
        if encoding and (text := _decoded(markup, encoding)) is not None:
            return _without_controls(text)
    for encoding in EncodingDetector(markup, is_html=True).encodings:
        if (text := _decoded(markup, encoding)) is not None:
            return _without_controls(text)
    return _without_controls(markup.decode("utf-8", "replace"))


def _decoded(markup: bytes, encoding: str) -> str | None:
    """None when the encoding is none of text or does not decode every byte."""
    try:
        name = codecs.lookup(_superset(encoding.strip(" \"'"))).name
        return None if name in _NOT_OF_PAGES else markup.decode(name)
    except (LookupError, ValueError):
        return None


def _superset(encoding: str) -> str:
    """Browsers read these as their supersets, and so are pages written."""
    name = encoding.lower().replace("_", "-")
    return {
        "iso-8859-1": "cp1252", "latin-1": "cp1252", "latin1": "cp1252", "l1": "cp1252",
        "ascii": "cp1252", "us-ascii": "cp1252",
        "gb2312": "gb18030", "gbk": "gb18030", "shift-jis": "cp932", "euc-kr": "cp949",
        "ks-c-5601-1987": "cp949", "iso-8859-9": "cp1254", "tis-620": "cp874",
    }.get(name, encoding)  # fmt: skip


def _without_controls(text: str) -> str:
    return _CONTROL.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n"))
