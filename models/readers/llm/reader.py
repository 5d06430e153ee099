"""Asks an LLM about a batch of segments, and once more to repair a faulty answer.

    batch -> prompt -> answer -> items of each segment -> faults -> repair -> items or Rejected

Knows nothing of servers, budgets or files: the Llm bounds and counts its calls, the caller stores
the result.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from factmill.models.llm.completion import Completion, Llm, Message, Usage
from factmill.models.llm.marked_parts import LAYOUT
from factmill.models.readers.llm import prompts, repair
from factmill.models.readers.llm.completion_parsing import ParsedSegment, parse_completion
from factmill.models.readers.llm.extracted_items import ExtractedItems
from factmill.models.readers.llm.segment_batches import (
    DEFAULT_BATCH_CHARACTERS,
    DEFAULT_BATCH_SEGMENTS,
    SegmentBatch,
)
from factmill.models.readers.llm.validation import check
from factmill.schemas.errors import BudgetSpent, Rejected, ServerDown

# The purpose of a call, as gateways see it.
STEP = "read"
_DETAIL_CHARACTERS = 200
# Tokens more for the repair of an answer that was cut off before any item: the LLM may think first.
_TOKENS_TO_THINK = 2000


@dataclass(frozen=True, slots=True)
class BatchResult:
    """The result for each segment of a batch, by id, and the usage."""

    outcomes: dict[str, ExtractedItems | Rejected]
    usage: Usage


def fingerprint(model: str, settings: Mapping[str, object] | None = None) -> str:
    """Changes with everything that decides what is asked about a segment: model, prompts, schemas,
    generation settings (as passed to the Llm) and the default bounds of batches. Not included: how
    many segments share a call in one run, which may change without asking again about segments
    that were read; and validation, because it is repeated whenever an answer is used.
    """
    asked = [
        model, prompts.SYSTEM, LAYOUT, prompts.answer_schema(1), repair.EXPLANATION,
        repair.EXPLAINED, repair.PROBLEMS, repair.SCHEMA, dict(settings or {}),
        DEFAULT_BATCH_SEGMENTS, DEFAULT_BATCH_CHARACTERS,
    ]  # fmt: skip
    text = json.dumps(asked, sort_keys=True, default=str)
    return "llm-" + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


class LlmReader:
    """Reads batches. Stateless: any number may be read concurrently."""

    def __init__(self, llm: Llm) -> None:
        self._llm = llm

    async def read(self, batch: SegmentBatch, deadline: float | None = None) -> BatchResult:
        """Items, or the reason for having none, for each segment of the batch.

        A segment about which the LLM says nothing gets `ExtractedItems()`. Raises ServerDown and
        BudgetSpent, unless every segment has items and only their repair failed.
        """
        conversation = prompts.messages(batch)
        labels = prompts.labels(batch)
        schema = prompts.answer_schema(len(labels))
        try:
            answer = await self._llm.complete(
                conversation, prompts.max_tokens(batch), schema, deadline, STEP
            )
        except Rejected as rejected:
            if rejected.reason == "llm_refused" and len(batch.segments) > 1:
                return await self._one_by_one(batch, deadline)
            outcomes = {segment.segment_id: rejected for segment in batch.segments}
            return BatchResult(dict(outcomes), Usage())
        parsed = parse_completion(answer.text, labels, answer.truncated)
        repaired, usage = await self._repaired(batch, conversation, answer, parsed, deadline)
        return BatchResult(_outcomes(batch, repaired, answer.text), answer.usage + usage)

    async def _one_by_one(self, batch: SegmentBatch, deadline: float | None) -> BatchResult:
        """Segments refused together, for example as too long, may be answered alone."""
        outcomes: dict[str, ExtractedItems | Rejected] = {}
        usage = Usage()
        for segment in batch.segments:
            answered = await self.read(SegmentBatch(batch.title, (segment,)), deadline)
            outcomes |= answered.outcomes
            usage += answered.usage
        return BatchResult(outcomes, usage)

    async def _repaired(
        self,
        batch: SegmentBatch,
        conversation: list[Message],
        answer: Completion,
        parsed: dict[str, ParsedSegment],
        deadline: float | None,
    ) -> tuple[dict[str, ParsedSegment], Usage]:
        segments = zip(parsed.items(), batch.segments, strict=True)
        checked = {
            label: check(segment, batch.title, part.items) for (label, part), segment in segments
        }
        plan = repair.plan_repair(parsed, checked)
        if plan is None:
            return parsed, Usage()
        has_items = any(part.items != ExtractedItems() for part in parsed.values())
        to_think = _TOKENS_TO_THINK if answer.truncated and not has_items else 0
        try:
            reply = await self._llm.complete(
                repair.repair_messages(conversation, answer.text, plan),
                _repair_tokens(batch, plan) + to_think,
                repair.SCHEMA,
                deadline,
                STEP,
            )
        except Rejected:
            return parsed, Usage()
        except (ServerDown, BudgetSpent):
            if plan.again:
                raise
            return parsed, Usage()  # it is paid for, and can be used as it is
        return repair.apply_repair(plan, reply.text, parsed), reply.usage


def _repair_tokens(batch: SegmentBatch, plan: repair.Repair) -> int:
    again = [
        segment
        for label, segment in zip(prompts.labels(batch), batch.segments, strict=True)
        if label in plan.again
    ]
    asked_again = prompts.max_tokens(SegmentBatch(batch.title, tuple(again))) if again else 0
    return asked_again + repair.TOKENS_PER_ITEM * len(plan.faulty) + repair.MIN_TOKENS


def _outcomes(
    batch: SegmentBatch, parsed: Mapping[str, ParsedSegment], answer: str
) -> dict[str, ExtractedItems | Rejected]:
    outcomes: dict[str, ExtractedItems | Rejected] = {}
    for segment, part in zip(batch.segments, parsed.values(), strict=True):
        if part.problem and part.items == ExtractedItems():
            detail = " ".join(answer[:_DETAIL_CHARACTERS].split())
            outcomes[segment.segment_id] = Rejected(part.problem, detail)
        elif part.problem:
            kept = len(part.items.facts) + len(part.items.pairs)
            lost = f"the answer was cut off; items kept: {kept}"
            outcomes[segment.segment_id] = replace(part.items, lost=lost)
        else:
            outcomes[segment.segment_id] = part.items
    return outcomes
