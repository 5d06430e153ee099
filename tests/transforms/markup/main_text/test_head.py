from __future__ import annotations

import pytest
from lxml.html import HtmlElement

from factmill.transforms.markup.html_tree import parse_html
from factmill.transforms.markup.main_text.head import canonical_url, page_language, page_title


def _tree(html: str) -> HtmlElement:
    tree = parse_html(html)
    assert tree is not None
    return tree


@pytest.mark.parametrize(
    ("head", "title"),
    [
        ("<meta property='og:title' content='From  og'><title>From title</title>", "From og"),
        ("<title>\n From\n title </title>", "From title"),
        ("<meta property='og:title' content=' '><title>T &amp; U</title>", "T & U"),
        ("<meta property='og:title'><meta property='og:title' content='Next'>", "Next"),
        ("<meta name='og:title' content='No property'><title>Named</title>", "Named"),
        ("<title>Tom &amp;amp; Ann&amp;#039;s &amp;lt;b&amp;gt;</title>", "Tom & Ann's &lt;b&gt;"),
        ("<title></title>", "The heading"),
    ],
)
def test_page_title_prefers_og_then_title_then_heading(head: str, title: str) -> None:
    html = f"<html><head>{head}</head><body><h1>The <i>heading</i></h1><h1>x</h1></body></html>"
    assert page_title(_tree(html)) == title


def test_page_title_of_an_image_s_svg_is_not_taken_before_the_page_s() -> None:
    html = "<html><head><title>Page</title></head><body><svg><title>Icon</title></svg></body>"
    assert page_title(_tree(html)) == "Page"


def test_page_title_missing_is_empty_and_a_long_one_is_cut() -> None:
    assert page_title(_tree("<p>x")) == ""
    assert len(page_title(_tree(f"<title>{'word ' * 1000}</title>"))) == 500


@pytest.mark.parametrize(
    ("lang", "code"),
    [("en", "en"), ("de-AT", "de"), ("EN_us", "en"), ("gsw", "gsw"), ("english", ""), ("", ""),
     (" fr ", "fr"), ("x-klingon", "")],
)  # fmt: skip
def test_page_language_is_the_declared_code_or_nothing(lang: str, code: str) -> None:
    assert page_language(_tree(f"<html lang='{lang}'><body><p>x</p></body></html>")) == code


@pytest.mark.parametrize(
    ("head", "url"),
    [
        ("<link rel='canonical' href=' https://a.example/x '>", "https://a.example/x"),
        ("<meta property='og:url' content='http://a.example/'>", "http://a.example/"),
        ("<link rel=canonical href='/relative'>", ""),
        ("<link rel=canonical><link rel=canonical href='http://a.example/2'>",
         "http://a.example/2"),
        ("<link rel=canonical href='/relative'><meta property='og:url' content='http://a.example'>",
         "http://a.example"),
        ("<link rel=canonical href='javascript:alert(1)'>", ""),
        ("<link rel=canonical href='http://'>", ""),
        (f"<link rel=canonical href='http://a.example/{'x' * 3000}'>", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_canonical_url_is_absolute_http_or_nothing(head: str, url: str) -> None:
    assert canonical_url(_tree(f"<html><head>{head}</head><body>x</body></html>")) == url
