"""The strategy `hybrid` with sources of knowledge beside the pages."""

from __future__ import annotations

from datetime import timedelta
from typing import cast

import pytest

from factmill.models.answering.words.answer_words import DONT_KNOW
from factmill.runtime.answers.answer_question import answer
from factmill.runtime.index import Index
from factmill.runtime.knowledge.openapi_source import OpenApiSource
from factmill.runtime.knowledge.unit_triples import UnitTriples
from tests.runtime.answers.fixed_index import FixedIndex
from tests.runtime.answers.hybrid_llm import DYNAMIC, NOW, PAGES, STATIC, ScriptedLlm, said
from tests.runtime.knowledge.crag_api import CragApi, document


def test_a_source_of_knowledge_answers_what_changes() -> None:
    with CragApi() as api:
        source = OpenApiSource(document(api.url), "", "secret-of-the-test")
        calls = [
            {"name": "finance_get_market_capitalization", "arguments": {"query": ticker}}
            for ticker in ("plya", "seatw", "nobody")
        ]
        llm = ScriptedLlm(
            {
                "attributes": [DYNAMIC],
                "lookup": [{"calls": calls}],
                "calculate": [{"expressions": ["1234000000 > 987000000"]}],
                "answer": [said("PLYA", [1, 2])],
            }
        )
        found = answer(
            "Which company has the larger market cap, plya or seatw?",
            cast(Index, FixedIndex(PAGES)), llm, "hybrid", asked_at=NOW, knowledge=source,
        )  # fmt: skip

    assert llm.steps == ["attributes", "attributes", "lookup", "calculate", "calculate", "answer"]
    first = llm.prompts[2].index("finance_get_info(query: string)")
    assert first < llm.prompts[2].index("open_get_entity("), "functions of the domain come first"
    assert found.text == "PLYA"
    assert found.citations[0].url == f"{api.url}/finance/get_market_capitalization"
    assert not any("secret-of-the-test" in prompt for prompt in llm.prompts)


@pytest.mark.parametrize("age", [1, 40])
def test_facts_of_the_store_are_cited_by_their_unit_and_are_as_old_as_their_page(age: int) -> None:
    index = FixedIndex(PAGES, fetched=NOW - timedelta(days=age))
    calls = [{"name": "store_triples", "arguments": {"subject": "Quenby Lock"}}]
    llm = ScriptedLlm(
        {
            "attributes": [DYNAMIC], "lookup": [{"calls": calls}],
            "answer": [said("1874", [1])],
        }
    )  # fmt: skip
    found = answer(
        "When was Quenby Lock opened?", cast(Index, index), llm, "hybrid", asked_at=NOW,
        knowledge=UnitTriples(index),
    )  # fmt: skip

    if age == 1:
        assert "Quenby Lock | was opened in | 1874" in llm.prompts[-1]
        assert found.citations[0].unit_id == "unit-Quenby Lock-0"
    else:
        assert (found.text, llm.steps[2:]) == (DONT_KNOW, ["lookup"])


def test_orders_of_a_source_of_knowledge_are_not_shown() -> None:
    with CragApi() as api:
        llm = ScriptedLlm(
            {
                "attributes": [STATIC],
                "lookup": [
                    {"calls": [{"name": "open_get_entity", "arguments": {"query": "orders"}}]}
                ],
                "answer": [said("42", [1])],
            }
        )
        found = answer(
            "When was Quenby Lock opened?", cast(Index, FixedIndex(PAGES)), llm, "hybrid",
            asked_at=NOW, knowledge=OpenApiSource(document(api.url), ""),
        )  # fmt: skip

    assert "answer 42" not in llm.prompts[-1]
    assert found.text == DONT_KNOW
