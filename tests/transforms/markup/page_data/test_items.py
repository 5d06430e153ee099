from __future__ import annotations

import json
import time

import pytest

from factmill.transforms.markup.html_tree import parse_html
from factmill.transforms.markup.page_data.data_items import DataItem, every_item
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
    assert [one.kind for one in every_item([item])] == ["Product", "Brand"]


@pytest.mark.parametrize(
    "script",
    [
        "\n//<![CDATA[\n%s\n//]]>\n", "/*<![CDATA[*/%s/*]]>*/", "<!-- %s -->", "%s;", "[%s,\n]",
    ],
)  # fmt: skip
def test_script_in_a_comment_or_with_a_sign_behind_it_is_read(script: str) -> None:
    data = script % json.dumps({**LAMP, "name": "Lamp; [x]"})
    (item,) = _items(f"<script type='application/ld+json'>{data}</script>")
    assert item.text("name") == "Lamp; [x]"


def test_reference_to_an_item_of_the_page_is_the_item() -> None:
    graph = [
        {"@type": "Article", "author": [{"@id": "#ada"}, {"@type": "Person", "@id": "#bo"}]},
        {"@type": "Person", "@id": "#ada", "name": "Ada"},
    ]
    article, ada, bo = _items(_script({"@graph": graph}, {"@id": "#bo", "name": "Bo"}))
    assert article.texts("author") == ["Ada", "Bo"]
    assert article.items("author") == [ada, bo]


def test_references_in_a_circle_come_to_an_end() -> None:
    lamp = {"@id": "#lamp", "name": "Lamp", "isRelatedTo": {"@id": "#oil"}}
    oil = {"@id": "#oil", "name": ["Oil", {"@id": "#oil"}], "isRelatedTo": {"@id": "#lamp"}}
    items = _items(_script([lamp, oil, {"author": {"@id": "#nobody"}}]))
    assert every_item(items) == items
    assert [item.texts("isRelatedTo") for item in items] == [["Oil"], ["Lamp"], []]


def test_references_in_a_long_row_are_followed() -> None:
    row = [{"@id": f"#{n}", "name": "x", "next": {"@id": f"#{n + 1}"}} for n in range(600)]
    assert len(every_item(_items(_script(row))[:1])) > 500


def test_marked_text_has_its_blocks_apart_and_no_scripts() -> None:
    (item,) = _items(
        "<div itemscope><div itemprop=text><p>It burns for X<b>200</b> hours</p>"
        "<ul><li>Oil</li><li hidden>Wick</li></ul>End<br>here"
        "<style>.a{color:red}</style><script>track(1)</script></div></div>"
    )
    assert item.text("text") == "It burns for X200 hours Oil Wick End here"


def test_marked_item_has_no_properties_of_open_graph() -> None:
    html = (
        "<html itemscope itemtype='https://schema.org/Product'><head>"
        "<meta property='og:image:width' content='1200'><meta property='fb:height' content='630'>"
        "<meta property='schema:depth' content='9'></head></html>"
    )
    tree = parse_html(html)
    assert tree is not None
    (item,) = marked_items(tree)
    assert item.properties == {"depth": ["9"]}


@pytest.mark.parametrize("element", ["<b typeof=A></b>", "<b itemprop=a></b>"])
def test_marked_items_of_a_long_page_take_time_linear_in_it(element: str) -> None:
    tree = parse_html(f"<div itemscope>{element * 70_000}</div>")
    assert tree is not None
    began = time.process_time()
    marked_items(tree)
    assert time.process_time() - began < 3  # a square would take 8 seconds


def test_equal_items_are_not_the_same() -> None:
    assert DataItem("Product") != DataItem("Product")  # to compare all they hold takes long


def test_broken_and_deep_scripts_are_passed_over() -> None:
    deep = "[" * 100_000
    broken = (f"<script type='application/ld+json'>{one}</script>" for one in (deep, '{"name": '))
    assert [item.kind for item in _items("".join(broken) + _script(LAMP))] == ["Product"]


def test_long_data_is_read_to_a_bound() -> None:
    (item,) = _items(_script({"@type": "Thing", "color": [str(n) for n in range(50_000)]}))
    assert 1000 < len(item.texts("color")) < 5000


def test_things_are_read_to_a_bound() -> None:
    assert len(_items("<p itemscope><b itemprop='name'>x</b></p>" * 3000)) < 1000
