"""The Revelator that asks an LLM. For an unusable reply, the local Revelator decides, and the step
says so; if there is no reply at all, the strategy fails.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from factmill.models.answering.decomposing.subquestions import (
    SubQuestion,
    single,
)
from factmill.models.answering.rewriting.rewriting import rewritten
from factmill.models.answering.routing.route import RouteProbabilities
from factmill.models.llm.completion import Message
from factmill.models.llm.json_schemas import Schema
from factmill.runtime.answers.answer import AnswerStep
from factmill.runtime.answers.compactrag import DECOMPOSE, DECOMPOSE_SCHEMA, read_sub_questions
from factmill.runtime.answers.hanrag import revelator_prompts as prompts
from factmill.runtime.answers.hanrag.local_revelator import LocalRevelator
from factmill.runtime.answers.hanrag.revelator import Answered
from factmill.runtime.answers.json_reply import UnusableReply
from factmill.runtime.answers.llm_answers import citation_numbers
from factmill.runtime.answers.passages import ShownPassages, of_beginning
from factmill.runtime.answers.session import Session, StepFailed
from factmill.runtime.search.hits import Hit

T = TypeVar("T")

_ROUTE_TOKENS, _DECOMPOSE_TOKENS, _REFINE_TOKENS = 40, 300, 100
_RELEVANCE_TOKENS, _ENDING_TOKENS = 60, 30
_MAX_CHARACTERS = 500
# The characters of a document that are judged.
_JUDGED_CHARACTERS = 700


class LlmRevelator:
    """Decides for the session's question. `local` takes over when a reply is unusable."""

    def __init__(self, session: Session, local: LocalRevelator) -> None:
        self._session, self._local = session, local
        self._fallbacks = 0

    async def route(self) -> RouteProbabilities:
        messages = prompts.route_prompt(self._session.question)
        return await self._ask(
            "route", messages, _ROUTE_TOKENS, prompts.ROUTE_SCHEMA, _read_route, self._local.route
        )

    async def decompose(self) -> tuple[SubQuestion, ...]:
        """A part that depends on another part means there are no parts: the question stays
        whole.
        """
        messages = prompts.parts_prompt(self._session.question)
        parts = await self._ask(
            DECOMPOSE, messages, _DECOMPOSE_TOKENS, DECOMPOSE_SCHEMA, read_sub_questions,
            self._local.decompose,
        )  # fmt: skip
        return single(self._session.question) if any(part.needs for part in parts) else parts

    async def refine(self, answered: Sequence[Answered]) -> tuple[SubQuestion, ...]:
        """One question, which may have used every answer."""
        messages = prompts.refine_prompt(self._session.question, answered)
        number = str(len(answered) + 1)
        needs = tuple(one.id for one in answered)

        async def locally() -> tuple[SubQuestion, ...]:
            answers = {one.id: one.answer for one in answered}
            first = (await self._local.refine(answered))[:1]
            return tuple(
                SubQuestion(number, rewritten(one.question, answers), needs) for one in first
            )

        def read(reply: dict[str, Any]) -> tuple[SubQuestion, ...]:
            return (SubQuestion(number, _read_question(reply), needs),)

        return await self._ask(
            "refine", messages, _REFINE_TOKENS, prompts.REFINE_SCHEMA, read, locally
        )

    async def relevance(self, question: str, hits: Sequence[Hit], room: int) -> list[float]:
        """Hits that do not fit into the prompt are not judged."""
        documents = ShownPassages()
        beginnings = [of_beginning(hit, _JUDGED_CHARACTERS) for hit in hits]
        documents.add_fitting(beginnings, room, self._session.count_tokens)
        shown = len(documents)

        def read(reply: dict[str, Any]) -> list[float]:
            listed = reply.get("relevant")
            if not isinstance(listed, list):
                raise UnusableReply('"relevant" must be a list of numbers')
            kept = set(citation_numbers(listed))
            return [float(number in kept and number <= shown) for number in range(1, len(hits) + 1)]

        async def locally() -> list[float]:
            return await self._local.relevance(question, hits, room)

        messages = prompts.relevance_prompt(question, documents)
        return await self._ask(
            "relevance", messages, _RELEVANCE_TOKENS, prompts.RELEVANCE_SCHEMA, read, locally
        )

    async def ending(self, answered: Sequence[Answered]) -> bool:
        async def locally() -> bool:
            return await self._local.ending(answered)

        messages = prompts.ending_prompt(self._session.question, answered)
        return await self._ask(
            "ending", messages, _ENDING_TOKENS, prompts.ENDING_SCHEMA, _read_enough, locally
        )

    async def _ask(
        self,
        step: str,
        messages: Sequence[Message],
        max_tokens: int,
        schema: Schema,
        read: Callable[[dict[str, Any]], T],
        locally: Callable[[], Awaitable[T]],
    ) -> T:
        """Raises StepFailed when the LLM does not reply at all."""
        try:
            return await self._session.ask(step, messages, max_tokens, schema, read)
        except StepFailed as failed:
            if not failed.was_answered:
                raise
            self._fallbacks += 1
            self._session.record(
                AnswerStep(
                    f"fallback-{self._fallbacks}", "fallback", self._session.question,
                    answer=f"decided without the LLM: {failed}",
                )
            )  # fmt: skip
        return await locally()


def _read_route(reply: dict[str, Any]) -> RouteProbabilities:
    said = reply.get("type")
    if said not in prompts.ROUTES:
        raise UnusableReply(f'"type" must be one of {", ".join(prompts.ROUTES)}')
    return RouteProbabilities(*(float(one == said) for one in prompts.ROUTES))


def _read_question(reply: dict[str, Any]) -> str:
    said = reply.get("question")
    text = " ".join(said.split()) if isinstance(said, str) else ""
    if not text or len(text) > _MAX_CHARACTERS:
        raise UnusableReply(f'"question" must be a text of 1 to {_MAX_CHARACTERS} characters')
    return text.encode("utf-8", "replace").decode("utf-8")


def _read_enough(reply: dict[str, Any]) -> bool:
    said = reply.get("enough")
    if not isinstance(said, bool):
        raise UnusableReply('"enough" must be true or false')
    return said
