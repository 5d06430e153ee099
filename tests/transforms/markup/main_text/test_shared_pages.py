"""The main text of pages that others collected and marked, in ../shared."""

from __future__ import annotations

import pytest
import trafilatura

from factmill.transforms.markup.decoding import decode_html
from factmill.transforms.markup.html_tree import parse_html
from factmill.transforms.markup.main_text.extract_text import extract_main_text
from tests.marked_pages import DATA, news, score, web_of_2006

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not there")


def _own(html: bytes) -> str:
    tree = parse_html(decode_html(html))
    assert tree is not None
    return extract_main_text(tree).text


def _trafilatura(html: bytes) -> str:
    return trafilatura.extract(html, fast=True) or ""


def test_extract_main_text_news_pages_reach_the_gold() -> None:
    pages = news()
    assert len(pages) > 50
    _, _, f1 = score((_own(html), gold) for html, gold in pages)
    assert f1 > 0.975


def test_extract_main_text_web_of_2006_is_closer_to_the_gold_than_trafilatura() -> None:
    pages = web_of_2006()
    assert len(pages) > 50
    own, other = (score((f(html), gold) for html, gold in pages) for f in (_own, _trafilatura))
    assert own[2] > other[2] + 0.05
