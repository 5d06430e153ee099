"""Answers questions in a thread with an event loop of its own, where the LLM's client lives.

Extraction is Python code that takes tens of milliseconds; in the thread that serves connections, it
would block all others.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any, TypeVar

from factmill.runtime.answers.answer import Answer, AnswerStep
from factmill.runtime.answers.answer_question import answer_async
from factmill.runtime.answers.question_llm import AnswerSettings, question_llm, token_counter
from factmill.runtime.answers.searched_pages import SearchedPages
from factmill.runtime.knowledge.given_sources import GivenSources
from factmill.runtime.service.tracing import TracedLlm, note_step

T = TypeVar("T")


class AnswerThread:
    """Answers questions until it is closed. Its searches run in `searches` threads."""

    def __init__(self, settings: AnswerSettings, searches: int) -> None:
        """Raises OptionError when the LLM cannot be used with these settings."""
        self._settings = settings
        self._count_tokens = token_counter(settings.tokenizer)
        self._knowledge = GivenSources(settings.knowledge, settings.knowledge_key)
        self._loop = asyncio.new_event_loop()
        self._loop.set_default_executor(ThreadPoolExecutor(searches, "factmill-answers"))
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="factmill-answering", daemon=True
        )
        self._thread.start()
        # The service outlives a gateway that refuses its key, or redirects to a page, for minutes.
        self._open = question_llm(settings, refusal_is_final=False)
        with ExitStack() as begun:
            begun.callback(self._stop)
            llm = self._submit(self._open.__aenter__()).result()
            begun.pop_all()
        self._llm = TracedLlm(llm, settings.llm_model) if llm else None

    @property
    def has_llm(self) -> bool:
        return self._llm is not None

    async def answer(
        self,
        question: str,
        index: SearchedPages,
        strategy: str | None,
        on_step: Callable[[AnswerStep], object] | None = None,
    ) -> Answer:
        """As `answer_async`. `on_step` is called in the caller's loop; cancelling also cancels the
        calls to the LLM.
        """
        caller = asyncio.get_running_loop()

        def tell(step: AnswerStep) -> None:
            note_step(step)
            if on_step:
                caller.call_soon_threadsafe(on_step, step)

        asked = answer_async(
            question,
            index,
            self._llm,
            strategy or self._settings.strategy,
            self._settings.limits,
            self._count_tokens,
            tell,
            knowledge=self._knowledge.of(index),
        )
        return await asyncio.wrap_future(self._submit(asked))

    def _submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def close(self) -> None:
        """Close the client of the LLM and end the thread."""
        self._submit(self._open.__aexit__(None, None, None)).result()
        self._stop()

    def _stop(self) -> None:
        self._submit(self._loop.shutdown_default_executor()).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
