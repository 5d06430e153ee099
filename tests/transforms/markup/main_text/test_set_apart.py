from __future__ import annotations

import numpy as np
import pytest

from factmill.transforms.markup.html_tree import parse_html
from factmill.transforms.markup.main_text.blocks import PageBlocks, read_blocks
from factmill.transforms.markup.main_text.set_apart import set_apart


def _page(html: str) -> PageBlocks:
    tree = parse_html(f"<html><body><p>The lamp burns for nine nights.</p>{html}</body></html>")
    assert tree is not None
    return read_blocks(tree)


def _apart(html: str, probability: float = 0.9) -> list[bool]:
    """Of the blocks of `html`, of six words each, when the paragraph above has 100 words."""
    page = _page(html)
    words = np.full(len(page.blocks), 6, np.float32)
    words[0] = 100
    found: list[bool] = set_apart(
        page, np.full(len(words), probability, np.float32), words
    ).tolist()
    assert not found[0]
    return found[1:]


@pytest.mark.parametrize(
    "box",
    [
        "<div class='shop-popover is-open'>{}</div>",
        "<div id=deliveryPopup>{}</div>",
        "<div class='pum pum-overlay'><div>{}</div></div>",
        "<div class='signature sig4711'>{}</div>",
        "<form><fieldset>{}</fieldset></form>",
        "<section class=product-signup>{}</section>",
        "<div class='c-related-articles'>{}</div>",
        "<div id=recommendations>{}</div>",
        "<ol class=breadcrumb>{}</ol>",
        "<nav><div>{}</div></nav>",
        "<footer>{}</footer>",
        "<form>{}</form>",
    ],
)
def test_what_is_beside_the_content_is_set_apart(box: str) -> None:
    assert _apart(box.format("<p>It is sent on the same day.</p>")) == [True]


@pytest.mark.parametrize("name", ["popular", "signatures-list", "form", "post-body"])
def test_box_with_another_name_is_not_set_apart(name: str) -> None:
    assert _apart(f"<div class='{name}'><p>It is sent on the same day.</p></div>") == [False]


def test_block_after_a_popup_is_not_set_apart_with_it() -> None:
    assert _apart("<div class=popup><p>Sent today.</p></div><p>It has one wick.</p>") == [
        True,
        False,
    ]


def test_boxes_with_most_of_the_content_are_the_page_itself() -> None:
    many = "".join(f"<p>Lamp number {n} has one wick.</p>" for n in range(20))
    assert _apart(f"<div class=popup>{many}</div>") == [False] * 20


@pytest.mark.parametrize("tag", ["nav", "footer", "form"])
def test_frame_with_a_fair_part_of_the_content_is_the_page_itself(tag: str) -> None:
    some = "".join(f"<p>Lamp number {n} has one wick.</p>" for n in range(6))
    assert _apart(f"<{tag}>{some}</{tag}>") == [False] * 6


def test_frame_of_the_page_counts_apart_from_boxes_with_names() -> None:
    some = "".join(f"<p>Lamp number {n} has one wick.</p>" for n in range(6))
    assert _apart(f"<form>{some}<p class=related>It is sent today.</p></form>") == [
        *[False] * 6,
        True,
    ]
