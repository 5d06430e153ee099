from __future__ import annotations

import pytest

from factmill.transforms.markup.html_tree import parse_html
from factmill.transforms.markup.main_text.blocks import PageBlocks, read_blocks
from factmill.transforms.markup.main_text.boilerplate_names import boilerplate_name


def _read(body: str) -> PageBlocks:
    tree = parse_html(f"<html><head><title>T</title></head><body>{body}</body></html>")
    assert tree is not None
    return read_blocks(tree)


def _texts(body: str) -> list[str]:
    return [block.text for block in _read(body).blocks]


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        ("<p>One\n <b>and</b> a half</p>two<div>three<p>four</p>five</div>six",
         ["One and a half", "two", "three", "four", "five", "six"]),
        ("one<br>line<br><br>two", ["one line", "two"]),
        ("one<br>two<br>three", ["one two three"]),
        ("seen <span hidden>not</span><i style='color:red; display : none'>not</i>again",
         ["seen again"]),
        ("<script>x</script>a<style>y</style><svg><text>z</text></svg>b<select><option>c</select>",
         ["ab"]),
        ("<ul><li>one<li>two</ul><table><tr><td>three<td>four</table>",
         ["one", "two", "three", "four"]),
        ("<p>one</p><embed src=x><p>two</p><embed src=y>three", ["one", "two", "three"]),
        ("<my-p><template shadowrootmode=open><p>one<style>x</style></p></template></my-p>"
         "<template><p>two</p></template>", ["one"]),
    ],
)  # fmt: skip
def test_read_blocks_breaks_where_a_browser_does(body: str, texts: list[str]) -> None:
    assert _texts(body) == texts


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<p><span>Brand</span><span>Outlet</span></p>", "Brand Outlet"),
        ("<p><a><b>Storm lamp</b></a><a>Lumen</a></p>", "Storm lamp Lumen"),
        ("<p><span>Lamp</span><span>$40</span></p>", "Lamp $40"),
        ("<p><span>€ 9</span><span>€ 8</span><b>7</b><i>€</i></p>", "€ 9 € 87€"),
        ("<p><span>X200</span><span>Lumen</span></p>", "X200 Lumen"),
        ("<p><span>i</span><span>Phone</span></p>", "iPhone"),
        ("<p><span>the new i</span><span>Phone</span></p>", "the new iPhone"),
        ("<p><span>Light</span><span>house</span></p>", "Lighthouse"),
        ("<p><span>100</span><span>K</span></p>", "100K"),
        ("<p>Java<b>Script</b> <i>Mac</i>Donald</p>", "JavaScript MacDonald"),
    ],
)
def test_read_blocks_elements_that_adjoin_are_words_of_their_own(body: str, text: str) -> None:
    assert _texts(body) == [text]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("costs $19<sup>99</sup> here", "costs $19.99 here"),
        ("<span>$2,</span><span>898</span><sup><i>00</i></sup>", "$2,898.00"),
        ("$19<sup>.99</sup>", "$19.99"),
        ("about 10<sup>6</sup> at 2×10<sup>-3</sup>", "about 10^6 at 2×10^-3"),
        ("the 4<sup>th</sup> of 12 m<sup>2</sup>", "the 4th of 12 m2"),
        ("2<sup>1</sup>/<sub>2</sub>", "2 1/2"),
        ("in 1931 <sup>3</sup>He", "in 1931 3He"),
        ("lit in 1931<sup><a href='#n'>2</a></sup> here", "lit in 1931 here"),
        ("lit<a href='#n'><sup>2</sup></a> here", "lit here"),
        ("x<sup><a href='/tm'>TM</a></sup>", "xTM"),
    ],
)
def test_read_blocks_raised_number_is_no_part_of_the_number_before_it(body: str, text: str) -> None:
    assert _texts(f"<p>{body}</p>") == [text]


def test_read_blocks_paragraphs_of_text_in_lines_are_lines() -> None:
    manual = "NAME\n    ls - list\n    files\n\nUSAGE\n      <b>ls</b> A FILE\n  \n\n  Sorts\nthem."
    tree = parse_html(f"<pre>{manual}</pre>")
    assert tree is not None
    page = read_blocks(tree)
    (block,) = page.blocks
    assert block.text == "NAME ls - list files USAGE ls A FILE Sorts them."
    page.break_lines()
    assert block.text == "NAME\nls - list files\nUSAGE\nls A FILE\nSorts them."


@pytest.mark.timeout(30)
def test_read_blocks_hundred_thousand_raised_marks_are_read_in_one_pass() -> None:
    marks = "<sup>1</sup>" * 100_000
    assert len(_texts(f"<p>1<a href='#n'>{marks}</a></p>")) == 1


@pytest.mark.parametrize(
    ("heading", "text"),
    [
        ("Install<a class=headerlink href='#i'>¶</a>", "Install"),
        ("<a class=anchor href='/x#c'>#</a>About C#", "About C#"),
        ("<a href='#c'>About C#</a>", "About C#"),
        ("History<span class=mw-editsection>[<a href='/e'>edit</a>]</span>", "History"),
        ("<a href='#x'>#</a>", "#"),
    ],
)
def test_drop_marks_leaves_the_words_of_a_heading(heading: str, text: str) -> None:
    page = _read(f"<h2>{heading}</h2><p>One<a href='#p'>¶</a></p>")
    page.drop_marks()
    assert [block.text for block in page.blocks] == [text, "One¶"]


def test_read_blocks_counts_characters_in_links() -> None:
    first, second = _read("<p>See <a href=/x>the <b>map</b></a> here</p><a><p>All</p></a>").blocks
    assert (first.text, first.linked) == ("See the map here", len("the") + len("map"))
    assert second.linked == len(second.text)


def test_read_blocks_boxes_hold_ranges_of_blocks() -> None:
    page = _read("<div><p>one</p><p>two</p></div><section>three</section>")
    ranges = {box.tag: (box.start, box.end) for box in page.boxes}
    assert (ranges["div"], ranges["section"], ranges["body"]) == ((0, 2), (2, 3), (0, 3))


def test_read_blocks_names_count_at_a_block_s_start_but_not_in_a_sentence() -> None:
    page = _read(
        "<p><span class='photo-credit'>J. Doe</span> She said <a class='social-link'>this</a></p>"
    )
    assert [block.text for block in page.blocks] == ["J. Doe", "She said this"]
    assert page.boxes[page.blocks[0].box].boilerplate == "credit"


def test_read_blocks_unclosed_button_swallows_nothing() -> None:
    assert "After" in _texts("<div><button><i>Menu</div><p>After</p>")


@pytest.mark.parametrize(
    ("href", "contact"),
    [("mailto:a@b.example", True), ("https://twitter.com/someone", True),
     ("https://www.facebook.com/someone", True), ("https://twitter.com/a/status/12", False),
     ("https://youtube.com/watch?v=1", False), ("/contact", False),
     ("https://a.example/twitter.com/", False)],
)  # fmt: skip
def test_read_blocks_link_to_an_account_is_a_contact(href: str, contact: bool) -> None:
    page = _read(f"<p>Before</p><p>Here: <a href='{href}'>me</a></p><p>After</p>")
    assert [block.contact for block in page.blocks] == [False, contact, False]


@pytest.mark.parametrize(("between", "contact"), [("", True), (" ", False)])
def test_read_blocks_contact_without_words_is_of_the_block_that_begins_with_it(
    between: str, contact: bool
) -> None:
    page = _read(f"<div><a href='mailto:a@b.example'><img></a>{between}</div><p>After</p>")
    assert [block.contact for block in page.blocks] == [contact]


@pytest.mark.parametrize(
    ("name", "word"),
    [("entry-meta", "meta"), ("entryMeta x", "meta"), ("POST_META", "meta"), ("metal", ""),
     ("read-more", "read-more"), ("read this more", ""), ("sharewood", ""),
     ("comments-area", "comments"),
     ("social-embed", ""), ("col-md-8 main", ""), ("", ""),
     ("element-4ad102a7", ""), ("ad-4ad102a7", "ad"), ("ad300x250", "ad")],
)  # fmt: skip
def test_boilerplate_name_compares_whole_words(name: str, word: str) -> None:
    assert boilerplate_name(name) == word
