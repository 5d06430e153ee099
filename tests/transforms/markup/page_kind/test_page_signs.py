from __future__ import annotations

from factmill.models.pages.kind_model import PageSigns, is_markup
from factmill.transforms.markup.html_tree import parse_html
from factmill.transforms.markup.page_kind.page_signs import page_signs

FORUM = """<html><head><meta property="og:type" content="Website">
<meta name="generator" content="Discourse 3.4">
<script type="application/ld+json">{"@type": "DiscussionForumPosting", broken}</script></head>
<body class="forumTopic"><div itemscope itemtype="https://schema.org/Comment">%s</div></body></html>"""
POSTS = "".join(
    f"<div class='post topic-body' itemprop='text' id='p{n}'><p>I lit it.</p></div>"
    for n in range(5)
)


def _signs(html: str, url: str = "", title: str = "") -> PageSigns:
    tree = parse_html(html)
    assert tree is not None
    return page_signs(tree, url, title)


def test_page_signs_say_where_their_words_stand() -> None:
    url = "https://community.lamps.example/t/oil-lamps/12?page=2"
    signs = _signs(FORUM % POSTS, url, "Oil Lamps")
    assert signs.words >= {
        "h:community", "u:t", "u:oil", "t:lamps", "o:website", "g:discourse",
        "j:discussionforumposting", "j:comment", "i:text", "b:forum", "b:topic",
        "c:post", "C:post", "C:topic",
    }  # fmt: skip
    assert "C:forum" not in signs.words
    assert signs.numbers["path_parts"] == 3
    assert signs.numbers["has_query"]
    assert not signs.numbers["no_address"]


def test_page_signs_have_every_type_of_json_ld() -> None:
    script = (
        '{"@type": ["Product", "https://schema.org/Thing"], "offers": {"@type" : "Offer"}, '
        '"@type": 12, "@type": "", "about": {"@type":"Brand"}}'
    )
    signs = _signs(f"<script type='application/ld+json'>{script}</script><p>x</p>")
    assert {sign for sign in signs.words if sign.startswith("j:")} == {
        "j:product", "j:thing", "j:offer", "j:brand",
    }  # fmt: skip


def test_page_signs_count_a_name_once_an_element_and_in_its_class_and_id() -> None:
    signs = _signs("<div class='post' id='post'></div>" * 4 + "<p id='Post'>x</p>")
    assert "C:post" in signs.words
    assert "C:post" not in _signs("<div class='post' id='post'></div>" * 4).words


def test_page_signs_of_a_broken_address_are_those_of_none() -> None:
    assert _signs("<p>x</p>", "https://[broken").numbers["path_parts"] == 0


def test_page_signs_have_the_first_words_of_labels_and_those_of_five() -> None:
    labels = "<button>Reply</button>" * 4 + "<a>Reply to 12 of the Lamps</a>"
    signs = _signs(f"<body>{labels}<p>{'A sentence that is no label says more. ' * 2}</p></body>")
    assert {word for word in signs.words if not is_markup(word)} == {
        "w:reply", "W:reply", "w:to", "w:of", "w:the",
    }  # fmt: skip
