from __future__ import annotations

from datetime import datetime, timezone

import pytest

from factmill.transforms.markup.html_tree import parse_html
from factmill.transforms.markup.page_data.byline import Byline, page_byline, read_time
from factmill.transforms.markup.page_data.data_items import DataItem


def _item(kind: str, *authors: str, published: str = "") -> DataItem:
    item = DataItem(kind)
    for author in authors:
        item.add("author", author)
    if published:
        item.add("datePublished", published)
    return item


def _byline(head: str, *items: DataItem) -> Byline:
    tree = parse_html(f"<html><head>{head}</head><body>x</body></html>")
    assert tree is not None
    return page_byline(tree, items)


META = (
    "<meta name='author' content='By Ada Quist'>"
    "<meta property='article:published_time' content='2021-05-06'>"
)


def test_byline_structured_data_of_the_article_comes_first() -> None:
    page = _item("WebPage", "The Web Team", published="2001-01-01")
    article = _item("NewsArticle", "Bo Lind", "Cy Marsh", "Bo Lind", published="2020-02-03T04:05Z")
    found = _byline(META, page, article)
    assert found.author == "Bo Lind, Cy Marsh"
    assert found.published == datetime(2020, 2, 3, 4, 5, tzinfo=timezone.utc)


def test_byline_meta_elements_speak_where_structured_data_does_not() -> None:
    found = _byline(META, _item("Article", "https://example.com/people/7", published="yesterday"))
    assert found == Byline("Ada Quist", datetime(2021, 5, 6, tzinfo=timezone.utc))


def test_byline_of_a_page_that_says_nothing_is_empty() -> None:
    assert _byline("<meta name='author'>", _item("Product", "Lumen")) == Byline("", None)


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2020-02-03", "2020-02-03T00:00:00+00:00"),
        ("2020-02-03T04:05:06.789+02:00", "2020-02-03T02:05:06+00:00"),
        ("2020-02-03 04:05:06 -0330", "2020-02-03T07:35:06+00:00"),
        ("2020-02-30", None),
        ("0001-01-01T00:00:00Z", None),
        ("9999-12-31T23:59:59-14:00", None),
        ("2020-02-03T04:05+99:99", None),
        ("3 February 2020", None),
    ],
)
def test_read_time_is_in_utc_or_none(text: str, time: str | None) -> None:
    found = read_time(text)
    assert (found.isoformat() if found else None) == time
