from __future__ import annotations

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from factmill.models.pages.block_net import block_net
from factmill.transforms.markup.html_tree import parse_html
from factmill.transforms.markup.main_text.block_features import block_features
from factmill.transforms.markup.main_text.blocks import read_blocks
from factmill.transforms.markup.main_text.choice import choose_text
from factmill.transforms.markup.main_text.learned_choice import (
    best_blocks,
    counted_words,
    expected_f1,
    without_repeats,
)
from factmill.transforms.markup.main_text.told_phrases import ToldPhrases, told_phrases
from factmill.transforms.markup.main_text.without_script import show_without_script
from factmill.transforms.markup.posts.page_posts import page_posts
from factmill.transforms.markup.tables.table_markdown import read_tables

LIKELY = st.integers(1, 99).map(lambda percent: percent / 100)


@given(st.lists(st.tuples(LIKELY, st.integers(1, 40)), min_size=1, max_size=12))
def test_best_blocks_no_other_number_of_likeliest_blocks_has_a_better_expected_f1(
    blocks: list[tuple[float, int]],
) -> None:
    likely = np.array([one for one, _ in blocks], np.float32)
    words = np.array([count for _, count in blocks], np.float32)
    to_find = float((likely * words).sum())

    def expected(chosen: list[int]) -> float:
        hits = float((likely * words)[chosen].sum())
        return 2 * hits / (float(words[chosen].sum()) + to_find)

    chosen = np.flatnonzero(best_blocks(likely, words)).tolist()
    order = np.argsort(-likely, kind="stable").tolist()
    best = max(expected(order[:number]) for number in range(1, len(order) + 1))
    assert expected(chosen) >= best - 1e-5


def test_expected_f1_of_blocks_that_are_sure_is_their_f1() -> None:
    content, words = np.array([1, 1, 0], np.float32), np.array([6, 2, 4], np.float32)
    chosen = np.array([True, False, True])  # 6 of 8 words found, 10 taken
    assert expected_f1(chosen, content, words) == 2 * 6 / (10 + 8)
    assert expected_f1(chosen, content, np.zeros(3, np.float32)) == 0.0


def test_best_blocks_leave_out_blocks_without_words_that_count() -> None:
    likely = np.array([0.9, 0.8], np.float32)
    assert best_blocks(likely, np.array([0, 5], np.float32)).tolist() == [False, True]
    assert best_blocks(likely, np.zeros(2, np.float32)).tolist() == [False, False]
    assert best_blocks(likely[:0], np.zeros(0, np.float32)).tolist() == []


CARDS = "".join(
    f"<div class='product-card'><h3>Lamp {n}</h3><span class='price'>$ {n}9.00</span></div>"
    for n in range(4)
)
NOTHING_TOLD = ToldPhrases()
PAGE = (
    "<html><head><title>Storm lamps</title></head><body>"
    f"<nav class='menu'><a href='/'>Home</a></nav><h1>Storm lamps</h1>"
    f"<div class='grid'>{CARDS}</div>"
    "<div class='description'>They burn for nine nights in any weather</div>"
    "</body></html>"
)


def _features(
    html: str, told: ToldPhrases = NOTHING_TOLD
) -> tuple[list[str], dict[str, list[float]]]:
    tree = parse_html(html)
    assert tree is not None
    page = read_blocks(tree)
    posts = page_posts(page, (), ())
    names, features = block_features(page, choose_text(page, "Storm lamps"), told, posts)
    assert features.dtype == np.float32
    assert np.isfinite(features).all()
    columns = {name: features[:, at].tolist() for at, name in enumerate(names)}
    return [block.text for block in page.blocks], columns


def test_features_are_those_that_the_shipped_network_was_trained_with() -> None:
    _, columns = _features(PAGE)
    assert tuple(columns) == block_net().features


def test_features_tell_rows_prices_names_and_boilerplate_of_a_block() -> None:
    texts, columns = _features(PAGE)
    lamp, home = texts.index("Lamp 2"), texts.index("Home")
    assert round(np.expm1(columns["row"][lamp])) == 4
    assert columns["in_item"][lamp] == columns["near_item"][lamp] == 1
    assert columns["heading"][lamp] == 3
    assert columns["price"][texts.index("$ 29.00")] == 1
    assert (columns["boilerplate"][home], columns["linked"][home]) == (1, 1)
    assert columns["boilerplate"][lamp] == columns["linked"][lamp] == 0
    assert columns["title"][texts.index("Storm lamps")] == 1
    assert columns["below_h1"][home] < 0 < columns["below_h1"][lamp]


def test_features_random_parts_of_names_hold_no_words() -> None:
    texts, columns = _features("<h1>Storm lamps</h1><div class=x-4ad102a7><p>They burn.</p></div>")
    burn = texts.index("They burn.")
    assert columns["in_account"][burn] == columns["boilerplate"][burn] == 0


def test_features_find_what_structured_data_says_of_a_product() -> None:
    said = {
        "@type": "Product",
        "description": "They burn for <b>nine nights</b> in any weather\\u2026 and more",
        "review": {"reviewBody": "Lamp 1"},
    }
    script = f"<script type='application/ld+json'>{json.dumps(said)}</script>"
    tree = parse_html(PAGE.replace("</body>", f"{script}</body>"))
    assert tree is not None
    texts, columns = _features(PAGE, told_phrases(tree))
    described = texts.index("They burn for nine nights in any weather")
    assert columns["described"][described] == 1.0
    assert sum(columns["described"]) == 1.0
    assert not any(columns["reviewed"] + columns["posted"])


def test_counted_words_are_not_those_of_data_tables() -> None:
    rows = "".join(f"<tr><th>Height {n}</th><td>{n} feet</td></tr>" for n in range(3))
    tree = parse_html(f"<p>Two lamps</p><table>{rows}</table>")
    assert tree is not None
    page = read_blocks(tree, tables=read_tables(tree))
    counted = counted_words(page, choose_text(page, "")).tolist()
    assert counted == [2.0] + [0.0] * 6


def test_words_that_a_likelier_block_says_do_not_count_again() -> None:
    line = "Free delivery of all storm lamps"
    tree = parse_html(f"<p>{line}</p><p>$ 9</p><p>{line}</p><p>$ 9</p><pre>{line}</pre>")
    assert tree is not None
    page = read_blocks(tree)
    likely, words = np.array([0.2, 0.5, 0.9, 0.5, 0.1], np.float32), np.full(5, 6, np.float32)
    words[[1, 3]] = 2
    assert without_repeats(page, likely, words).tolist() == [0, 2, 6, 2, 6]


def test_text_that_only_stands_in_noscript_is_shown() -> None:
    post = "<p>" + "The lamp was lit at dusk every day. " * 20 + "</p>"
    for shown, tag in ((f"<p>{post * 2}</p>", "noscript"), ("<p>Loading</p>", "div")):
        tree = parse_html(f"<body>{shown}<noscript>{post}</noscript><script>var a;</script></body>")
        assert tree is not None
        show_without_script(tree)
        assert [element.tag for element in tree.iter("noscript", "div")] == [tag]
