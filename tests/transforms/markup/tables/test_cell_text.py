"""What people see of a cell."""

from __future__ import annotations

import pytest
from lxml.html import fromstring

from factmill.transforms.markup.tables.cell_text import listed_text, visible_text


def _text(html: str) -> str:
    return visible_text(fromstring(f"<div>{html}</div>"), {})


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("a<br>b", "a b"),
        ("<p>a</p><p>b</p>", "a b"),
        ("<p>a</p>b", "a b"),
        ("<div>a</div>b<ul><li>1</li><li>2</li></ul>c", "a b 1 2 c"),
        ("a<b>b</b>c", "abc"),
        ("<a>Tom Hale</a><a>Ann Hale</a>", "Tom Hale Ann Hale"),
        ("<b>i</b><b>Phone</b>", "iPhone"),
        ("  a\n\t b&nbsp;c ", "a b c"),
        ("a<!-- x -->b", "ab"),
        ("1 &lt; 2 &amp; 3", "1 < 2 & 3"),
        ("m<sup>2</sup>", "m2"),
        ("6×10<sup>24</sup> kg, 2<sup>1</sup>/<sub>2</sub>", "6×10^24 kg, 2 1/2"),
        ("6.4<sup>[1]</sup>", "6.4"),
        ("AB-999<sup>1, 2</sup>", "AB-9991, 2"),
        ("<img alt='Flag'>Peru", "Peru"),
    ],
)
def test_visible_text_is_one_line_with_blocks_apart(html: str, text: str) -> None:
    assert _text(html) == text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("Tom Hale<br>Ann Hale", "Tom Hale; Ann Hale"),
        ("<ul><li>red</li>\n<li>1952</li></ul>", "red; 1952"),
        ("<p>Tom Hale</p><p>Ann Hale</p>", "Tom Hale; Ann Hale"),
        ("12 May 1907<br>(age 34)<br> Lund,<br>Sweden", "12 May 1907 (age 34); Lund, Sweden"),
        ("<div>$</div><div>59</div><div>per year</div>", "$ 59 per year"),
        ("The lamp<br>of Lund", "The lamp of Lund"),
        ("Tom Hale<br>Ann Hale<button>Call</button>", "Tom Hale; Ann Hale"),
    ],
)
def test_listed_text_sets_things_apart_but_not_the_parts_of_one(html: str, text: str) -> None:
    assert listed_text(fromstring(f"<div>{html}</div>"), {}) == text


@pytest.mark.parametrize(
    "hidden",
    [
        "<span style='display:none'>x</span>",
        "<span style='color:red; Display : NONE'>x</span>",
        "<span style='visibility:hidden'>x</span>",
        "<span hidden>x</span>",
        "<span aria-hidden='true'>x</span>",
        "<span class='foo sortkey'>x</span>",
        "<span class='mw-editsection'>x</span>",
        "<script>x</script>",
        "<style>x</style>",
        "<select><option>x</option></select>",
        "<button>x</button>",
    ],
)
def test_visible_text_leaves_out_what_is_not_shown(hidden: str) -> None:
    assert _text(f"1{hidden} m") == "1 m"


@pytest.mark.parametrize(
    "shown",
    ["<span class='sortkeys'>2</span>", "<i aria-hidden='false'>2</i>", "<i class='noprint'>2</i>"],
)
def test_visible_text_keeps_what_only_looks_hidden(shown: str) -> None:
    assert _text(f"1{shown}") == "12"


@pytest.mark.parametrize(
    "mark",
    [
        "<sup class='reference'>[1]</sup>",
        "<sup><a href='#fn1'>1</a></sup>",
        "<sup><a href='#fn1'>1</a>, <a href='#fn2'>2</a></sup>",
        "<sup><a href='/wiki/Peru#cite_note-3'>3</a></sup>",
        "<a href='#fn1'><sup>1</sup></a>",
        "<a href='#note-a'>[a]</a>",
        "<a href='#dagger'>†</a>",
        "<sup><a role='doc-noteref' href='notes.html'>1</a></sup>",
        "<sup class='noprint Template-Fact'>[<i>citation needed</i>]</sup>",
    ],
)
def test_visible_text_drops_footnote_marks(mark: str) -> None:
    assert _text(f"Lima{mark} is big") == "Lima is big"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("10<sup>6</sup>", "10^6"),
        ("Smith †", "Smith †"),
        ("[a]", "[a]"),
        ("<a href='#top'>Back</a>", "Back"),
        ("<a href='/lima'>[1]</a>", "[1]"),
        ("x<sup><a href='/tm'>TM</a></sup>", "xTM"),
        ("<a href='#b'>B<sup>2</sup></a>", "B2"),
    ],
)
def test_visible_text_keeps_what_is_no_footnote_mark(html: str, text: str) -> None:
    assert _text(html) == text


@pytest.mark.timeout(30)
def test_visible_text_hundreds_of_thousands_of_tags_are_read_in_one_pass() -> None:
    assert len(_text("<b>a</b>" * 300_000)) == 300_000
