from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.decoding import decode_html

SENTENCE = "Renée Sjöberg was born in 1879 – in “Tarn Quay”."


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("charset", ["", "utf-8", "iso-8859-1", "windows-1252"])
def test_decode_html_byte_order_mark_wins_over_every_declaration(
    encoding: str, charset: str
) -> None:
    page = '<meta charset="iso-8859-1"><p>Renée was born in 1879.'
    assert decode_html(page.encode(encoding), charset).removeprefix("\ufeff") == page


@pytest.mark.parametrize("charset", ["windows-1250", "koi8-r", "utf-8", "shift_jis", "big5"])
def test_decode_html_http_charset_wins_over_the_page_s_own(charset: str) -> None:
    words = {"windows-1250": "Łódź", "koi8-r": "Москва", "utf-8": "Łódź", "shift_jis": "日本"}
    page = f'<meta charset="windows-1252"><p>{words.get(charset, "香港")}</p>'
    assert decode_html(page.encode(charset), charset) == page


@pytest.mark.parametrize(
    "declaration",
    [
        '<meta charset="windows-1250">',
        "<meta charset=windows-1250>",
        '<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=Windows-1250">',
        '<?xml version="1.0" encoding="windows-1250"?>',
    ],
)
def test_decode_html_page_s_own_charset_is_used(declaration: str) -> None:
    page = f"{declaration}<p>Łódź, Gdańsk i Kraków</p>"
    assert decode_html(page.encode("windows-1250")) == page


@pytest.mark.parametrize("declared", ["iso-8859-1", "ISO_8859-1", "latin-1", "latin1", "us-ascii"])
@pytest.mark.parametrize("by_http", [True, False])
def test_decode_html_windows_1252_declared_as_latin_1_is_read_as_browsers_do(
    declared: str, by_http: bool
) -> None:
    page = SENTENCE if by_http else f'<meta charset="{declared}">{SENTENCE}'
    assert decode_html(page.encode("cp1252"), declared if by_http else "") == page


@pytest.mark.parametrize(
    "text",
    [
        "Renée", "10 €", "<p>Größe 5 µm – “x”</p>", "日本語", "Привет", "naïve café", "25 °C", "½",
        "one ’ in a page of plain words " * 20,
    ],
)  # fmt: skip
def test_decode_html_undeclared_utf8_is_utf8(text: str) -> None:
    assert decode_html(text.encode()) == text


@given(st.text(st.characters(min_codepoint=0xA0, max_codepoint=0x2FFF), min_size=1, max_size=40))
@settings(max_examples=60, deadline=None)
def test_decode_html_any_undeclared_utf8_is_utf8(words: str) -> None:
    page = f"<html><body><p>The page says: {words}</p></body></html>"
    assert decode_html(page.encode()) == page


def test_decode_html_wrong_declaration_falls_through_to_what_decodes() -> None:
    page = f'<meta charset="ascii-but-no-such-name"><p>{SENTENCE}'
    assert decode_html(page.encode(), "utf-99") == page


def test_decode_html_undecodable_bytes_become_replacement_or_a_legacy_letter() -> None:
    text = decode_html(b"caf\xe9 \xff\xfe \x81 and plain words", "utf-8")
    assert text.endswith("and plain words")
    assert text.startswith("caf")


def test_decode_html_null_bytes_and_controls_become_blanks() -> None:
    assert decode_html(b"a\0b\x08c\x7fd\te\nf") == "a b c d\te\nf"
    assert decode_html("a\0b\ud800c\uffffd") == "a b c d"


def test_decode_html_line_ends_become_newlines() -> None:
    assert decode_html(b"a\r\nb\rc\nd") == "a\nb\nc\nd"


@pytest.mark.parametrize(
    "charset",
    ["undefined", "idna", "punycode", "rot13", "hex", "unicode_escape", "utf-7", "\0", "utf-8\0",
     "é", "x" * 5000, " utf-8 ", '"', "mbcs", "utf-32"],
)  # fmt: skip
@pytest.mark.parametrize("by_http", [True, False])
def test_decode_html_strange_charset_never_raises(charset: str, by_http: bool) -> None:
    page = b"a..b \\q \\x caf\xe9 " + b"word " * 20
    if not by_http:
        page = b'<meta charset="' + charset.encode() + b'">' + page
    assert "word word" in decode_html(page, charset if by_http else "")


@given(st.binary(max_size=300), st.sampled_from(["", "utf-8", "utf-16", "big5", "nothing"]))
@settings(max_examples=150, deadline=None)
def test_decode_html_arbitrary_bytes_never_raise_and_give_storable_text(
    raw: bytes, charset: str
) -> None:
    text = decode_html(raw, charset)
    assert text.encode("utf-8").decode("utf-8") == text
    assert "\0" not in text
    assert "\r" not in text


@given(st.text(st.characters(), max_size=100))
@settings(max_examples=100, deadline=None)
def test_decode_html_arbitrary_text_gives_storable_text(raw: str) -> None:
    text = decode_html(raw)
    assert text.encode("utf-8").decode("utf-8") == text
