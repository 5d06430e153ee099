"""One question on its way to an answer: its searches, its LLM calls, and their costs.

    strategy -> session.search (in a thread)          -> hits
             -> session.ask (bounded calls, checked)  -> the LLM's reply, as a value
             -> session.begin, session.record         -> steps

A strategy knows nothing of clocks, tokens or repairs. Steps may run concurrently.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timezone
from itertools import accumulate
from typing import TypeVar

from factmill.models.arrays import Floats
from factmill.models.llm.completion import CallRejected, Completion, Message, Usage
from factmill.models.llm.json_schemas import Schema
from factmill.models.llm.usage_estimates import RESERVED_TOKENS_PER_MESSAGE
from factmill.runtime.answers.answer import AnswerStep, Ledger
from factmill.runtime.answers.answer_tools import AnswerTools
from factmill.runtime.answers.json_reply import UnusableReply, object_in
from factmill.runtime.answers.question_limits import TOKENS, QuestionLimits
from factmill.runtime.answers.searched_pages import SearchedPages
from factmill.runtime.search.hits import Hit, HitVectors
from factmill.schemas.errors import BudgetSpent, OptionError, Rejected, ServerDown

T = TypeVar("T")
StepListener = Callable[[AnswerStep], object]

# How many failed calls and unusable replies are repeated, over all steps.
_REPAIRS = 1
# Tokens more for a reply, once one was cut off: many LLMs think before they answer.
_TOKENS_TO_THINK = 1500
# Tokens before the documents that an LLM with an R2-Former reads.
_TOKENS_OF_INSTRUCTION = 60
_MAX_ECHOED = 2000
# Calls end so long before the question's time is over: one that was never sent then says so.
_SECONDS_BEFORE_END = 0.05


class StepFailed(Exception):
    """The LLM did not give a usable reply in a step; the message says why, on one line.
    `was_answered`: there was a reply, but not a usable one.
    """

    def __init__(self, why: str, was_answered: bool = False) -> None:
        super().__init__(why)
        self.was_answered = was_answered


def left_out(failed: StepFailed) -> str:
    """What a step says that failed and that the answer can do without."""
    return f"left out: {failed}"


class Session:
    """State of one question. `asked_at` is when it was asked (default: now). `on_step` gets each
    step when it ends. Limits without a number of tokens mean TOKENS.
    """

    def __init__(
        self,
        question: str,
        index: SearchedPages,
        tools: AnswerTools,
        limits: QuestionLimits,
        on_step: StepListener | None = None,
        asked_at: datetime | None = None,
    ) -> None:
        self.question, self.index, self.limits = question, index, limits
        self.count_tokens = tools.count_tokens
        self.asked_at = asked_at or datetime.now(timezone.utc)
        self.knowledge = tools.knowledge
        self.retrieval_llm = tools.retrieval_llm
        self.steps: list[AnswerStep] = []
        self._llm, self._repairs, self._tokens_to_think = tools.llm, _REPAIRS, 0
        self._on_step = on_step or (lambda _: None)
        self._tokens = limits.tokens or TOKENS
        self._calls, self._used, self._in_flight = 0, Usage(), 0
        self._seconds: dict[str, float] = defaultdict(float)
        self._start = time.monotonic()

    async def search(self, query: str, k: int) -> list[Hit]:
        """The k best pages. Other steps continue meanwhile."""
        with self.timed("search"):
            return await asyncio.to_thread(self.index.search, query, k)

    async def search_pages(self, query: str, k: int, most: int, tables: int = 0) -> list[Hit]:
        """The best segments of the k best pages, `most` of each, page by page, and `tables` more
        tables of the best page.
        """
        with self.timed("search"):
            pages = await asyncio.to_thread(self.index.search_pages, query, k, most, tables)
        return [hit for of_page in pages for hit in of_page]

    async def search_vectors(self, query: str, k: int) -> HitVectors | None:
        """The k best pages with vectors of their units; None without an encoder."""
        with self.timed("search"):
            return await asyncio.to_thread(self.index.search_vectors, query, k)

    async def complete_documents(
        self, step: str, documents: Sequence[str], features: Floats, max_tokens: int
    ) -> Completion:
        """The completion of the LLM with an R2-Former. Documents that do not fit into the tokens
        left are left out, last ones first. Raises StepFailed.
        """
        assert self.retrieval_llm is not None
        shown = self._fitting(documents, max_tokens)
        if documents and not shown:
            raise StepFailed(f"{step}: the question's {self._tokens:,} tokens are spent")
        self._calls += 1
        left = self.limits.seconds - (time.monotonic() - self._start)
        with self.timed(step):
            try:
                reply = await self.retrieval_llm.complete(
                    self.question, shown, features, max_tokens, left, step
                )
            except Rejected as rejected:
                raise StepFailed(f"{step}: {rejected}") from None
        self._used += reply.usage
        return reply

    def _fitting(self, documents: Sequence[str], max_tokens: int) -> Sequence[str]:
        """The first documents that fit beside the question, by an estimate."""
        room = self.tokens_left() - max_tokens - _TOKENS_OF_INSTRUCTION
        texts = (self.question, *documents)
        taken = accumulate(self.prompt_tokens([Message("user", text)]) for text in texts)
        return documents[: max(0, sum(tokens <= room for tokens in taken) - 1)]

    def tokens_left(self) -> int:
        """Tokens left of the question's limit, after reserving those of running calls."""
        return self._tokens - self._used.tokens - self._in_flight

    @property
    def has_llm(self) -> bool:
        """Whether an LLM is available."""
        return self._llm is not None

    def prompt_tokens(self, messages: Sequence[Message]) -> int:
        """The prompt tokens of a conversation, counted or estimated."""
        return sum(self.count_tokens(m.content) + RESERVED_TOKENS_PER_MESSAGE for m in messages)

    async def ask(
        self,
        step: str,
        messages: Sequence[Message],
        max_tokens: int,
        schema: Schema,
        read: Callable[[dict[str, object]], T],
        repaired: Callable[[str], list[Message]] | None = None,
    ) -> T:
        """The LLM's JSON reply, parsed by `read`. When `read` raises UnusableReply, one repair is
        tried: with the conversation that `repaired` builds from the reply, or by asking the same
        again. After a reply that was cut off, all replies may have more tokens.

        Raises StepFailed when there is no usable reply, OptionError when the server accepts no
        request at all.
        """
        conversation = list(messages)
        with self.timed(step):
            while True:
                most = max_tokens + self._to_think(conversation, max_tokens)
                try:
                    reply = await self._call(step, conversation, most, schema)
                except Rejected as rejected:
                    if rejected.reason != "llm_failed":
                        raise StepFailed(f"{step}: {rejected}") from None
                    self._spend_repair(step, str(rejected), was_answered=False)
                    continue
                try:
                    return read(object_in(reply))
                except UnusableReply as unusable:
                    problem = str(unusable)
                if reply.truncated:
                    self._tokens_to_think = _TOKENS_TO_THINK
                self._spend_repair(step, problem, was_answered=True)
                if repaired and reply.text.strip():
                    conversation = repaired(reply.text)
                elif not reply.truncated:
                    conversation = _with_repair(messages, reply.text, problem)

    def _spend_repair(self, step: str, problem: str, was_answered: bool) -> None:
        """Raises StepFailed when none is left."""
        if self._repairs < 1:
            raise StepFailed(f"{step}: {problem}", was_answered)
        self._repairs -= 1

    def _to_think(self, messages: Sequence[Message], max_tokens: int) -> int:
        """Tokens to add to a reply's limit, as far as the question has tokens left."""
        room = self.tokens_left() - self.prompt_tokens(messages) - max_tokens
        return max(0, min(self._tokens_to_think, room))

    async def _call(
        self, step: str, messages: Sequence[Message], max_tokens: int, schema: Schema
    ) -> Completion:
        if self._llm is None:
            raise OptionError("this strategy asks an LLM: give --llm-url and --llm-model")
        most = self.prompt_tokens(messages) + max_tokens
        if most > self.tokens_left():
            raise StepFailed(f"{step}: the question's {self._tokens:,} tokens are spent")
        deadline = self._start + self.limits.seconds - _SECONDS_BEFORE_END
        self._calls += 1
        self._in_flight += most
        try:
            reply = await self._llm.complete(messages, max_tokens, schema, deadline, step)
        except CallRejected as rejected:
            self._used += rejected.usage
            raise
        except Rejected:
            self._calls -= 1  # it was never sent
            raise
        except (BudgetSpent, ServerDown) as error:
            self._calls -= 1
            raise StepFailed(f"{step}: {error}") from None
        finally:
            self._in_flight -= most
        self._used += reply.usage
        return reply

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        """Add the seconds of the block to those of a step."""
        start = time.monotonic()
        try:
            yield
        finally:
            self._seconds[step] += time.monotonic() - start

    def begin(self) -> float:
        """Mark the beginning of a step, for `record`."""
        return time.monotonic()

    def record(self, step: AnswerStep, began: float | None = None) -> None:
        """Append a step; steps are listed in the order in which they end. `began` is what `begin`
        gave; without it, the step took no time.
        """
        if began is not None:
            step = replace(step, seconds=time.monotonic() - began)
        self.steps.append(step)
        self._on_step(step)

    def rename_steps(self, prefix: str) -> None:
        """Put a prefix before the ids of all steps so far, to free these ids."""
        self.steps = [
            replace(
                step,
                id=f"{prefix}-{step.id}",
                needs=tuple(f"{prefix}-{need}" for need in step.needs),
            )
            for step in self.steps
        ]

    def ledger(self) -> Ledger:
        """The costs so far."""
        return Ledger(
            self._calls,
            self._used.prompt_tokens,
            self._used.completion_tokens,
            dict(self._seconds),
            time.monotonic() - self._start,
        )


def _with_repair(messages: Sequence[Message], reply: str, problem: str) -> list[Message]:
    """The conversation that asks for a corrected reply."""
    return [
        *messages,
        Message("assistant", reply[:_MAX_ECHOED] or "{}"),
        Message(
            "user", f"That cannot be used: {problem}. Write the JSON object again, and only it."
        ),
    ]
