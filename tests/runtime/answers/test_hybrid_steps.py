"""The steps of the strategy `hybrid`: what each needs, and those that failed."""

from __future__ import annotations

from typing import Any, cast

from factmill.models.answering.words.answer_words import DONT_KNOW
from factmill.runtime.answers.answer import Answer, AnswerStep
from factmill.runtime.answers.answer_question import answer
from factmill.runtime.index import Index
from factmill.runtime.knowledge.unit_triples import UnitTriples
from tests.runtime.answers.fixed_index import FixedIndex
from tests.runtime.answers.hybrid_llm import NOW, PAGES, STATIC, ScriptedLlm, ask, said

MORE = "How many more boats did Quenby Lock raise in 1901 than Ardith Lock?"


def step(found: Answer, name: str) -> AnswerStep:
    (one,) = [step for step in found.steps if step.id == name]
    return one


def test_the_answer_needs_every_step_whose_result_it_was_shown() -> None:
    found, _ = ask(
        MORE,
        attributes=[STATIC],
        calculate=[{"expressions": ["12500 - 9000", "12500 - 9000"]}],
        knowledge=[{"statements": ["Locks raise boats."]}],
        answer=[said("3,500", [1, 2])],
    )

    assert step(found, "answer").needs == ("attributes", "retrieve", "calculate", "knowledge")
    assert step(found, "calculate").needs == ("attributes", "retrieve")
    assert step(found, "retrieve").needs == ("attributes",)
    ids = [one.id for one in found.steps]
    for one in found.steps:
        assert all(ids.index(needed) < ids.index(one.id) for needed in one.needs)


def test_steps_that_fail_say_why_and_are_not_needed() -> None:
    found, llm = ask(
        MORE,
        attributes=[STATIC],
        calculate=["rubbish"],
        knowledge=["rubbish", "rubbish"],
        answer=[said("12,500", [1])],
    )

    assert found.ledger.calls == len(llm.steps)
    for name in ("calculate", "knowledge"):
        assert step(found, name).answer == f"left out: {name}: it holds no JSON object"
    assert step(found, "answer").needs == ("attributes", "retrieve")


def looked_up(lookup: Any) -> Answer:
    """The answer with a source of knowledge, where `lookup` are the LLM's replies about it."""
    index = FixedIndex(PAGES)
    llm = ScriptedLlm({"attributes": [STATIC], "lookup": lookup, "answer": [said("1874", [1])]})
    return answer(
        "When was Quenby Lock opened?", cast(Index, index), llm, "hybrid", asked_at=NOW,
        knowledge=UnitTriples(index),
    )  # fmt: skip


def test_facts_that_were_looked_up_are_needed_and_a_failed_lookup_says_why() -> None:
    found = looked_up([{"calls": [{"name": "store_triples", "arguments": {"subject": "Quenby"}}]}])
    assert step(found, "answer").needs == ("attributes", "lookup", "retrieve")

    for reply, why in (
        ("rubbish", "it holds no JSON object"),
        ({"calls": ["store_triples"]}, 'a call has "name" and "arguments"'),
    ):
        failed = looked_up([reply, reply])
        assert step(failed, "lookup").answer == f"left out: lookup: {why}"
        assert step(failed, "answer").needs == ("attributes", "retrieve")


def test_the_sum_of_a_table_is_a_step_with_its_table() -> None:
    rows = "| Quenby Lock | 12,500 |\n| Ardith Lock | 9,000 |"
    found, _ = ask(
        "How many more boats were raised by Quenby Lock than by Ardith Lock?",
        pages={"Boats": f"Boats of all locks\n| Lock | Boats raised |\n| --- | --- |\n{rows}"},
        attributes=[STATIC], calculate=[{"expressions": []}], knowledge=[{"statements": []}],
        answer=[said("3,500", [1])],
    )  # fmt: skip

    assert found.text == "3,500" != DONT_KNOW
    table = step(found, "table")
    assert table.answer == "difference of 'Lock' by 'Boats raised' in 2 of 2 rows: 3500"
    assert [hit.title for hit in table.hits] == ["Boats"]
    assert table.needs == ("retrieve",)
    assert "table" in step(found, "answer").needs


def test_a_table_of_which_no_row_fits_is_not_shown() -> None:
    def table(name: str, rows: int) -> str:
        head = f"Locks of {name}\n| Lock | Boats raised |\n| --- | --- |\n"
        return head + "\n".join(f"| Lock {n:03} of {name} | {n:05} |" for n in range(rows))

    def shown(rows: int) -> str:
        pages = {"Ardith": table("Ardith", rows), "Zorn": table("Zorn", 400)}
        _, llm = ask(
            "Which locks of Ardith have boats raised?", pages=pages, attributes=[STATIC],
            knowledge=[{"statements": []}], answer=[said("Lock 001", [1])],
        )  # fmt: skip
        return llm.prompts[-1]

    # 4,000 characters have room for all of the first table, and some or none of the second.
    assert "Locks of Ardith" in shown(60)
    assert "Lock 003 of Zorn" in shown(60)
    assert "Locks of Zorn" not in shown(125)
