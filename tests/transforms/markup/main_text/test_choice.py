from __future__ import annotations

import json

import pytest

from factmill.transforms.markup.html_tree import parse_html
from factmill.transforms.markup.main_text.extract_text import extract_main_text

# Different sentences, so that every one can be found again.
_TOWNS = "Arvik Bolna Cresk Dorvald Elmsund Fjarn Gorvik Hesla Ibern Jolna Kvist Lorvik".split()
TEXT = [
    f"The harbour of {town} was built by the town's own fishermen, and it took them "
    f"{number + 3} winters and all the granite of the northern quarry."
    for number, town in enumerate(_TOWNS)
]
OTHER = [
    f"In {town} they will tell you about the weather first and about everything else later, "
    "which nobody there has ever found strange."
    for town in _TOWNS
]


def _p(*texts: str) -> str:
    return "".join(f"<p>{text}</p>" for text in texts)


def _lines(body: str, title: str = "Northern harbours") -> list[str]:
    tree = parse_html(f"<html><head><title>{title}</title></head><body>{body}</body></html>")
    assert tree is not None
    return extract_main_text(tree).text.split("\n")


def test_comments_are_left_out_even_when_longer_than_the_text() -> None:
    comments = "".join(f"<li class='comment-item'>{text}</li>" for text in OTHER)
    assert _lines(f"<main>{_p(*TEXT[:3])}<ul>{comments}</ul></main>") == TEXT[:3]


def test_name_that_would_take_most_of_the_text_is_not_believed() -> None:
    entries = (f"<div class='entry author-{n}'>{_p(text)}</div>" for n, text in enumerate(TEXT))
    assert _lines(f"<div class=sidebar>{_p(OTHER[0])}</div><div>{''.join(entries)}</div>") == TEXT


@pytest.mark.parametrize(
    "name",
    ["page-with-sidebar", "has-ads", "no-share", "withLeftNav", "textWithCaption", "no-ads a"],
)
def test_name_of_what_is_beside_or_not_there_is_no_name_of_boilerplate(name: str) -> None:
    parts = (f"<div class='{name}'>{_p(*TEXT[n : n + 3])}</div>" for n in (0, 3))
    assert _lines(f"<div>{''.join(parts)}{_p(*TEXT[6:])}</div>") == TEXT


def test_name_of_boilerplate_with_something_is_boilerplate() -> None:
    assert _lines(f"<div>{_p(*TEXT)}<p class='navbox-with-group no-ads'>{OTHER[0]}</div>") == TEXT


@pytest.mark.parametrize("name", ["author-bio", "newsletter", "popular", "ad"])
def test_box_around_the_page_title_is_no_boilerplate_however_much_is_beside_it(name: str) -> None:
    main = f"<div class={name}><h1>Northern harbours</h1>{_p(*TEXT[:4])}</div>"
    teasers = "".join(f"<li><div><a href=/>All</a><p>{text}</p></div>" for text in OTHER[:6])
    assert _lines(f"<a href=/>Home</a>{main}<ul>{teasers}</ul>") == TEXT[:4]


def test_answers_folded_away_under_their_questions_are_the_text() -> None:
    folded = "".join(
        f"<h3><button aria-expanded=false>{town}?</button></h3><div hidden><p>{text}</p></div>"
        for town, text in zip(_TOWNS, TEXT, strict=True)
    )
    expected = [
        line for town, text in zip(_TOWNS, TEXT, strict=True) for line in (f"{town}?", text)
    ]
    assert _lines(f"<main>{_p(OTHER[0])}{folded}</main>") == [OTHER[0], *expected]


def test_page_hidden_until_a_script_shows_it_is_read() -> None:
    assert _lines(f"<div style='display:none'>{_p(*TEXT)}</div><p>Please wait.</p>") == TEXT


def test_next_pages_hidden_below_a_text_are_no_part_of_it() -> None:
    following = f"<div style='display: none'>{_p(*OTHER)}</div>"
    assert _lines(f"<main>{_p(*TEXT[:4])}</main>{following}") == TEXT[:4]
    assert _lines(f"<main>{_p(*TEXT[:4])}</main>{following * 2}") == TEXT[:4]


def test_cards_are_left_out_beside_a_text_and_are_the_text_of_an_index() -> None:
    cards = "".join(
        f"<div><h3><a href=/{n}>Harbour {n}</a></h3><p>{text}</p></div>"
        for n, text in enumerate(OTHER[:4])
    )
    assert _lines(f"<div>{_p(*TEXT)}{cards}</div>") == TEXT
    assert [line for line in _lines(f"<div>{cards}</div>") if line in OTHER] == OTHER[:4]


@pytest.mark.parametrize(("characters", "is_card"), [(30, True), (300, True), (301, False)])
def test_box_below_a_heading_that_is_a_link_is_a_card_up_to_300_characters(
    characters: int, is_card: bool
) -> None:
    about = f"The {'long ' * 100}"[: characters - 5] + "quay."
    box = f"<div><h3><a href=/quay>The quay</a></h3><p>{about}</p></div>"
    expected = TEXT if is_card else [*TEXT[:6], about, *TEXT[6:]]
    assert _lines(f"<div>{_p(*TEXT[:6])}{box}{_p(*TEXT[6:])}</div>") == expected


def test_headings_that_are_links_are_of_the_text_when_several_have_paragraphs() -> None:
    parts = [
        f"<div><h3><a href=/{n}>{town}</a></h3><p>{' '.join(TEXT[3 * n : 3 * n + 3])}</p></div>"
        for n, town in enumerate(_TOWNS[:4])
    ]
    lines = _lines(f"<main>{_p(*OTHER)}{''.join(parts)}</main>")
    assert [line for line in lines if line in _TOWNS] == _TOWNS[:4]
    assert len(lines) == len(OTHER) + 8
    inside = f"<h3><a href=/0>{_TOWNS[0]}</a></h3>"
    assert _lines(f"<main>{_p(*OTHER)}{inside}{_p(*TEXT)}</main>") == [*OTHER, *TEXT]


def test_data_table_is_left_out_and_layout_table_is_not() -> None:
    data = "<table><tr><th>Town<th>Boats<tr><td>Arvik<td>31<tr><td>Bolna<td>12</table>"
    assert _lines(_p(*TEXT[:4]) + data) == TEXT[:4]
    layout = f"<table><tr><td>{_p(*TEXT[:3])}<td>{TEXT[3]}<tr><td>{_p(*TEXT[4:7])}<td>x</table>"
    assert [line for line in _lines(layout) if line in TEXT] == TEXT[:7]


def test_table_that_becomes_a_segment_is_not_in_the_text_as_well() -> None:
    rows = "".join(f"<tr><td>{town}<td>{n}" for n, town in enumerate(_TOWNS[:4], 10))
    lines = _lines(f"{_p(*TEXT)}<table><caption>Boats</caption>{rows}</table>")
    assert lines == TEXT


def test_table_that_is_no_segment_stays_in_the_text() -> None:
    points = "".join(f"<tr><td>•<td>{sentence}" for sentence in TEXT[4:7])
    lines = _lines(f"{_p(*TEXT[:4])}<table>{points}</table>")
    assert [line for line in lines if line in TEXT] == TEXT[:7]


def test_table_whose_cells_are_texts_of_their_own_is_read_as_text_too() -> None:
    job = "".join(f"<p>{sentence}</p>" for sentence in TEXT[4:7])
    table = f"<table><tr><th>Job<th>Town<tr><td>{job}<td>Arvik<tr><td>{job}<td>Bolna</table>"
    assert set(TEXT[:7]) <= set(_lines(_p(*TEXT[:4]) + table))


def test_table_without_headers_whose_cells_are_paragraphs_is_no_data() -> None:
    rows = "".join(f"<tr><td>{town}<td>{' '.join(TEXT[:2])}" for town in _TOWNS[:4])
    assert _lines(f"<table>{rows}</table>").count(" ".join(TEXT[:2])) == 4


def test_page_of_tables_has_the_sentence_above_them() -> None:
    table = "<table><tr><th>Town<th>Boats<tr><td>Arvik<td>31<tr><td>Bolna<td>12</table>"
    body = f"<p>Boats by town, as counted in May.</p>{table * 3}<a href=/>Towns</a><b>Fish</b>"
    assert _lines(body)[0] == "Boats by town, as counted in May."
    assert "Bolna" not in "".join(_lines(body))


def test_table_with_row_headers_is_data_however_long_its_cells() -> None:
    rows = "".join(f"<tr><th>{town}<td>{' '.join(OTHER[:4])}" for town in _TOWNS[:3])
    body = f"<table><tr><td colspan=2>Towns{rows}</table>{_p(*TEXT)}"
    assert _lines(body) == TEXT


def test_title_is_not_repeated_and_nothing_above_it_is_text() -> None:
    ticker = f"<div>{_p(*OTHER[:3])}</div>"
    body = f"<div>{ticker}<h1>The northern harbours</h1>{_p(*TEXT)}<h2>See also</h2></div>"
    assert _lines(body) == TEXT


def test_title_of_one_word_is_not_repeated() -> None:
    assert _lines(f"<div><h1>Harbours</h1>{_p(*TEXT)}</div>", title="Harbours") == TEXT


def test_heading_further_down_that_is_like_the_title_cuts_nothing_off() -> None:
    body = f"<h1>Seven harbours up north</h1>{_p(*TEXT[:3])}<h2>Northern harbours</h2>"
    assert _lines(f"<div>{body}{_p(*TEXT[3:])}</div>")[1:4] == TEXT[:3]


def test_other_headings_stay_in_the_text() -> None:
    body = f"<article>{_p(TEXT[0])}<h2>Granite</h2>{_p(*TEXT[1:4])}</article>"
    assert _lines(body) == [TEXT[0], "Granite", *TEXT[1:4]]


def test_parts_set_alike_are_one_text() -> None:
    parts = (f"<div class='row part'>{_p(*TEXT[n : n + 4])}</div>" for n in (0, 4, 8))
    assert _lines(f"<body><div>{'<hr>'.join(parts)}</div></body>") == TEXT


def test_question_beside_the_box_of_its_answers_is_a_part_of_the_text() -> None:
    question = f"<div id=question><div class=post-body>{_p(*TEXT[:3])}</div></div>"
    answers = "".join(
        f"<div class=answer><div class=post-body>{_p(*TEXT[n : n + 3])}</div></div>"
        for n in (3, 6, 9)
    )
    assert _lines(f"<div>{question}<div id=answers>{answers}</div></div>") == TEXT


def test_paragraphs_of_a_chinese_text_are_short() -> None:
    text = [f"这座城市建于{number}百年前，位于河边。" for number in range(3, 30)]
    notice = "我们使用小型文本文件来改善您的体验，" * 5
    assert _lines(f"<div>{_p(*text)}</div><div class=x><p>{notice}</p></div>") == text


def test_paragraphs_right_in_the_box_stay_with_the_box_that_has_most() -> None:
    assert _lines(f"<div>{_p(*TEXT[:3])}<div class=rest>{_p(*TEXT[3:])}</div></div>") == TEXT


def test_box_with_the_title_is_chosen_over_a_longer_one_beside_it() -> None:
    main = f"<div id=a><h1>Northern harbours</h1>{_p(*TEXT[:6])}</div>"
    assert (
        _lines(f"{main}<div id=b><div><p>{OTHER[0]}</p></div><b>{OTHER[1]}</b></div>") == TEXT[:6]
    )


@pytest.mark.parametrize(
    "below",
    [
        f"<div><h4>Read by many</h4><p>{OTHER[0]}</p></div>",
        "<ul><li>How <a href=/1>the quay of Arvik sank</a><li>Why <a href=/2>Bolna is dry</a></ul>",
        "<p>Ada Holm writes about the sea. <a href='mailto:ada@a.example'>Write to her</a></p>",
        "<p><a href=/all>All about harbours</a></p>",
        "<p>Advertisement</p>",
        "<h3>More</h3>",
        "<aside>Sign up for news of the sea, every week and free of charge.</aside>",
    ],
)
def test_what_stands_below_the_text_is_no_part_of_it(below: str) -> None:
    assert _lines(f"<article>{_p(*TEXT)}{below}</article>") == TEXT


def test_accounts_in_the_last_paragraphs_of_a_text_do_not_end_it() -> None:
    linked = f"{TEXT[0]} Ada Holm <a href='https://twitter.com/adaholm'>saw it</a>. {TEXT[1]}"
    assert _lines(_p(*OTHER, linked, *TEXT[2:4])) == [
        *OTHER, f"{TEXT[0]} Ada Holm saw it. {TEXT[1]}", *TEXT[2:4]
    ]  # fmt: skip


def test_list_in_the_text_stays() -> None:
    items = ["granite, from the north", "piles of <a href=/oak>oak</a>", "a hundred fishermen"]
    body = f"<div>{_p(TEXT[0])}<ul><li>{'<li>'.join(items)}</ul>{_p(*TEXT[1:])}</div>"
    assert _lines(body)[1:4] == [items[0], "piles of oak", items[2]]


def test_page_of_links_has_what_trafilatura_finds() -> None:
    links = "".join(f"<p><a href=/{n}>{text}</a></p>" for n, text in enumerate(TEXT))
    assert set(_lines(f"<div id=content>{links}</div>")) >= set(TEXT)


@pytest.mark.parametrize("where", ["head", "body"])
@pytest.mark.parametrize("shown", ["Please wait.", f"{OTHER[0]} {OTHER[1]} {OTHER[2]}"])
def test_page_that_shows_a_teaser_has_the_text_of_its_structured_data(
    where: str, shown: str
) -> None:
    body = "\n\n".join(TEXT[:6]) + "".join(f"<p>{text}</p>" for text in TEXT[6:])
    data = json.dumps([{"articleBody": "No."}, {"@type": "NewsArticle", "articleBody": body}])
    script = f"<script type='application/ld+json'>{data[:-1]}</script><script>write('No')</script>"
    html = f"<html><head><title>x</title></head><body><p>{shown}</p></body></html>"
    tree = parse_html(html.replace(f"<{where}>", f"<{where}>{script}"))
    assert tree is not None
    assert extract_main_text(tree).text.split("\n") == TEXT


def test_stated_text_has_no_halves_of_characters_and_no_control_characters() -> None:
    body = '{"articleBody": "' + " ".join(TEXT) + '\\ud83d \\u0000end."}'
    text = "".join(_lines(f"<script type='application/ld+json'>{body}</script>"))
    assert text.encode().decode() == text
    assert "\0" not in text
    assert text.endswith("end.")


def test_text_that_a_page_shows_is_taken_over_the_one_it_states() -> None:
    data = json.dumps({"articleBody": " ".join([*TEXT, "Picture: Ada Holm."])})
    assert _lines(f"<script type='application/ld+json'>{data}</script>{_p(*TEXT)}") == TEXT


def test_page_without_text_has_what_it_shows_without_scripts() -> None:
    shown = _lines(f"<noscript><article>{_p(*TEXT)}</article></noscript><div id=root></div>")
    assert " ".join(shown) == " ".join(TEXT)
    assert _lines("<noscript><p>This site needs JavaScript.</p></noscript><div id=root>") == [""]
    assert _lines(f"<noscript>{_p(*OTHER)}</noscript>{_p(*TEXT)}") == TEXT


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "many",
    [
        "<div class=comment>",
        f"<div class='share'>{OTHER[0]}</div>",
        f"<h1>{OTHER[1]}</h1><p>{OTHER[0]}</p>",
        "<ul><li><a href=x>y</a></ul>",
        "<table><tr><td>x",
        "<noscript>x",
        '<script type=\'application/ld+json\'>"articleBody": "</script>',
    ],
)
def test_twenty_thousand_of_anything_do_not_hang(many: str) -> None:
    assert TEXT[0] in _lines(f"<div>{_p(*TEXT)}{many * 20_000}</div>")


def test_attribute_of_megabytes_is_read() -> None:
    body = f"<div class='{'a-B ' * 1_000_000}' style='{'display ' * 500_000}'>{_p(*TEXT)}</div>"
    assert _lines(body) == TEXT


@pytest.mark.parametrize("sign", ["© Harbours", "(C) 2019", "COPYRIGHT", "All Rights Reserved"])
def test_copyright_notice_below_the_text_is_left_out(sign: str) -> None:
    notice = f"{sign}, the fishermen of the north and whoever else has written any of this here."
    assert _lines(f"<main>{_p(*TEXT[:3])}</main>{_p(notice)}") == TEXT[:3]
    assert _lines(f"<main>{_p(*TEXT[:3], notice)}</main>") == [*TEXT[:3], notice]
