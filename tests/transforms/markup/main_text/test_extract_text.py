from __future__ import annotations

import numpy as np
import pytest
import trafilatura
from lxml.html import HtmlElement

from factmill.models.arrays import Floats
from factmill.models.pages.kind_model import PAGE_KINDS, KindGuess
from factmill.transforms.inputs.page_files import read_page_file
from factmill.transforms.inputs.raw_page import RawPage
from factmill.transforms.inputs.sitemaps import Location
from factmill.transforms.markup.decoding import decode_html
from factmill.transforms.markup.html_tree import parse_html
from factmill.transforms.markup.main_text import learned_choice
from factmill.transforms.markup.main_text.extract_text import extract_main_text
from tests.conftest import SAMPLES

PARAGRAPH = "The ferry to the island leaves from the old quay at nine and takes forty minutes."


def _text(name: str) -> str:
    raw = read_page_file(SAMPLES / name, name, "html", Location())
    assert isinstance(raw, RawPage)
    assert raw.html is not None
    return extract_main_text(_tree(decode_html(raw.html))).text


def _tree(html: str) -> HtmlElement:
    tree = parse_html(html)
    assert tree is not None
    return tree


@pytest.mark.parametrize(
    ("name", "there", "not_there"),
    [
        (
            "html/museum/index.html",
            ["tells the story of the people who lived from the sea",
             "which was built in 1788 of grey limestone", "Its annual budget is £1.3 million"],
            ["We use cookies", "Accept all", "Read our cookie notice", "Book tickets",
             "Unsubscribe with one click", "4 Tide Street", "Registered charity", "hbm_consent"],
        ),
        (
            "html/town/bridges.html",
            ["Five bridges cross the River Thessle", "by the mason Josiah Crane",
             "inspects both bridges every six weeks"],
            ["We use cookies", "Report a problem", "Skip to main content", "Freedom of information",
             "Was this page useful", "lost cats", "Cable-stayed", "Planned closures"],
        ),
        (
            "html/lighthouses/list-of-lights.html",
            ["The oldest light is the Old Mole Light", "waited 61 days for their relief"],
            ["The wiki moves house", "Log in", "Recent changes", "Privacy policy", "Horn 30s"],
        ),
        (
            "crawl_pages/observatory-about.html",
            ["was founded in 1912 by Prof. Edmund Larkspur", "Dr. Samir Okonjo has been director"],
            ["There is a fox in the dome", "Back to top", "We set no cookies", "Subscribe",
             "Red light mode"],
        ),
        (
            "crawl_pages/harbour-tides.html",
            ["handled 268,000 tonnes of goods in 2022", "The harbour master is Capt. Ewa Lindgren",
             "completed in 1822 and is 340 m long"],
            ["Webcam", "Advertisement", "Sitemap", "08:14", "font: 11pt"],
        ),
        (
            "html/railway/light-railway.html",
            ["It was opened on 4 June 1868", "which has eleven arches and is 214 m long",
             "the tunnel is now full of cheese"],
            ["counter.cgi"],
        ),
    ],
)  # fmt: skip
def test_extract_main_text_sample_page_has_its_paragraphs_and_no_boilerplate(
    name: str, there: list[str], not_there: list[str]
) -> None:
    text = _text(name)
    assert [part for part in there if part not in text] == []
    assert [part for part in not_there if part in text] == []


def test_extract_main_text_one_paragraph_a_line() -> None:
    body = "".join(f"<p>Paragraph {n}.\n   {PARAGRAPH}</p>" for n in range(3))
    text = extract_main_text(_tree(f"<html><body><article>{body}</article></body></html>")).text
    assert text.split("\n") == [f"Paragraph {n}. {PARAGRAPH}" for n in range(3)]


def test_extract_main_text_page_laid_out_with_tables_has_the_cells_text() -> None:
    cells = f"<tr><td>Home</td><td><p>{PARAGRAPH}</p><p>A second one: {PARAGRAPH}</p></td></tr>"
    text = extract_main_text(_tree(f"<html><body><table>{cells}</table></body></html>")).text
    assert f"A second one: {PARAGRAPH}" in text


def test_extract_main_text_where_trafilatura_finds_nothing_takes_visible_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(trafilatura, "extract", lambda *_args, **_options: None)
    html = (
        "<html><head><style>p{}</style><script>var x=1</script></head><body>"
        "<nav>Home Away</nav><header><a>Top</a></header><aside>Side</aside><form><a>Form</a></form>"
        "<a>Another</a>\n <a>label.</a><noscript>No</noscript>"
        "<template>hidden</template><footer>Imprint</footer></body></html>"
    )
    assert extract_main_text(_tree(html)).text.split("\n") == ["Another", "label."]


@pytest.mark.parametrize(
    "html",
    [
        '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body>Hm.</body></html>',
        "http://a.example/page.html",
        "page.html",
    ],
)
def test_extract_main_text_page_that_looks_like_something_else_warns_of_nothing(html: str) -> None:
    assert extract_main_text(_tree(html)).text in ("Hm.", html)


@pytest.mark.parametrize("html", ["<html></html>", "<p> </p>", "<script>x()</script>"])
def test_extract_main_text_nothing_to_say_is_empty(html: str) -> None:
    assert extract_main_text(_tree(html)).text == ""


@pytest.mark.parametrize("html", ["", "  \n", "<!-- only a comment -->"])
def test_parse_html_without_element_is_none(html: str) -> None:
    assert parse_html(html) is None


@pytest.mark.timeout(60)
@pytest.mark.parametrize("tag", ["div", "b", "blockquote", "ul><li", "table><tr><td", "p><i"])
def test_extract_main_text_twenty_thousand_nested_tags_do_not_crash(tag: str) -> None:
    opened = "".join(f"<{name}>" for name in tag.split("><"))
    html = f"<html><body><p>{PARAGRAPH} {PARAGRAPH}</p>{opened * 20_000}deep"
    assert PARAGRAPH in extract_main_text(_tree(html)).text
    assert parse_html(html) is not None


class _SurePosts:
    """Stands for the network: sure that the first blocks are content, and no other."""

    def __init__(self, first: int) -> None:
        self._first = first

    def probabilities(self, _features: Floats, _kinds: Floats, words: Floats) -> Floats:
        found = np.zeros(len(words), np.float32)
        found[: self._first] = 1.0
        return found


def _guess(article: float, forum: float, words: int = 50) -> KindGuess:
    probabilities = np.zeros(len(PAGE_KINDS), np.float32)
    probabilities[PAGE_KINDS.index("article")] = article
    probabilities[PAGE_KINDS.index("forum")] = forum
    return KindGuess(
        "article" if article > forum else "forum", max(article, forum), probabilities, words
    )


@pytest.mark.parametrize(
    ("guess", "posts", "is_learned"),
    [
        (_guess(0.2, 0.8), 3, True),
        (_guess(0.2, 0.8), 19, True),
        (_guess(0.2, 0.8, words=3), 3, True),  # little said of its kind, and much to win
        (_guess(0.2, 0.8, words=3), 19, False),
        (_guess(0.2, 0.8, words=2), 3, False),  # next to nothing said of its kind
        (_guess(0.6, 0.4), 3, True),  # the rules keep many blocks of no content
        (_guess(0.6, 0.4), 19, False),  # both find nearly the same
        (_guess(0.51, 0.49), 16, True),
        (_guess(0.55, 0.45), 16, True),
        (_guess(0.65, 0.35), 16, False),  # the same promise, a likelier article
        (_guess(0.65, 0.35), 13, True),
        (_guess(0.95, 0.05), 3, False),
    ],
)
def test_extract_main_text_an_article_is_left_to_the_rules_unless_the_network_promises_more(
    monkeypatch: pytest.MonkeyPatch, guess: KindGuess, posts: int, is_learned: bool
) -> None:
    monkeypatch.setattr(learned_choice, "block_net", lambda: _SurePosts(posts))
    paragraphs = [f"{PARAGRAPH} Boat {number}." for number in range(20)]
    # Names tell them apart: paragraphs that are set alike are judged together.
    names = (chr(ord("a") + number) for number in range(20))
    body = "".join(f"<p class={n}>{text}</p>" for n, text in zip(names, paragraphs, strict=True))
    found = extract_main_text(_tree(f"<html><body><div>{body}</div></body></html>"), guess)
    assert found.text.split("\n") == (paragraphs[:posts] if is_learned else paragraphs)
    # Where the rules and the network do not agree, or nobody is sure of the kind, less is sure.
    asked = guess.words > 2 and guess.confidence < 0.9
    both = 2 * posts / (20 + posts)
    if not asked:
        assert found.confidence == pytest.approx((guess.probabilities[0] + 1) / 2)
    else:
        assert found.confidence == pytest.approx((both + (1 if is_learned else both)) / 2, abs=0.02)


def test_extract_main_text_of_a_forum_has_the_posts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learned_choice, "block_net", lambda: _SurePosts(20))
    said = [f"{PARAGRAPH} Boat {number}." for number in range(3)]
    body = "".join(
        f"<div class=post><b class=author>Ada {n}</b> Jul {n + 1}, 2022<p>{text}</p></div>"
        for n, text in enumerate(said)
    )
    found = extract_main_text(_tree(f"<html><body>{body}</body></html>"), _guess(0.1, 0.9))
    assert found.text.split("\n") == said
    texts = [found.text[post.start : post.end] for post in found.posts]
    assert texts == said
    assert [post.author for post in found.posts] == ["Ada 0", "Ada 1", "Ada 2"]
    assert [post.published and post.published.day for post in found.posts] == [1, 2, 3]
