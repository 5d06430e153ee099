from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.transforms.report.untrusted_text import cut, excerpt, printable, web_url


def test_printable_takes_out_what_is_obeyed_and_keeps_what_is_read() -> None:
    assert printable("a\x00b\x1b[31m\x9b\u202ec\u2066\ud800d") == "a�b�[31m��c��d"
    assert printable("1\tfoot\n½ e\u0301 \u200d אב") == "1\tfoot\n½ e\u0301 \u200d אב"


def test_cut_text_has_at_most_the_given_characters() -> None:
    assert cut("<" * 1000, 10) == "<" * 9 + "…"
    assert cut("<" * 10, 10) == "<" * 10
    assert cut(1234) == "1234"


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        " javascript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "file:///etc/passwd",
        "//evil.example/a",
        "/relative",
        "java\nscript:alert(1)",
        "https://good.example/\njavascript:alert(1)",
        "https://good.example/\u202egpj.exe",
        "https://good.example/a b",
        'https://good.example/"onclick="alert(1)',
        "https://good.example/" + "a" * 3000,
        "https://",
        "",
        "pages.jsonl:17",
    ],
)
def test_web_url_of_anything_but_a_plain_one_is_none(url: str) -> None:
    assert web_url(url) == ""


def test_web_url_of_a_plain_one_is_itself() -> None:
    for url in ("https://a.example/b?c=1&d=%3Cx%3E#e", "HTTP://A.example/é"):
        assert web_url(url) == url


def test_excerpt_has_the_stretch_around_and_bounds_it() -> None:
    short = excerpt("The bridge <cost> £41.", 11, 17)
    assert (short.before, short.inside, short.after) == ("The bridge ", "<cost>", " £41.")
    assert (short.starts, short.ends) == (True, True)
    long = excerpt("a" * 5000 + "ANSWER" + "b" * 5000, 5000, 5006)
    assert (long.before, long.inside, long.after) == ("a" * 300, "ANSWER", "b" * 300)
    assert (long.starts, long.ends) == (False, False)
    assert len(excerpt("c" * 5000, 0, 5000).inside) == 600


@given(st.text(max_size=20), st.integers(-30, 30), st.integers(-30, 30))
def test_excerpt_bears_offsets_that_lead_nowhere(text: str, start: int, end: int) -> None:
    stretch = excerpt(text, start, end)
    assert stretch.before + stretch.inside + stretch.after == text
