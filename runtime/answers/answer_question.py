"""The entry point for answers: a question, an index, perhaps an LLM -> an Answer, in any case.

    strategy -> draft -> Answer
             -> the LLM failed, gave an unusable reply, or took too long -> extracted, marked

`answer` waits, `answer_async` is awaited. Cancelling the latter cancels the calls to the LLM.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from factmill.models.llm.completion import Llm
from factmill.models.llm.usage_estimates import TokenCounter, estimated_tokens
from factmill.runtime.answers import careful_extract, compactrag, extractive, hashrag, hybrid, r2ag
from factmill.runtime.answers.answer import Answer, Draft
from factmill.runtime.answers.answer_tools import AnswerTools
from factmill.runtime.answers.awaited_in_thread import awaited_in_thread
from factmill.runtime.answers.hanrag import hanrag
from factmill.runtime.answers.question_limits import TOKENS, QuestionLimits
from factmill.runtime.answers.retrieval_llm import RetrievalLlm
from factmill.runtime.answers.searched_pages import (
    FollowedPages,
    SearchedPages,
    current_pages,
)
from factmill.runtime.answers.session import Session, StepFailed, StepListener
from factmill.runtime.knowledge.knowledge_source import KnowledgeSource
from factmill.runtime.query_checks import check_query
from factmill.schemas.errors import OptionError

EXTRACTIVE = "extractive"
# Seconds left for a fallback to `extractive`.
_SECONDS_TO_EXTRACT = 10.0


@dataclass(frozen=True, slots=True)
class Strategy:
    """A way to answer: its calls with the default limits (one more may be a repair) and its tokens.
    `needs_llm` is false if it also works without one. `reads_vectors`: it needs an LLM of its own,
    which a service does not have. `extract` answers when its LLM fails.
    """

    draft: Callable[[Session], Coroutine[Any, Any, Draft]]
    calls: int
    needs_llm: bool = True
    tokens: int = TOKENS
    reads_vectors: bool = False
    extract: Callable[[Session], Coroutine[Any, Any, Draft]] = extractive.draft


STRATEGIES: Mapping[str, Strategy] = {
    EXTRACTIVE: Strategy(extractive.draft, extractive.CALLS, needs_llm=False),
    "hashrag": Strategy(hashrag.draft, hashrag.CALLS),
    "compactrag": Strategy(compactrag.draft, compactrag.CALLS),
    "hanrag": Strategy(hanrag.draft, hanrag.CALLS, needs_llm=False, tokens=hanrag.TOKENS),
    "hybrid": Strategy(hybrid.draft, hybrid.CALLS, extract=careful_extract.draft),
    "r2ag": Strategy(r2ag.draft, r2ag.CALLS, needs_llm=False, reads_vectors=True),
}


def default_strategy(has_llm: bool) -> str:
    """The strategy used when none is requested."""
    return "compactrag" if has_llm else EXTRACTIVE


def answer(
    question: str,
    index: SearchedPages | FollowedPages,
    llm: Llm | None = None,
    strategy: str | None = None,
    limits: QuestionLimits | None = None,
    count_tokens: TokenCounter = estimated_tokens,
    asked_at: datetime | None = None,
    knowledge: KnowledgeSource | None = None,
    retrieval_llm: RetrievalLlm | None = None,
) -> Answer:
    """`answer_async` for callers that do not await it. Where an event loop runs, as in a notebook,
    it runs in a thread meanwhile; an `llm` that was opened in that loop needs `answer_async`. An
    interruption (Ctrl-C) cancels it.
    """
    asked = answer_async(
        question, index, llm, strategy, limits, count_tokens, asked_at=asked_at,
        knowledge=knowledge, retrieval_llm=retrieval_llm,
    )  # fmt: skip
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(asked)
    return awaited_in_thread(asked)


async def answer_async(
    question: str,
    index: SearchedPages | FollowedPages,
    llm: Llm | None = None,
    strategy: str | None = None,
    limits: QuestionLimits | None = None,
    count_tokens: TokenCounter = estimated_tokens,
    on_step: StepListener | None = None,
    asked_at: datetime | None = None,
    knowledge: KnowledgeSource | None = None,
    retrieval_llm: RetrievalLlm | None = None,
) -> Answer:
    """Answer a question. `strategy` is a name of STRATEGIES, `count_tokens` the LLM's tokenizer,
    `asked_at` the time of the question (default: now). `knowledge` is a source that the strategy
    `hybrid` asks beside the pages, `retrieval_llm` the LLM of `r2ag`. `on_step` gets each step when
    it ends. If the strategy fails, the fallback answer includes its steps, with the strategy's name
    before their ids.

    Raises OptionError for an invalid question, an index that is not open, an unknown strategy, or a
    strategy that needs an LLM when none is available. Of an index that follows its store, the whole
    answer comes from the build that it has now.
    """
    check_query(question)
    pages = current_pages(index)
    name = default_strategy(llm is not None) if strategy is None else strategy
    if name not in STRATEGIES:
        raise OptionError(f"no strategy {name!r}; there are: {', '.join(STRATEGIES)}")
    chosen = STRATEGIES[name]
    if chosen.needs_llm and llm is None:
        raise OptionError(f"the strategy {name} asks an LLM: give --llm-url and --llm-model")
    bounds = limits or QuestionLimits()
    bounds = replace(bounds, tokens=bounds.tokens or chosen.tokens)
    tools = AnswerTools(llm, count_tokens, knowledge, retrieval_llm)
    session = Session(question, pages, tools, bounds, on_step, asked_at)
    try:
        draft = await asyncio.wait_for(chosen.draft(session), bounds.seconds)
    except StepFailed as failed:
        return await _extracted(session, name, str(failed))
    except asyncio.TimeoutError:
        return await _extracted(session, name, f"more than {bounds.seconds:g} s")
    return _answer(session, name, draft)


async def _extracted(session: Session, failed: str, why: str) -> Answer:
    """The extractive answer, with the steps and the ledger of the failed strategy."""
    session.rename_steps(failed)
    try:
        extract = STRATEGIES[failed].extract
        draft = await asyncio.wait_for(extract(session), _SECONDS_TO_EXTRACT)
    except asyncio.TimeoutError:
        draft = Draft()
    return _answer(session, EXTRACTIVE, draft, f"{failed}: {why}")


def _answer(session: Session, strategy: str, draft: Draft, notice: str = "") -> Answer:
    return Answer(
        session.question,
        draft.text,
        draft.confidence,
        tuple(draft.citations),
        draft.unsupported,
        tuple(session.steps),
        session.ledger(),
        strategy,
        session.index.build.build_id,
        notice,
    )
