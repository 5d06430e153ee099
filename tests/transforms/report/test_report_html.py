from __future__ import annotations

import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st

from factmill.transforms.report.report_html import link, marked, said

HOSTILE = [
    "</script><script>alert(1)</script>",
    '" onmouseover="alert(1)',
    "' onfocus='alert(1)",
    "</mark></p></body><!-- ",
    "&lt;b&gt; &amp; &#60;i&#62;",
    "]]><![CDATA[",
    "{{ template }} <style>@import url(//evil.example)</style>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_said_hostile_text_is_text(text: str) -> None:
    soup = BeautifulSoup(f'<p title="{said(text)}">{said(text)}</p>', "lxml")
    assert soup.p is not None
    assert [tag.name for tag in soup.find_all(True)] == ["html", "body", "p"]
    assert soup.p.get_text() == text
    assert soup.p.attrs == {"title": text}


@given(st.text())
def test_said_any_text_is_one_piece_of_text(text: str) -> None:
    shown = said(text)
    assert not set(shown) & set("<>\"'")
    shown.encode("utf-8")


def test_said_takes_out_what_is_obeyed_and_keeps_what_is_read() -> None:
    assert said("a\x00b\x1b[31m\x9b\u202ec\u2066\ud800d") == "a�b�[31m��c��d"
    assert said("1\tfoot\n½ e\u0301 \u200d אב") == "1\tfoot\n½ e\u0301 \u200d אב"


def test_said_is_cut_before_it_is_escaped() -> None:
    assert said("<" * 1000, 10) == "&lt;" * 9 + "…"
    assert said("<" * 10, 10) == "&lt;" * 10


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
def test_link_of_anything_but_a_plain_web_url_is_none(url: str) -> None:
    soup = BeautifulSoup(link(url), "lxml")
    assert soup.find("a") is None
    assert {tag.name for tag in soup.find_all(True)} <= {"html", "body", "bdi"}


@pytest.mark.parametrize("url", ["https://a.example/b?c=1&d=%3Cx%3E#e", "HTTP://A.example/é"])
def test_link_of_a_web_url_leads_there_and_tells_nothing(url: str) -> None:
    anchor = BeautifulSoup(link(url), "lxml").a
    assert anchor is not None
    assert anchor["href"] == url
    assert anchor["rel"] == ["noopener", "noreferrer", "nofollow"]
    assert anchor.get_text() == url


def test_marked_has_the_stretch_around_and_bounds_it() -> None:
    assert marked("The bridge <cost> £41.", 11, 17) == "The bridge <mark>&lt;cost&gt;</mark> £41."
    soup = BeautifulSoup(marked("a" * 5000 + "ANSWER" + "b" * 5000, 5000, 5006), "lxml")
    assert soup.mark is not None
    assert soup.mark.get_text() == "ANSWER"
    assert soup.get_text() == "… " + "a" * 300 + "ANSWER" + "b" * 300 + " …"
    assert len(marked("c" * 5000, 0, 5000)) < 1000


@given(st.text(max_size=20), st.integers(-30, 30), st.integers(-30, 30))
def test_marked_bears_offsets_that_lead_nowhere(text: str, start: int, end: int) -> None:
    shown = marked(text, start, end)
    assert shown.count("<mark>") == shown.count("</mark>") == 1
