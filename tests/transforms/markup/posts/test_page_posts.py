from __future__ import annotations

from datetime import datetime, timezone

import pytest

from factmill.transforms.markup.html_tree import parse_html
from factmill.transforms.markup.main_text.blocks import PageBlocks, read_blocks
from factmill.transforms.markup.page_data.data_items import DataItem
from factmill.transforms.markup.posts.page_posts import PagePosts, page_posts, text_with_posts
from factmill.transforms.markup.posts.post import Post
from factmill.transforms.markup.posts.post_elements import post_elements
from factmill.transforms.markup.posts.post_features import NAMES, post_features

POST = """
<div class="message message--{n}" id="post-{n}">
  <div class="user"><a class="username" href="/members/{name}.{n}/">{name}</a>
    <dl><dt>Joined</dt><dd>Jan 1, 2003</dd></dl></div>
  <div class="body"><a href="#{n}">{date}</a><p>{text}</p></div>
</div>"""
THREAD = [
    ("Ada", "Jul 9, 2022", "Which oil burns longest in a storm lantern?"),
    ("Ben", "Jul 10, 2022", "Colza oil, but it smells of cabbage."),
    ("Ada", "Jul 11, 2022", "Thanks, I shall try it."),
]


def _read(
    body: str, items: tuple[DataItem, ...] = ()
) -> tuple[PageBlocks, PagePosts, tuple[str, tuple[Post, ...]]]:
    tree = parse_html(f"<body>{body}</body>")
    assert tree is not None
    elements = post_elements(tree)
    page = read_blocks(tree, frozenset(elements))
    posts = page_posts(page, elements, items)
    return page, posts, text_with_posts(page, range(len(page.blocks)), posts)


def _thread() -> str:
    rows = (POST.format(n=i, name=n, date=d, text=t) for i, (n, d, t) in enumerate(THREAD))
    return f"<h1>Oil for lanterns</h1><div class=posts>{''.join(rows)}</div><p>Log in to reply</p>"


def _day(day: int) -> datetime:
    return datetime(2022, 7, day, tzinfo=timezone.utc)


def test_posts_are_boxes_of_one_class_that_say_who_and_when() -> None:
    _, _, (text, posts) = _read(_thread())
    assert [(post.number, post.author, post.published) for post in posts] == [
        (0, "Ada", _day(9)), (1, "Ben", _day(10)), (2, "Ada", _day(11))
    ]  # fmt: skip
    for post, (_, _, said) in zip(posts, THREAD, strict=True):
        assert text[post.start : post.end].endswith(said)


def test_posts_text_is_without_the_lines_of_who_and_when() -> None:
    lines = _read(_thread())[2][0].split("\n")
    assert "Ada" not in lines
    assert "Jul 9, 2022" not in lines
    assert (lines[0], lines[-1]) == ("Oil for lanterns", "Log in to reply")


def test_posts_in_microdata_are_those_that_are_marked_and_their_like() -> None:
    reply = 'itemscope itemtype="https://schema.org/Comment"'
    body = "".join(
        f"<article class='m' {reply if n else ''} data-author='{name}'><p>{text}</p>"
        f"<time datetime='2022-07-{9 + n:02}T10:00:00Z'>old</time></article>"
        for n, (name, _, text) in enumerate(THREAD)
    )
    _, _, (_, posts) = _read(body)
    assert [post.author for post in posts] == ["Ada", "Ben", "Ada"]
    assert posts[0].published == datetime(2022, 7, 9, 10, tzinfo=timezone.utc)


def test_post_around_a_reply_goes_on_below_it_and_keeps_its_author() -> None:
    comment = '<div itemscope itemtype="http://schema.org/{}"><b itemprop=author>{}</b><p>{}</p>{}'
    inner = comment.format("Answer", "Ben", "It does burn longest.", "</div>")
    outer = comment.format(
        "Question", "Ada", "Does colza burn?", f"{inner}<p>Asked again.</p></div>"
    )
    text, posts = _read(outer)[2]
    assert text == "Does colza burn?\nIt does burn longest.\nAsked again."
    assert [(post.number, post.author) for post in posts] == [(0, "Ada"), (1, "Ben"), (0, "Ada")]
    assert text[posts[2].start : posts[2].end] == "Asked again."


def test_post_that_does_not_say_who_is_named_by_json_ld() -> None:
    item = DataItem("Comment", {
        "text": ["Colza oil, but it smells of cabbage. It is cheap."],
        "author": [DataItem("Person", {"name": ["Ben"]})],
        "datePublished": ["2022-07-10"],
    })  # fmt: skip
    body = "".join(f"<div class=post><p>{text}</p><p>2 days ago</p></div>" for _, _, text in THREAD)
    _, _, (_, posts) = _read(body, (item,))
    assert [post.author for post in posts] == [None, "Ben", None]
    assert posts[1].published == _day(10)


@pytest.mark.parametrize(
    "quotation",
    [
        "<blockquote><div><cite>Ada wrote:</cite>{}</div></blockquote>",
        "<div class='bbcode_quote'>{}</div>",
        "<blockquote class=messageText><aside class='quote no-group'>{}</aside></blockquote>",
    ],
)
def test_post_is_not_credited_with_what_it_quotes(quotation: str) -> None:
    quoted = "Which oil burns longest?"
    said = THREAD[1][2]
    thread = _thread().replace(said, f"</p>{quotation.format(quoted)}<p>{said}")
    text, posts = _read(thread)[2]
    assert quoted in text
    assert [(one.number, one.author) for one in posts][-2:] == [(1, "Ben"), (2, "Ada")]
    assert not any(quoted in text[post.start : post.end] for post in posts)
    assert said in [text[post.start : post.end] for post in posts]


@pytest.mark.parametrize("name", ["messageText SelectQuoteContainer", "postcontent restore"])
def test_post_set_as_a_block_quote_is_by_its_author(name: str) -> None:
    said = THREAD[1][2]
    thread = _thread().replace(f"<p>{said}</p>", f"<blockquote class='{name}'>{said}</blockquote>")
    text, posts = _read(thread)[2]
    assert any(said in text[post.start : post.end] and post.author == "Ben" for post in posts)


def test_posts_are_not_the_nested_boxes_around_them() -> None:
    page = f"<div class='container page'><div class=container>{_thread()}</div></div>"
    comment = "<div class=container><p>Jul 1, 2022</p><p>Ad: buy our oil today</p></div>"
    _, _, (_, posts) = _read(page.replace("<h1>", comment + "<h1>"))
    assert [post.author for post in posts] == ["Ada", "Ben", "Ada"]


def test_posts_may_be_folded_and_their_heads_are_none() -> None:
    comment = "<li class=comment>{}<div class=body><p>{}</p></div></li>"
    head = "<div class=top><p>A heading of a comment</p><p>Jul 9, 2022</p></div>"
    text = "Colza oil smells of cabbage. " * 40
    page = "".join(comment.format("" if n % 3 else head, text) for n in range(9))
    assert len(_read(f"<ul class=all>{page}</ul>")[1].bylines) == 9
    unnamed = page.replace("class=comment", "class=item")
    assert _read(f"<ul class=all>{unnamed}</ul>")[1].bylines == ()


def test_post_does_not_have_the_date_on_which_its_author_joined() -> None:
    thread = _thread().replace("<a class", "<a title='Member since January 4, 2010' class")
    _, _, (_, posts) = _read(thread)
    assert [post.published for post in posts] == [_day(9), _day(10), _day(11)]


def test_page_without_posts_has_none() -> None:
    body = "<div class=a><p>A lamp burns.</p></div><div class=a><p>Another lamp burns.</p></div>"
    page, posts, (text, found) = _read(body)
    assert (posts.bylines, found) == ((), ())
    assert text == "A lamp burns.\nAnother lamp burns."
    assert not any(column.any() for column in post_features(page, posts).values())  # type: ignore[union-attr]


def test_post_features_tell_what_all_posts_have() -> None:
    page, posts, _ = _read(_thread())
    features = post_features(page, posts)
    assert tuple(features) == NAMES
    texts = [block.text for block in page.blocks]
    again, byline = features["post_again"], features["post_byline"]
    assert again[texts.index("Joined")] == 1.0  # type: ignore[index]
    assert again[texts.index(THREAD[1][2])] == 1 / 3  # type: ignore[index]
    assert byline[texts.index("Jul 10, 2022")] == 1  # type: ignore[index]
    assert features["post"][0] == 0  # type: ignore[index]
