from __future__ import annotations

from datetime import datetime, timezone

import pytest

from factmill.transforms.markup.html_tree import parse_html
from factmill.transforms.markup.page_data.byline import Byline, page_byline
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


@pytest.mark.parametrize("name", ["review", "reviews", "comment", "itemListElement"])
def test_byline_is_not_that_of_a_customer(name: str) -> None:
    review = _item("Review", "grumpy_cat77", published="2019-04-01")
    assert _byline("", DataItem("Product", {name: [review]})) == Byline("", None)
    assert _byline("", review, _item("Review", "happy_dog")) == Byline("", None)


def test_byline_of_a_review_is_its_authors() -> None:
    found = _byline("", _item("Review", "Ada Quist", published="2019-04-01"), _item("Product"))
    assert found == Byline("Ada Quist", datetime(2019, 4, 1, tzinfo=timezone.utc))


@pytest.mark.parametrize(
    ("published", "day"),
    [
        ("December 30, 2019", datetime(2019, 12, 30)),
        ("2019/12/30", datetime(2019, 12, 30)),
        ("30 Dec 2019 07:09 GMT", datetime(2019, 12, 30, 7, 9)),
        ("Mon, 30 Dec 2019 07:09:00 +0200", datetime(2019, 12, 30, 5, 9)),
        ("2019-12-30T07:09:05 UTC", datetime(2019, 12, 30, 7, 9, 5)),
        ("1970-01-01T00:00:00Z", None),
        ("0001-01-01T00:00:00", None),
        ("02/03/2023", None),
    ],
)
def test_byline_dates_are_read_as_people_write_them(published: str, day: datetime | None) -> None:
    time = day.replace(tzinfo=timezone.utc) if day else None
    assert _byline("", _item("Article", published=published)).published == time


def test_byline_date_of_creation_comes_last() -> None:
    question = DataItem("Question", {"dateCreated": ["2010-11-12"]})
    assert _byline("", question).published == datetime(2010, 11, 12, tzinfo=timezone.utc)
    assert _byline(META, question).published == datetime(2021, 5, 6, tzinfo=timezone.utc)


def test_byline_of_a_page_that_says_nothing_is_empty() -> None:
    assert _byline("<meta name='author'>", _item("Product", "Lumen")) == Byline("", None)
