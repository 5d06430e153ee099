from __future__ import annotations

import json

import pytest

from factmill.transforms.markup.html_tree import parse_html
from factmill.transforms.markup.page_data.data_items import DataItem
from factmill.transforms.markup.page_data.json_ld import json_ld_items
from factmill.transforms.markup.page_data.marked_items import marked_items

LAMP = {
    "@type": ["Product", "Thing"],
    "name": "Storm lantern <b>X200</b>",
    "brand": {"@type": "Brand", "name": "Lumen"},
    "color": ["red", "green"],
    "weight": 2.5,
    "isUsed": False,
}
MICRODATA = """
<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Storm lantern
 X200</h1><span itemprop="brand" itemscope itemtype="https://schema.org/Brand"><b
 itemprop="name">Lumen</b></span><meta itemprop="weight" content="2.5"><i itemprop="color">red</i>
<i itemprop="color">green</i></div>"""
RDFA = """
<div vocab="https://schema.org/" typeof="Product"><h1 property="name">Storm lantern
 X200</h1><span property="schema:brand" typeof="Brand"><b property="name">Lumen</b></span>
<meta property="weight" content="2.5"><i property="color">red</i><i property="color">green</i>
</div>"""


def _items(html: str) -> list[DataItem]:
    tree = parse_html(f"<html><head><meta property='og:type' content='x'></head>{html}</html>")
    assert tree is not None
    return [*json_ld_items(tree), *marked_items(tree)]


def _script(*data: object) -> str:
    return "".join(f"<script type='application/ld+json'>{json.dumps(one)}</script>" for one in data)


@pytest.mark.parametrize("html", [_script(LAMP), _script({"@graph": [LAMP]}), MICRODATA, RDFA])
def test_a_thing_is_the_same_however_it_is_marked(html: str) -> None:
    (item,) = _items(html)
    assert item.kind == "Product"
    assert item.text("name") == "Storm lantern X200"
    assert item.texts("color") == ["red", "green"]
    assert item.texts("brand") == ["Lumen"]
    assert item.items("brand")[0].kind == "Brand"
    assert item.text("weight") == "2.5"
    assert "isUsed" not in item.properties
    assert [one.kind for one in item.within()] == ["Product", "Brand"]


def test_broken_and_deep_scripts_are_passed_over() -> None:
    deep = "[" * 100_000
    broken = (f"<script type='application/ld+json'>{one}</script>" for one in (deep, '{"name": '))
    assert [item.kind for item in _items("".join(broken) + _script(LAMP))] == ["Product"]


def test_long_data_is_read_to_a_bound() -> None:
    (item,) = _items(_script({"@type": "Thing", "color": [str(n) for n in range(50_000)]}))
    assert 1000 < len(item.texts("color")) < 5000


def test_things_are_read_to_a_bound() -> None:
    assert len(_items("<p itemscope><b itemprop='name'>x</b></p>" * 3000)) < 1000
