"""Parses an LLM's answer: the items of each segment, and what is wrong with them.

    {"s1": {"f": ["fact", ...], "p": [{"q": "question", "a": "answer"}, ...]}, "s2": ...}

That is the requested format. Answers of servers without structured output are read too: surrounded
by reasoning and prose, in code fences, with longer keys, with pairs as arrays, or cut off. An item
of a wrong type becomes one that validation rejects, and the others stay.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from factmill.models.llm.lenient_json import JsonValue, json_values
from factmill.models.readers.llm.extracted_items import ExtractedItems, ExtractedPair

MAX_ITEMS = 200
_MAX_ITEM_CHARACTERS = 2000
_FACTS = ("f", "facts", "propositions", "statements")
_PAIRS = ("p", "pairs", "qa", "qa_pairs", "questions")
_QUESTION = ("q", "question")
_ANSWER = ("a", "answer")


@dataclass(frozen=True, slots=True)
class ParsedSegment:
    """The items of one segment. `problem` says why they are incomplete, or "": `empty`, `no_json`,
    `wrong_shape`, `truncated` (complete items are kept), `missing`.
    """

    items: ExtractedItems
    problem: str = ""


def parse_completion(
    text: str, labels: Sequence[str], truncated: bool = False
) -> dict[str, ParsedSegment]:
    """The answer for each label. Total: any text gives a result."""
    values = json_values(text, truncated)
    if not values:
        problem = "truncated" if truncated else "no_json" if text.strip() else "empty"
        return {label: ParsedSegment(ExtractedItems(), problem) for label in labels}
    # Reasoning may hold drafts; the answer comes last.
    found = max(
        (_labelled(value, labels) for value in reversed(values)),
        key=lambda segments: sum(not parsed.problem for parsed in segments.values()),
    )
    cut = truncated or not all(value.complete for value in values)
    missing = "truncated" if cut else "missing" if found else "wrong_shape"
    return {label: found.get(label, ParsedSegment(ExtractedItems(), missing)) for label in labels}


def _labelled(value: JsonValue, labels: Sequence[str]) -> dict[str, ParsedSegment]:
    raw, cut_at = value.value, value.open_keys[0] if value.open_keys else None
    if isinstance(raw, list) and len(raw) == len(labels):
        raw = dict(zip(labels, raw, strict=True))  # the segments in order, without labels
        cut_at = labels[cut_at] if isinstance(cut_at, int) else None
    if not isinstance(raw, dict):
        return {}
    if len(labels) == 1 and _member(raw, _FACTS + _PAIRS) is not None:
        raw, cut_at = {labels[0]: raw}, None if value.complete else labels[0]
    found: dict[str, ParsedSegment] = {}
    for label in labels:
        if label in raw:
            items = segment_items(raw[label])
            if label == cut_at:
                found[label] = ParsedSegment(items or ExtractedItems(), "truncated")
            else:
                found[label] = ParsedSegment(
                    items or ExtractedItems(), "" if items is not None else "wrong_shape"
                )
    return found


def segment_items(raw: Any) -> ExtractedItems | None:
    """The items of one segment; None if this is not an object with facts or pairs."""
    if not isinstance(raw, dict):
        return None
    facts, pairs = _member(raw, _FACTS), _member(raw, _PAIRS)
    if facts is None and pairs is None:
        return None
    facts, pairs = _listed(facts), _listed(pairs)
    lost = max(0, len(facts) - MAX_ITEMS) + max(0, len(pairs) - MAX_ITEMS)
    return ExtractedItems(
        tuple(map(_prose, facts[:MAX_ITEMS])),
        tuple(map(_pair, pairs[:MAX_ITEMS])),
        f"{lost} items above the limit of {MAX_ITEMS}" if lost else "",
    )


def _listed(raw: Any) -> list[Any]:
    if raw is None:
        return []
    return raw if isinstance(raw, list) else [raw]


def _pair(raw: Any) -> ExtractedPair:
    if isinstance(raw, dict):
        return ExtractedPair(_prose(_member(raw, _QUESTION)), as_text(_member(raw, _ANSWER)))
    if isinstance(raw, list) and len(raw) == 2:
        return ExtractedPair(_prose(raw[0]), as_text(raw[1]))
    return ExtractedPair(_prose(raw), "")


def _prose(raw: Any) -> str:
    """A string unchanged; anything else in brackets, which validation rejects."""
    return as_text(raw if isinstance(raw, str | list | dict) else [raw])


def as_text(raw: Any) -> str:
    """A string unchanged, anything else as JSON; valid UTF-8, and bounded."""
    if raw is None:
        return ""
    text = raw if isinstance(raw, str) else _dumped(raw)
    return text[:_MAX_ITEM_CHARACTERS].encode("utf-8", "replace").decode("utf-8")


def _dumped(raw: Any) -> str:
    try:
        return json.dumps(raw, ensure_ascii=False)
    except (ValueError, RecursionError):
        return "{}"


def _member(raw: dict[str, Any], names: Sequence[str]) -> Any:
    return next((raw[name] for name in names if name in raw), None)
