from __future__ import annotations

import numpy as np
import pytest

from factmill.transforms.markup.html_tree import parse_html
from factmill.transforms.markup.main_text.alike_blocks import judged_alike
from factmill.transforms.markup.main_text.blocks import read_blocks


def _judged(html: str, likely: list[float], words: list[int]) -> list[float]:
    tree = parse_html(html)
    assert tree is not None
    page = read_blocks(tree)
    assert len(page.blocks) == len(likely)
    judged = judged_alike(page, np.array(likely, np.float32), np.array(words, np.float32))
    return [round(one, 3) for one in judged.tolist()]


def test_blocks_of_one_template_are_drawn_together_and_others_stay() -> None:
    cards = "".join(
        f"<div class='card card{n}'><h3>Lamp {n}</h3><p>Burns long</p></div>" for n in range(4)
    )
    likely = [0.9, 0.2, 0.9, 0.2, 0.9, 0.2, 0.1, 0.2]
    judged = _judged(f"<h1>Lamps</h1><div class=grid>{cards}</div>", [0.3, *likely], [2] * 9)
    assert (judged[0], judged[2::2]) == (0.3, [0.2] * 4)
    assert 0.1 < judged[7] < judged[1] < 0.9


def test_long_blocks_of_a_template_decide_for_short_ones() -> None:
    posts = "".join(f"<div class=post><p>Post {n}</p></div>" for n in range(4))
    long_first = _judged(posts, [0.9, 0.1, 0.1, 0.1], [300, 2, 2, 2])
    assert min(long_first) > 0.5
    assert max(_judged(posts, [0.9, 0.1, 0.1, 0.1], [2, 300, 2, 2])) < 0.5


@pytest.mark.parametrize("likely", [0.0, 1.0])
def test_three_blocks_are_no_template_and_what_is_sure_stays_finite(likely: float) -> None:
    rows = "<ul><li>One lamp</li><li>Two lamps</li><li>Three lamps</li></ul>"
    assert _judged(rows, [likely, 0.5, 1 - likely], [2, 2, 2]) == [
        pytest.approx(likely, abs=2e-3), 0.5, pytest.approx(1 - likely, abs=2e-3)
    ]  # fmt: skip
