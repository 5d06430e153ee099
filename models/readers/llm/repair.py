"""The single repair of an answer: the request that names its faults, and the merge of the reply.

    {"s": [{"n": "s2", "f": [...], "p": [...]}],                   segments asked again
     "r": [{"n": "s1p3", "t": "fact or question", "a": "answer"}]}     items corrected

The schema is the same for all repairs, so that servers compile its grammar once. An item with an
empty text is withdrawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from factmill.models.llm.completion import Message
from factmill.models.llm.json_schemas import STRING, json_object
from factmill.models.llm.lenient_json import json_values
from factmill.models.readers.llm.completion_parsing import ParsedSegment, as_text, segment_items
from factmill.models.readers.llm.extracted_items import ExtractedItems, ExtractedPair
from factmill.models.readers.llm.prompts import SEGMENT_MEMBERS
from factmill.models.readers.llm.validation import CheckedItems
from factmill.models.readers.reading import Fault

# Faults in words for the LLM. Faults without words (a repeat, reasoning) are beyond repair.
EXPLAINED = {
    "ungrounded_name": "has a name that the passage lacks",
    "ungrounded_number": "has a number or date that the passage lacks",
    "too_long": "is too long",
    "several_sentences": "is more than one sentence",
    "asks": "is a question and no fact",
    "pronoun_subject": "does not name what it is about",
    "no_evidence": "is not what the passage says",
    "no_question_mark": "does not end with a question mark",
    "no_question_word": "does not start with a question word",
    "pronoun": "has a pronoun in place of a name",
    "no_entity": "names nobody and nothing",
    "answer_empty": "has no answer",
    "answer_not_verbatim": "has an answer that is not copied from the passage letter by letter",
    "answer_in_question": "gives its answer away",
    "answer_too_long": "has an answer that is too long",
}
PROBLEMS = {
    "empty": "Your answer was empty.",
    "no_json": "Your answer held no JSON object.",
    "wrong_shape": "Your answer did not have the asked form.",
    "truncated": "Your answer was cut off because it was too long; write fewer items.",
    "missing": "Your answer lacked a passage.",
    "unusable": "Nothing that you said of a passage could be used.",
}
MAX_ITEMS = 20
# Tokens of the reply: about 30 for an item, and about 10 for the JSON around them.
TOKENS_PER_ITEM = 100
MIN_TOKENS = 100
_MAX_ITEM_CHARACTERS = 300
_MAX_ANSWER_CHARACTERS = 12_000
SCHEMA = json_object(
    s={"type": "array", "items": json_object(n=STRING, **SEGMENT_MEMBERS)},
    r={"type": "array", "items": json_object(n=STRING, t=STRING, a=STRING)},
)
EXPLANATION = """\
{problems}Reply with one JSON object and nothing around it:
{{"s": [{{"n": passage, "f": [facts], "p": [{{"q": question, "a": answer}}]}}], \
"r": [{{"n": label, "t": text, "a": answer}}]}}
"s": the passages to answer again, by the same rules: {again}.
"r": the items below, corrected: "t" is the fact or question, "a" the answer, or "" for a fact. \
Withdraw what the passage does not support with "t": "".
{items}"""


@dataclass(frozen=True, slots=True)
class Repair:
    """What has to be repaired: segments by label, with their problem, and items by label."""

    again: Mapping[str, str]
    faulty: Mapping[str, tuple[str, str]]


def plan_repair(
    parsed: Mapping[str, ParsedSegment], checked: Mapping[str, CheckedItems]
) -> Repair | None:
    """The repairable faults of an answer; None if there are none."""
    again = {label: part.problem for label, part in parsed.items() if _is_unusable(part)}
    faulty: dict[str, tuple[str, str]] = {}
    for label in parsed:
        if label not in again and _is_beyond_repair(checked[label]):
            again[label] = "unusable"
        for kind, items in (("f", checked[label].facts), ("p", checked[label].pairs)):
            for number, item in enumerate(items):
                if isinstance(item, Fault) and item.reason in EXPLAINED:
                    faulty[f"{label}{kind}{number + 1}"] = (item.reason, item.text)
    faulty = dict(list(faulty.items())[:MAX_ITEMS])
    return Repair(again, faulty) if again or faulty else None


def _is_unusable(parsed: ParsedSegment) -> bool:
    """Facts come first in an answer, so one that was cut off after them has no questions."""
    return bool(parsed.problem) and not parsed.items.pairs


def _is_beyond_repair(checked: CheckedItems) -> bool:
    """Whether there are items, all of them faulty, and none with a fixable fault: the LLM repeated
    the prompt or wrote other JSON.
    """
    items = checked.facts + checked.pairs
    faults = [item.reason for item in items if isinstance(item, Fault)]
    return bool(items) and len(faults) == len(items) and EXPLAINED.keys().isdisjoint(faults)


def repair_messages(conversation: Sequence[Message], answer: str, repair: Repair) -> list[Message]:
    """The conversation, extended by the answer and its faults."""
    problems = sorted(set(repair.again.values()))
    explained = EXPLANATION.format(
        problems="".join(f"{PROBLEMS[problem]}\n" for problem in problems),
        again=", ".join(repair.again) or "none",
        items="\n".join(
            f"{label} {EXPLAINED[reason]}: {text[:_MAX_ITEM_CHARACTERS]}"
            for label, (reason, text) in repair.faulty.items()
        ),
    )
    said = answer.strip()[:_MAX_ANSWER_CHARACTERS] or "{}"
    return [*conversation, Message("assistant", said), Message("user", explained)]


def apply_repair(
    repair: Repair, reply: str, parsed: Mapping[str, ParsedSegment]
) -> dict[str, ParsedSegment]:
    """The answer with the corrections of the reply; good items stay, and come first."""
    again: dict[str, ParsedSegment] = {}
    corrected: dict[str, tuple[str, str]] = {}
    for value in json_values(reply):
        raw = value.value
        if not isinstance(raw, dict):
            continue
        segments = _entries(raw.get("s"))
        is_cut = len(value.open_keys) > 1 and value.open_keys[0] == "s"
        for entry in segments:
            items = segment_items(entry)
            if items is not None:
                problem = "truncated" if is_cut and entry is segments[-1] else ""
                again[as_text(entry.get("n"))] = ParsedSegment(items, problem)
        for entry in _entries(raw.get("r")):
            corrected[as_text(entry.get("n"))] = as_text(entry.get("t")), as_text(entry.get("a"))
    return {
        label: _repaired(label, part, repair, again.get(label), corrected)
        for label, part in parsed.items()
    }


def _entries(raw: Any) -> list[dict[str, Any]]:
    return [entry for entry in raw if isinstance(entry, dict)] if isinstance(raw, list) else []


def _repaired(
    label: str,
    part: ParsedSegment,
    repair: Repair,
    again: ParsedSegment | None,
    corrected: Mapping[str, tuple[str, str]],
) -> ParsedSegment:
    def mended(kind: str, number: int) -> tuple[str, str] | None:
        name = f"{label}{kind}{number + 1}"
        return corrected.get(name) if name in repair.faulty else None

    facts, pairs = list(enumerate(part.items.facts)), list(enumerate(part.items.pairs))
    new_facts = [new for number, _ in facts if (new := mended("f", number))]
    new_pairs = [new for number, _ in pairs if (new := mended("p", number))]
    items = ExtractedItems(
        tuple(fact for number, fact in facts if not mended("f", number))
        + tuple(text for text, _ in new_facts if text.strip()),
        tuple(pair for number, pair in pairs if not mended("p", number))
        + tuple(ExtractedPair(text, answer) for text, answer in new_pairs if text.strip()),
        part.items.lost,
    )
    if again is None or label not in repair.again:
        return ParsedSegment(items, part.problem)
    added = again.items
    both = items.facts + added.facts, items.pairs + added.pairs
    return ParsedSegment(ExtractedItems(*both, items.lost or added.lost), again.problem)
