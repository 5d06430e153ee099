from __future__ import annotations

import random

import pytest

from factmill.transforms.inputs.sniffing import first_markup, is_binary

TEXT = "The ferry leaves at nine, and costs £6.80.\n" * 5


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("text", [TEXT, "\ufeff" + TEXT, "Паром уходит в девять. " * 8 + TEXT])
def test_is_binary_wide_text_is_text_with_or_without_a_mark(encoding: str, text: str) -> None:
    if encoding.startswith("utf-16") and text[0] == "П":
        text = TEXT + text  # enough of it is Latin to tell
    assert not is_binary(text.encode(encoding)[:400])


@pytest.mark.parametrize(
    "content",
    [
        TEXT.encode()[:100] + b"\0" + TEXT.encode(),
        b"\0" * 400,
        random.Random(1).randbytes(400),
        b"\x01\0\0\0\x02\0\0\0\x03\0\0\0" * 20 + b"\0" * 100 + TEXT.encode(),
        b"\x89PNG\r\n\x1a\n" + TEXT.encode("utf-16-le"),
    ],
)
def test_is_binary_other_null_bytes_are_not_text(content: bytes) -> None:
    assert is_binary(content)


@pytest.mark.parametrize(
    "before",
    [
        b"",
        b"\xef\xbb\xbf <?xml version='1.0'?>\n<!-- a > b -->",
        b"<!DOCTYPE rss PUBLIC 'x' 'y'>",
        b"<?xml version='1.0'?><!DOCTYPE rss [<!ENTITY % a SYSTEM \"b\"> <!ENTITY c 'd'>]>\n",
    ],
)
def test_first_markup_is_the_first_element(before: bytes) -> None:
    assert first_markup(before + b"<rss version='2.0'>") == b"<rss version='2.0'>"
