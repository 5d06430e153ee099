"""Decodes the bytes of a page: declared encodings first, then detection."""

from __future__ import annotations

import codecs
import re
from functools import partial

import chardet

from factmill.transforms.markup.double_encoded import encoded_once
from factmill.transforms.markup.mistaken_encodings import unmistaken

# Byte order marks, longer ones before their prefixes.
_MARKS = {
    b"\0\0\xfe\xff": "utf-32-be", b"\xff\xfe\0\0": "utf-32-le", b"\xef\xbb\xbf": "utf-8",
    b"\xfe\xff": "utf-16-be", b"\xff\xfe": "utf-16-le",
}  # fmt: skip
# Declared of pages whose encoding nobody knew: every byte is a sign in them.
_LATIN = frozenset({"cp1252", "iso8859-15"})
_ASCII = bytes(range(128))
_ENOUGH_BEYOND_ASCII = 40
# In Latin a row of so many letters with accents is hardly a word; one letter repeated is a line.
_HIGH_ROW = re.compile(rb"[\xa1-\xff]{4,}")
_DIFFERENT = 3
# Codecs of Python that no page uses.
_NOT_OF_PAGES = frozenset({
    "unicode-escape", "raw-unicode-escape", "idna", "punycode", "undefined", "utf-7",
})  # fmt: skip
# Encodings that browsers read as the code page with letters instead of control characters.
_READ_AS = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "tis-620": "cp874",
    "iso8859-11": "cp874",
}  # fmt: skip
# Declared names that Python lacks; it has "x-sjis" and the like without "x-".
_LABELS = {
    "windows-874": "cp874", "windows-949": "cp949", "iso-8859-8-i": "iso-8859-8",
}  # fmt: skip
# Pages declare the narrower encoding but use the wider one.
_WIDER = {
    "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949",
    "big5": "big5hkscs", "euc_jp": "euc_jis_2004",
}  # fmt: skip
# No "<" inside, so that a page consisting of "<meta" takes linear time.
_DECLARATION = re.compile(
    rb"<meta[^<>]*?\bcharset\s*=\s*(?:[\"']\s*)?([^\s\"'<>;/]+)"
    rb"|^\s*<\?xml[^<>]*?\bencoding\s*=\s*[\"']([^\"'<>]+)",
    re.IGNORECASE,
)
# Browsers examine the first 1,024 bytes, but scripts before the declaration have become longer.
_DECLARATION_BYTES = 100_000
# Other encodings are valid UTF-8 by chance in a word or two, not in this many bytes.
_NO_CHANCE = 8
# In a page of the encoding at most one in this many non-ASCII characters is broken.
_BROKEN_ONE_IN = 20
# Encodings whose bytes are also valid UTF-8; their signs are escape sequences and null bytes.
_ALSO_UTF8 = ("iso2022", "hz", "utf-16", "utf-32")
_ALSO_UTF8_SIGNS = (b"\x1b", b"~{", b"\0")

# XML and HTML allow none of these; a null byte would end the text in C libraries.
_CONTROLS = bytes([*range(9), 11, 12, *range(14, 32), 127])
_BLANKED = bytes(32 if byte in _CONTROLS else 10 if byte == 13 else byte for byte in range(256))
_NONCHARACTERS = ("\ufffe".encode(), "\uffff".encode())
_SURROGATE = re.compile("[\ud800-\udfff]")


def decode_html(html: bytes | str, charset: str = "") -> str:
    """The page as text without control characters.

    Tried in order: byte order mark, UTF-8 if unlikely by chance, the transport's charset, the
    page's own declaration, UTF-8, detection, Windows-1252. The first that decodes every byte wins;
    before detection, also one that decodes nearly every byte. Undecodable bytes become U+FFFD. A
    declaration of Latin-1 does not count where the bytes are clearly letters of another script, and
    one of a related encoding where that makes words that cannot be. UTF-8 within UTF-8 is undone.
    """
    return html_as_utf8(html, charset).decode("utf-8")


def html_as_utf8(html: bytes | str, charset: str = "") -> bytes:
    """The page as `decode_html` decodes it, encoded as UTF-8."""
    page = html if isinstance(html, str) else _decode(html, charset)
    return encoded_once(_without_controls(page))


def _decode(html: bytes, charset: str) -> str | bytes:
    """The page as text, or its bytes if they are UTF-8 already."""
    mark = next((mark for mark in _MARKS if html.startswith(mark)), b"")
    markup = html.removeprefix(mark)
    if mark and (text := _exactly(markup, _MARKS[mark])) is not None:
        return text
    utf8 = _exactly(markup, "utf-8")
    if utf8 is not None and len(markup) - len(utf8) >= _NO_CHANCE:
        return markup
    declared = [charset, _declared(markup)]
    believed = utf8 is not None or not _is_not_latin(markup)
    if not believed:
        declared = [one for one in declared if _codec(one, markup) not in _LATIN]
    for encoding in declared:
        if (text := _exactly(markup, encoding)) is not None:
            return _unmistaken(text, encoding, markup)
    if utf8 is not None:
        return _seven_bits(markup) or utf8
    for encoding in (*declared, "utf-8"):
        if (text := _nearly(markup, encoding)) is not None:
            return _unmistaken(text, encoding, markup)
    if believed and (text := _exactly(markup, _detected(markup))) is not None:
        return _unmistaken(text, _detected(markup), markup)
    for encoding in (_undeclared(markup), "cp1252"):
        if (text := _exactly(markup, encoding)) is not None:
            return _unmistaken(text, encoding, markup)
    return markup.decode("utf-8", "replace")


def _unmistaken(text: str, encoding: str, markup: bytes) -> str:
    """The text in the encoding, or in one that the page may have meant."""
    return unmistaken(
        text, _codec(encoding, markup), partial(_exactly, markup), partial(_undeclared, markup)
    )


def _undeclared(markup: bytes) -> str:
    """The encoding that is detected without the page's declaration, which the detector believes."""
    return _detected(_DECLARATION.sub(b"", markup))


def _declared(markup: bytes) -> str:
    found = _DECLARATION.search(markup, 0, _DECLARATION_BYTES)
    return (found[1] or found[2]).decode("ascii", "replace") if found else ""


def _is_not_latin(markup: bytes) -> bool:
    """Whether most bytes beyond ASCII stand in rows of letters, as in Cyrillic, Greek or Chinese.
    Servers say Latin-1 of pages of which they know nothing.
    """
    beyond = len(markup.translate(None, _ASCII))
    if beyond < _ENOUGH_BEYOND_ASCII:
        return False
    rows = (row for row in _HIGH_ROW.findall(markup) if len(set(row)) >= _DIFFERENT)
    return 2 * sum(map(len, rows)) > beyond


def _seven_bits(markup: bytes) -> str | None:
    """The text if only its bytes show that it is not UTF-8."""
    if any(sign in markup for sign in _ALSO_UTF8_SIGNS):
        detected = _detected(markup)
        if _codec(detected, markup).startswith(_ALSO_UTF8):
            return _exactly(markup, detected)
    return None


def _detected(markup: bytes) -> str:
    """The detector names the wider encoding. The narrower one is tried first, so a page gives the
    same text declared or not: the two differ in a few signs such as the wave dash.
    """
    found = (chardet.detect(markup)["encoding"] or "").lower()
    return next((narrow for narrow, wide in _WIDER.items() if wide == found), found)


def _exactly(markup: bytes, encoding: str) -> str | None:
    """None when the encoding is not a text encoding or does not decode every byte."""
    name = _codec(encoding, markup)
    for candidate in (name, _WIDER.get(name, "")):
        try:
            if candidate:
                return markup.decode(candidate)
        except ValueError:
            continue
    return None


def _nearly(markup: bytes, encoding: str) -> str | None:
    """None when too many of the non-ASCII characters are broken."""
    name = _codec(encoding, markup)
    if not name:
        return None
    text = markup.decode(_WIDER.get(name, name), "replace")
    beyond = len(text) - len(text.encode("ascii", "ignore"))
    return text if text.count("\ufffd") * _BROKEN_ONE_IN <= beyond else None


def _codec(encoding: str, markup: bytes) -> str:
    """Python's name of the encoding, or "" when it cannot be the page's."""
    label = encoding.strip(" \"'").lower().removeprefix("x-")
    try:
        name = codecs.lookup(_LABELS.get(label, label)).name
        name = _READ_AS.get(name, name)
        "".encode(name)
    except (LookupError, ValueError):
        return ""
    # A page with an ASCII-readable declaration is not in one of these.
    wide = name.startswith(("utf-16", "utf-32")) and b"\0" not in markup
    return "" if wide or name in _NOT_OF_PAGES else name


def _without_controls(page: str | bytes) -> bytes:
    # A table over bytes, because a pattern over the text takes four times as long.
    raw = _encoded(page) if isinstance(page, str) else page
    if b"\r" in raw:
        raw = raw.replace(b"\r\n", b"\n")
    cleaned = raw.translate(_BLANKED)
    if _NONCHARACTERS[0][:1] in cleaned:  # one byte is found in no time, three take long
        for noncharacter in _NONCHARACTERS:
            cleaned = cleaned.replace(noncharacter, b" ")
    return cleaned


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return _SURROGATE.sub(" ", text).encode("utf-8")
