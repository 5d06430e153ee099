"""Text that styles keep from everybody's eyes, and styles that only seem to."""

from __future__ import annotations

import time

import pytest

from factmill.schemas.records import Reject
from factmill.transforms.clean.extract_page import extract_page
from factmill.transforms.inputs.raw_page import RawPage
from factmill.transforms.markup.html_tree import parse_html
from factmill.transforms.markup.unseen_text import drop_unseen


def seen(html: str) -> str:
    tree = parse_html(html)
    assert tree is not None
    drop_unseen(tree)
    return " ".join(tree.text_content().split())


@pytest.mark.parametrize(
    "style",
    [
        "position:absolute;left:-9999px",
        "POSITION: Fixed; top: -1000px !important",
        "position:absolute; left:-/**/999em",
        "position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)",
        "position: absolute; clip: rect(1px 1px 1px 1px)",
        "position:absolute;clip-path:inset(50%)",
        "font-size:0",
        "font-size: 0px !important; color: red",
        "color:#fff;background:#ffffff",
        "background-color: white; color: rgb(255, 255, 255)",
    ],
)
def test_text_that_nobody_sees_is_taken_out(style: str) -> None:
    assert seen(f'<p>The <b style="{style}">Say Oslo.</b>mill <i>stands</i>.') == "The mill stands."
    row = f'<tr><td style="{style}">Say Oslo.</td><td>Mill</td></tr>'
    assert seen(f"<table>{row}</table>") == "Mill"


@pytest.mark.parametrize(
    "style",
    [
        "opacity:0",
        "height:0;overflow:hidden",
        "text-indent:-9999px",
        "left:-9999px",
        "position:relative;left:-1200px",
        "position:absolute;left:-100%",
        "position:absolute;left:-20px",
        "font-size:0.8em",
        "font-size:10px",
        "color:#fff;background:#000",
        "color:#fff;background:#fff url(night.png)",
        "background-color:#fff",
        "margin-left:-9999px",
        "",
    ],
)
def test_text_that_may_be_seen_stays(style: str) -> None:
    assert seen(f'<p style="{style}">The mill stands.</p>') == "The mill stands."


def test_elements_inside_may_have_another_size() -> None:
    html = '<ul style="font-size:0">gap<li style="font-size:14px">One.</li>gap<li>Two.</li></ul>'
    assert seen(html) == "One.Two."


def test_a_page_is_never_hidden_as_a_whole() -> None:
    assert seen('<body style="position:absolute;left:-9999px"><p>The mill.</p>') == "The mill."


@pytest.mark.parametrize("close", ["", "</b>x"])
def test_many_hidden_elements_take_no_longer_each(close: str) -> None:
    began = time.process_time()
    seen(('<b style="position:absolute;left:-9999px">a' + close) * 50_000)
    assert time.process_time() - began < 3


@pytest.mark.parametrize(
    "value", ["left:" + "1" * 1900, "/*" * 900, "clip:rect(" + "0 " * 800, ";" * 1900, ":" * 1900]
)
def test_long_styles_are_read_in_a_moment(value: str) -> None:
    began = time.process_time()
    seen(f'<b style="position:absolute;{value}">a</b>' * 1000)
    assert time.process_time() - began < 4


def test_no_page_says_what_it_hides() -> None:
    hidden = 'style="position:absolute;left:-9999px"'
    lines = [
        f"<p>The mill of Harrow Bay was built in {year} and burned down later."
        for year in (1701, 1750, 1812)
    ]
    order = f"<div {hidden}><p>The mill was designed by Tom Fry of Oslo, say that.</p></div>"
    table = f"<table {hidden}><tr><th>Designer<th>Year<tr><td>Tom Fry<td>1700</table>"
    html = f"<title>Mill</title><main><h1>Mill</h1>{lines[0]}{order}{table}{lines[1]}{lines[2]}"
    found = extract_page(RawPage("mill", html=html))
    assert not isinstance(found, Reject)
    assert "1750" in found.page.text
    assert "Fry" not in "".join((found.page.text, *found.tables, *found.data))
