"""A batch through the reader: one call, one repair at the most, an outcome for every segment."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.models.llm.completion import Completion, Message, Usage
from factmill.models.readers.llm.completion_parsing import MAX_ITEMS
from factmill.models.readers.llm.extracted_items import ExtractedItems, ExtractedPair
from factmill.models.readers.llm.prompts import answer_schema
from factmill.models.readers.llm.reader import BatchResult, LlmReader, fingerprint
from factmill.models.readers.llm.repair import SCHEMA
from factmill.models.readers.llm.segment_batches import SegmentBatch
from factmill.models.readers.llm.validation import validate
from factmill.models.readers.reading import Fault
from factmill.schemas.errors import BudgetSpent, Rejected, ServerDown
from factmill.schemas.records import Segment

TEXTS = ("Tarn Bridge was planned by Mia Holt in 1874. It is 40 metres long.", "Oslo bought it.")
FACT = "Tarn Bridge was planned by Mia Holt."
PAIR = {"q": "Who planned Tarn Bridge?", "a": "Mia Holt"}
GOOD = {"f": [FACT], "p": [PAIR]}
GOOD_ITEMS = ExtractedItems((FACT,), (ExtractedPair(PAIR["q"], PAIR["a"]),))
NOTHING = {"f": [], "p": []}
DOWN = ServerDown("nobody answers")


class Script:
    """An Llm that gives prepared answers in order and remembers what it was asked."""

    def __init__(self, *answers: str | dict[str, Any] | Completion | BaseException) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[list[Message], int, dict[str, Any] | None, float | None]] = []

    async def complete(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        schema: dict[str, Any] | None = None,
        deadline: float | None = None,
        step: str = "",
    ) -> Completion:
        assert step == "read"
        self.asked.append((list(messages), max_tokens, schema, deadline))
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        if isinstance(answer, Completion):
            return answer
        text = answer if isinstance(answer, str) else json.dumps(answer)
        return Completion(text, False, Usage(1, 100, 10))


def batch(*texts: str) -> SegmentBatch:
    return SegmentBatch("Tarn Bridge", tuple(
        Segment(f"id-{index}", "page", index, "text", text, "", None, None)
        for index, text in enumerate(texts, start=1)
    ))  # fmt: skip


def read(llm: Script, *texts: str, deadline: float | None = None) -> BatchResult:
    return asyncio.run(LlmReader(llm).read(batch(*(texts or TEXTS[:1])), deadline))


def reasons(answered: BatchResult) -> dict[str, object]:
    return {
        name: outcome.reason if isinstance(outcome, Rejected) else outcome
        for name, outcome in answered.outcomes.items()
    }


def test_read_good_answer_takes_one_call() -> None:
    llm = Script({"s1": GOOD, "s2": NOTHING})
    answered = read(llm, *TEXTS, deadline=12.5)
    assert answered == BatchResult(
        {"id-1": GOOD_ITEMS, "id-2": ExtractedItems()}, Usage(1, 100, 10)
    )
    ((_, _, schema, deadline),) = llm.asked
    assert schema == answer_schema(2)
    assert deadline == 12.5


def test_read_faulty_items_are_repaired_once_and_good_ones_are_kept() -> None:
    segment = {
        "f": [FACT, "It is 40 metres long.", "Tarn Bridge is 90 metres long."],
        "p": [{"q": "How long is Tarn Bridge?", "a": "forty"}, PAIR],
    }
    repair = {"s": [], "r": [
        {"n": "s1f2", "t": "Tarn Bridge is 40 metres long.", "a": ""},
        {"n": "s1f3", "t": "", "a": ""},
        {"n": "s1p1", "t": "How long is Tarn Bridge?", "a": "40 metres"},
        {"n": "s1f1", "t": "This was not asked for.", "a": ""},
        {"n": "s9f1", "t": "Nor was this.", "a": ""},
    ]}  # fmt: skip
    llm = Script({"s1": segment}, repair)
    answered = read(llm, deadline=7.0)
    items = answered.outcomes["id-1"]
    assert items == ExtractedItems(
        (FACT, "Tarn Bridge is 40 metres long."),
        (
            ExtractedPair(PAIR["q"], PAIR["a"]),
            ExtractedPair("How long is Tarn Bridge?", "40 metres"),
        ),
    )
    assert validate(batch(TEXTS[0]).segments[0], "Tarn Bridge", items).faults == ()
    assert answered.usage == Usage(2, 200, 20)
    first, (conversation, _, schema, deadline) = llm.asked
    assert conversation[:2] == first[0]
    assert conversation[2] == Message("assistant", json.dumps({"s1": segment}))
    assert conversation[3].role == "user"
    assert "s1f2 does not name what it is about: It is 40 metres long." in conversation[3].content
    assert "s1f3 has a number or date that the passage lacks: 90" in conversation[3].content
    assert "s1p1" in conversation[3].content
    assert not any(label in conversation[3].content for label in ("s1f1", "s1p2"))
    assert schema == SCHEMA
    assert deadline == 7.0


@pytest.mark.parametrize(
    "fact", [FACT, "...", "Let me see what Tarn Bridge is.", "The text is short."]
)
def test_read_nothing_to_repair_takes_no_second_call(fact: str) -> None:
    llm = Script({"s1": {"f": [FACT, fact], "p": []}})
    assert read(llm).outcomes == {"id-1": ExtractedItems((FACT, fact))}


@pytest.mark.parametrize(
    "reply",
    ["", "I am sorry.", "[[[", {"s": 1, "r": 2}, {"r": [1, {"n": "s1f2"}, {"n": 7, "t": []}]},
     Rejected("llm_refused", "too long"), Rejected("llm_deadline"), DOWN, BudgetSpent("spent")],
)  # fmt: skip
def test_read_failed_repair_leaves_the_answer_as_it_is(reply: Any) -> None:
    answered = read(Script({"s1": {"f": [FACT, "It is 40 metres long."], "p": [PAIR]}}, reply))
    items = answered.outcomes["id-1"]
    assert isinstance(items, ExtractedItems)
    assert items.facts[0] == FACT
    assert items.pairs == GOOD_ITEMS.pairs


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "empty"),
        ("I cannot do that.", "no_json"),
        ({"result": []}, "wrong_shape"),
        (Completion('{"s1": {"f": ["Tarn', True, Usage(1, 100, 10)), "truncated"),
    ],
)
@pytest.mark.parametrize("mends", [True, False])
def test_read_unusable_answer_is_asked_again_once(answer: Any, reason: str, mends: bool) -> None:
    again = {"s": [{"n": "s1", **GOOD}], "r": []} if mends else answer
    llm = Script(answer, again)
    assert reasons(read(llm)) == {"id-1": GOOD_ITEMS if mends else reason}
    assert len(llm.asked) == 2
    assert llm.asked[1][0][2].content != ""


def test_read_missing_segment_is_asked_again_alone() -> None:
    again = [{"n": "s2", "f": ["Oslo bought it."], "p": []}, {"n": "s1", "f": ["No."], "p": []}]
    llm = Script({"s1": GOOD}, {"s": again, "r": []})
    answered = read(llm, *TEXTS)
    assert answered.outcomes == {"id-1": GOOD_ITEMS, "id-2": ExtractedItems(("Oslo bought it.",))}
    assert "again, by the same rules: s2." in llm.asked[1][0][3].content
    without = reasons(read(Script({"s1": GOOD}, "no"), *TEXTS))
    assert without == {"id-1": GOOD_ITEMS, "id-2": "missing"}


def test_read_answer_cut_off_after_its_first_pairs_is_used_without_another_call() -> None:
    text = json.dumps({"s1": {"f": [FACT], "p": [PAIR, PAIR]}})[:-20]
    items = read(Script(Completion(text, True, Usage(1, 9, 9)))).outcomes["id-1"]
    assert items == replace(GOOD_ITEMS, lost="the answer was cut off; items kept: 2")
    (fault,) = validate(batch(TEXTS[0]).segments[0], "Tarn Bridge", items).faults
    assert fault == Fault("truncated", items.lost)


@pytest.mark.parametrize(
    "text", ["", f"<think>{json.dumps({'s1': GOOD})} or", '{"s1": {"f": ["Tarn']
)
def test_read_answer_cut_off_before_its_items_is_asked_again_with_more_tokens(text: str) -> None:
    again = {"s": [{"n": "s1", **GOOD}], "r": []}
    cut, cut_later = (
        Script(Completion(said, True, Usage(1, 9, 9)), again)
        for said in (text, f'{{"s1": {{"f": ["{FACT}"]')
    )
    assert read(cut).outcomes == {"id-1": GOOD_ITEMS}
    read(cut_later)
    assert cut.asked[1][1] >= cut_later.asked[1][1] + 2000


def test_read_answer_cut_off_within_its_facts_keeps_them_whatever_the_repair_says() -> None:
    cut = Completion(json.dumps({"s1": {"f": [FACT]}})[:-2] + ', "Tarn', True, Usage(1, 9, 9))
    kept = ExtractedItems((FACT,), lost="the answer was cut off; items kept: 1")
    assert read(Script(cut, "no")).outcomes == {"id-1": kept}
    more = {"s": [{"n": "s1", "f": [], "p": [PAIR]}], "r": []}
    assert read(Script(cut, more)).outcomes == {"id-1": GOOD_ITEMS}
    cut_again = json.dumps(more)[: json.dumps(more).index("Mia Holt")]
    assert read(Script(cut, cut_again)).outcomes == {"id-1": kept}


def test_read_answer_above_the_limit_of_items_says_how_many_are_lost() -> None:
    facts = [f"Tarn Bridge was planned by Mia Holt in {year}." for year in range(MAX_ITEMS + 3)]
    items = read(Script({"s1": {"f": facts, "p": [PAIR]}}, "no")).outcomes["id-1"]
    assert isinstance(items, ExtractedItems)
    assert items.lost == "3 items above the limit of 200"
    assert ExtractedItems.from_json(json.loads(json.dumps(items.as_json()))) == items


def test_read_refused_batch_is_asked_for_one_by_one() -> None:
    llm = Script(Rejected("llm_refused", "too long"), {"s1": GOOD}, Rejected("llm_refused", "long"))
    answered = read(llm, *TEXTS)
    assert reasons(answered) == {"id-1": GOOD_ITEMS, "id-2": "llm_refused"}
    assert answered.usage == Usage(1, 100, 10)
    assert len(llm.asked) == 3


@pytest.mark.parametrize("reason", ["llm_failed", "llm_deadline"])
def test_read_rejected_call_rejects_every_segment(reason: str) -> None:
    answered = read(Script(Rejected(reason, "why")), *TEXTS)
    assert reasons(answered) == {"id-1": reason, "id-2": reason}
    assert answered.usage == Usage()


@pytest.mark.parametrize("error", [DOWN, BudgetSpent("spent"), asyncio.CancelledError()])
def test_read_errors_that_end_the_build_pass_through(error: Any) -> None:
    with pytest.raises(type(error)):
        read(Script(error), *TEXTS)
    with pytest.raises(type(error)):
        read(Script("no JSON", error))


@settings(max_examples=100)
@given(st.text() | st.text(alphabet='{}[]":,s12rfpqant ', max_size=60), st.text(), st.booleans())
def test_read_of_any_answers_gives_every_segment_an_outcome(
    answer: str, reply: str, truncated: bool
) -> None:
    llm = Script(Completion(answer, truncated, Usage(1, 1, 1)), reply)
    answered = read(llm, *TEXTS)
    assert list(answered.outcomes) == ["id-1", "id-2"]
    assert answered.usage.calls == len(llm.asked) <= 2


def test_fingerprint_tells_models_and_settings_apart() -> None:
    prints = {
        fingerprint("one"), fingerprint("two"), fingerprint("one", {"temperature": 0}),
        fingerprint("one", {"temperature": 1}),
    }  # fmt: skip
    assert len(prints) == 4
    assert fingerprint("one") == fingerprint("one", {})
    assert all(len(name) == 20 and name.startswith("llm-") for name in prints)
    assert {int(name[4:], 16) for name in prints}


def test_fingerprint_stays_so_that_kept_readings_are_found() -> None:
    """Only a change of prompts, schemas or bounds may change these; then every segment is asked
    about again."""
    assert fingerprint("m") == "llm-70e07160e0043035"
    assert fingerprint("Qwen/Qwen3-8B", {"temperature": 0, "seed": 0}) == "llm-94a5267cabf32ab2"


def test_fingerprint_changes_with_the_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint("one")
    monkeypatch.setattr("factmill.models.readers.llm.prompts.SYSTEM", "Other words.")
    assert fingerprint("one") != before
