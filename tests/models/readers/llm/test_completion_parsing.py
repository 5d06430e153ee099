"""What is made of an LLM's answer, whatever its form."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.models.readers.llm.completion_parsing import (
    MAX_ITEMS,
    ParsedSegment,
    parse_completion,
)
from factmill.models.readers.llm.extracted_items import ExtractedItems, ExtractedPair

FACTS = ["Tarn Bridge is old."]
PAIRS = [{"q": "Who built Tarn Bridge?", "a": "Mia Holt"}]
SEGMENT = {"f": FACTS, "p": PAIRS}
ITEMS = ExtractedItems(
    ("Tarn Bridge is old.",), (ExtractedPair("Who built Tarn Bridge?", "Mia Holt"),)
)
GOOD = json.dumps({"s1": SEGMENT})


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Here is the JSON you asked for:\n{GOOD}\nI hope that helps!",
        f'<think>The facts [1] are {{"s1": {{"f": ["draft"], "p": []}}}}</think>{GOOD}',
        f"<think>Let me see. The passage says {GOOD}",
        f'First a draft: {{"s1": {{"f": [], "p": []}}}} and now {GOOD}',
        json.dumps(SEGMENT),
        json.dumps([SEGMENT]),
        json.dumps({"s1": {"facts": FACTS, "qa_pairs": [["Who built Tarn Bridge?", "Mia Holt"]]}}),
        json.dumps({"s1": {"facts": FACTS, "questions": [
            {"question": "Who built Tarn Bridge?", "answer": "Mia Holt"}]}}),
        GOOD.replace("]}}", "],},}"),
    ],
)  # fmt: skip
def test_parse_completion_reads_what_servers_without_structured_output_give(text: str) -> None:
    assert parse_completion(text, ["s1"]) == {"s1": ParsedSegment(ITEMS)}


def test_parse_completion_of_several_segments() -> None:
    text = json.dumps({"s2": {"f": [], "p": []}, "s1": SEGMENT})
    assert parse_completion(text, ["s1", "s2"]) == {
        "s1": ParsedSegment(ITEMS),
        "s2": ParsedSegment(ExtractedItems()),
    }


@pytest.mark.parametrize(
    ("text", "truncated", "problem"),
    [
        ("", False, "empty"),
        (" \n", False, "empty"),
        ("I cannot help with that.", False, "no_json"),
        ("I think that", True, "truncated"),
        ('{"result": "ok"}', False, "wrong_shape"),
        ("[1, 2, 3]", False, "wrong_shape"),
        ('{"s1": "none"}', False, "wrong_shape"),
        ('{"s1": {"x": []}}', False, "wrong_shape"),
        ('{"s1": {"f": ["a", "b', False, "truncated"),
    ],
)
def test_parse_completion_names_what_is_wrong(text: str, truncated: bool, problem: str) -> None:
    assert parse_completion(text, ["s1"], truncated)["s1"].problem == problem


def test_parse_completion_missing_segment_is_missing_and_the_other_is_kept() -> None:
    assert parse_completion(GOOD, ["s1", "s2"]) == {
        "s1": ParsedSegment(ITEMS),
        "s2": ParsedSegment(ExtractedItems(), "missing"),
    }


@pytest.mark.parametrize("truncated", [True, False])
def test_parse_completion_cut_off_keeps_complete_items(truncated: bool) -> None:
    text = json.dumps({"s1": SEGMENT, "s2": {"f": ["Oslo is big.", "Bergen is wet."], "p": []}})
    cut = text[: text.index("is wet")]
    assert parse_completion(cut, ["s1", "s2", "s3"], truncated) == {
        "s1": ParsedSegment(ITEMS),
        "s2": ParsedSegment(ExtractedItems(("Oslo is big.",)), "truncated"),
        "s3": ParsedSegment(ExtractedItems(), "truncated"),
    }


def test_parse_completion_item_of_a_wrong_type_is_an_item_and_the_others_stand() -> None:
    segment = {"f": [{"x": 1}, "Tarn Bridge is old.", None, 7],
               "p": [{"q": "When?", "a": 1963}, "Who?", {"q": ["a"]}, *PAIRS]}  # fmt: skip
    items = parse_completion(json.dumps({"s1": segment}), ["s1"])["s1"].items
    assert items.facts == ('{"x": 1}', "Tarn Bridge is old.", "[null]", "[7]")
    assert items.pairs == (
        ExtractedPair("When?", "1963"),
        ExtractedPair("Who?", ""),
        ExtractedPair('["a"]', ""),
        *ITEMS.pairs,
    )


def test_parse_completion_is_bounded() -> None:
    many = json.dumps({"s1": {"f": ["x" * 9000] * 9 + ["y"] * 9000, "p": []}})
    items = parse_completion(many, ["s1"])["s1"].items
    assert len(items.facts) == MAX_ITEMS
    assert max(map(len, items.facts)) == 2000


@given(
    st.text() | st.text(alphabet='{}[]":,s12fpqa \\u', max_size=80),
    st.integers(1, 4),
    st.booleans(),
)
def test_parse_completion_of_any_text_can_be_kept(text: str, count: int, truncated: bool) -> None:
    labels = [f"s{number + 1}" for number in range(count)]
    parsed = parse_completion(text, labels, truncated)
    assert list(parsed) == labels
    for part in parsed.values():
        kept = json.loads(json.dumps(part.items.as_json(), ensure_ascii=False).encode())
        assert ExtractedItems.from_json(kept) == part.items


def test_parse_completion_lone_surrogates_are_replaced() -> None:
    items = parse_completion('{"s1": {"f": ["a\\ud800b"], "p": []}}', ["s1"])["s1"].items
    assert items.facts == ("a?b",)
