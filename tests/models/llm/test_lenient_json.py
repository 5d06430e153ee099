"""JSON as LLMs write it, and text that only looks like it."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.models.llm.lenient_json import MAX_CHARACTERS, json_values, read_values

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-999, 999) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=12,
)


def only(text: str) -> Any:
    (value,) = read_values(text)
    return value.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"f": ["a",], }', {"f": ["a"]}),
        ('{"f": ["a" , , "b"]}', {"f": ["a", "b"]}),
        ('{"f": ["say "hi" now", "b",]}', {"f": ['say "hi" now', "b"]}),
        ('{"f": ["one\ntwo",]}', {"f": ["one\ntwo"]}),
        ('{"f": ["one\ntwo\tthree"]}', {"f": ["one\ntwo\tthree"]}),
        ('{"f": ["a\\n\\u00e9\\"b\\"\\q",]}', {"f": ['a\né"b"q']}),
        ('{"n": 12, "t": true, "x": null, "bare": word,}',
         {"n": "12", "t": True, "x": None, "bare": "word"}),
        ('{"a": 3 May 1921, "c": [1]}', {"a": "3 May 1921", "c": ["1"]}),
        ('{"a": May 3, 1921, "t": "10:30"}', {"a": "May 3, 1921", "t": "10:30"}),
        ('{a: 10:30, b: [Ann Lee, Bo]}', {"a": "10:30", "b": ["Ann Lee", "Bo"]}),
        ("{'a': 'Ann\\'s \\u00e9', 'b': \"Bo's\", 'c': True, 'd': [None,]}",
         {"a": "Ann's é", "b": "Bo's", "c": True, "d": [None]}),
        ("{'a': 'the keeper's', b: 'tis}", {"a": "the keeper's", "b": "'tis"}),
        ('{"a": "x", // why\n"b": yes // so\n, "c": // ?\n"z"}', {"a": "x", "b": "yes", "c": "z"}),
        ('Sure! Here:\n```json\n{"a": [1]}\n```\nDone.', {"a": [1]}),
    ],
)  # fmt: skip
def test_read_values_forgives(text: str, value: object) -> None:
    assert only(text) == value


@pytest.mark.parametrize(
    ("text", "truncated", "values"),
    [
        ('<think>{"a": 1} no', True, []),
        ('[THINK]{"a": 1} no', True, []),
        ('<think>{"a": 1} no: {"a": 2}', False, [{"a": 1}, {"a": 2}]),
        ('<think>{"a": 1}</think>{"a": 2} and', True, [{"a": 2}]),
        ('"{\\"a\\": \\"x\\"}"', False, [{"a": "x"}]),
        ('"said" {"a": 1}', False, [{"a": 1}]),
    ],
)
def test_json_values_are_those_of_the_answer(
    text: str, truncated: bool, values: list[object]
) -> None:
    assert [found.value for found in json_values(text, truncated)] == values


def test_read_values_gives_all_values_of_a_text_in_order() -> None:
    assert [value.value for value in read_values('x [1] y {"a": "b"} z {"c": [2')] == [
        [1],
        {"a": "b"},
        {"c": ["2"]},
    ]


@pytest.mark.parametrize(
    ("text", "value", "keys"),
    [
        ('{"s1": {"f": ["a", "b', {"s1": {"f": ["a"]}}, ("s1", "f")),
        ('{"s1": {"f": ["a"], "p": [{"q": "x", "a": "y"}, {"q": "z',
         {"s1": {"f": ["a"], "p": [{"q": "x", "a": "y"}]}}, ("s1", "p")),
        ('{"s1": {"f": ["a"]}, "s2": {', {"s1": {"f": ["a"]}, "s2": {}}, ("s2",)),
        ('{"s1": {"f": ["a"]}', {"s1": {"f": ["a"]}}, ()),
        ('[{"f": ["a"]}, {"f": ["b", ', [{"f": ["a"]}, {"f": ["b"]}], (1, "f")),
    ],
)  # fmt: skip
def test_read_values_cut_off_keeps_what_is_complete(
    text: str, value: object, keys: tuple[str, ...]
) -> None:
    (found,) = read_values(text)
    assert found.value == value
    assert not found.complete
    assert found.open_keys == keys


@given(JSON)
def test_read_values_reads_json_as_the_json_module_does(value: object) -> None:
    text = json.dumps([value])
    assert [found.value for found in read_values(f"so: {text} !")] == [[value]]


@given(JSON, st.data())
def test_read_values_of_any_beginning_of_json_ends_in_that_json(
    value: object, data: st.DataObject
) -> None:
    text = json.dumps({"k": value}, ensure_ascii=False)
    cut = data.draw(st.integers(1, len(text) - 1))
    (found,) = read_values(text[:cut])
    assert not found.complete


@given(st.text(alphabet='{}[]":,\\ntu0a \n', max_size=200))
@settings(max_examples=500)
def test_read_values_of_any_text_ends(text: str) -> None:
    for value in read_values(text):
        json.dumps(value.value)


@pytest.mark.parametrize(
    "piece",
    ["[", "{", '"', '{"a":', '["', '\\"', '"a "', "{:", '{"a":"', "[1,", "{'", "]", "[[[]", '["\\u',
     '[" ', "```json\n", "<think>", '{"f":["a "b" c",', "[,]\n", "[" * 33 + "]" * 32],
)  # fmt: skip
def test_read_values_of_hostile_text_ends(piece: str) -> None:
    """Were the time a square of the length, this would run into the suite's time limit."""
    for value in read_values((piece * MAX_CHARACTERS)[:MAX_CHARACTERS]):
        assert isinstance(value.value, dict | list)


def test_read_values_stops_where_values_are_too_many_or_too_deep() -> None:
    assert [value.complete for value in read_values("[" * 40 + '] {"a": 1}')] == [False]
    assert sum(1 for _ in read_values("{a: 1}" * 30_000)) < 20_000
    assert list(read_values("[see] " * 1000 + '{"a": "b"}'))[-1].value == {"a": "b"}
