"""Arguments of an LLM's calls: every wrong one is a failed call."""

from __future__ import annotations

from typing import Any

import pytest

from factmill.runtime.knowledge.call_arguments import checked_arguments
from factmill.runtime.knowledge.knowledge_source import CallFailed

PARAMETERS = {
    "properties": {
        "town": {"type": "string"},
        "near": {"type": "string"},
        "year": {"type": "integer"},
        "county": {"type": ["string", "null"]},
    },
    "required": ["town"],
}


@pytest.mark.parametrize(
    "given",
    [
        {"town": ""},
        {"town": " \n"},
        {"town": "\ud800"},
        {"town": "Tarn", "near": "\udfff"},
        {"town": "Tarn", "year": "--5"},
        {"town": "Tarn", "year": "1" * 5000},
        {"town": "Tarn", "county": ["Saltmere"]},
        {"town": "Tarn", "county": True},
        {"town": "Tarn", "year": True},
        {"town": True},
    ],
    ids=[
        "empty",
        "blank",
        "surrogate",
        "optional surrogate",
        "signs",
        "digits",
        "type",
        "boolean for one of several types",
        "boolean",
        "boolean text",
    ],
)
def test_arguments_that_no_source_can_use_are_a_failed_call(given: dict[str, Any]) -> None:
    with pytest.raises(CallFailed, match="argument"):
        checked_arguments(PARAMETERS, given)


def test_an_optional_text_may_be_empty() -> None:
    given = {"town": "Tarn", "near": "", "year": "-5"}

    assert checked_arguments(PARAMETERS, given) == {"town": "Tarn", "near": "", "year": -5}


def test_an_optional_argument_that_is_null_is_left_out() -> None:
    given = {"town": "Tarn", "year": None, "county": None}

    assert checked_arguments(PARAMETERS, given) == {"town": "Tarn"}
    with pytest.raises(CallFailed, match="'town' is missing"):
        checked_arguments(PARAMETERS, {"town": None})


@pytest.mark.parametrize(
    ("kinds", "given", "sent"),
    [
        (["string", "null"], "Saltmere", "Saltmere"),
        (["integer", "string"], "7", 7),
        (["integer", "string"], "Saltmere", "Saltmere"),
        (["array", "string"], 7, "7"),
    ],
)
def test_an_argument_may_be_of_any_of_its_types(
    kinds: list[str], given: object, sent: object
) -> None:
    parameters = {"properties": {"county": {"type": kinds}}}

    assert checked_arguments(parameters, {"county": given}) == {"county": sent}


def test_lists_of_a_document_that_are_none_do_not_count() -> None:
    parameters = {
        "properties": {
            "towns": {"type": "array", "items": True},
            "order": {"type": "string", "enum": 5},
        }
    }
    given = {"towns": ["Tarn"], "order": "name"}

    assert checked_arguments(parameters, given) == given
