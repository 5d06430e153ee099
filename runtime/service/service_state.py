"""Shared state of an application's requests: the index, the threads, the metrics."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

from starlette.requests import Request

from factmill.runtime.answers.answer import Answer, AnswerStep
from factmill.runtime.answers.answer_question import STRATEGIES, default_strategy
from factmill.runtime.answers.question_llm import AnswerSettings
from factmill.runtime.filtered_index import FilteredIndex
from factmill.runtime.follow import FollowedIndex, follow_index
from factmill.runtime.index import Index
from factmill.runtime.search.search_filter import SearchFilter
from factmill.runtime.service.answer_thread import AnswerThread
from factmill.runtime.service.build_documents import parent_json
from factmill.runtime.service.metrics import Metrics
from factmill.runtime.service.problems import Problem
from factmill.runtime.service.search_threads import SearchThreads
from factmill.runtime.service.service_settings import ServiceSettings
from factmill.runtime.service.tracing import SpanAttributes, asked, span
from factmill.schemas.errors import FactmillError, OptionError

T = TypeVar("T")


class Service:
    """Created when the application starts; `close` it when it ends."""

    def __init__(
        self,
        settings: ServiceSettings,
        metrics: Metrics,
        following: FollowedIndex,
        answers: AnswerThread,
    ) -> None:
        limits = settings.limits
        self.settings, self.metrics = settings, metrics
        self._following, self._answers = following, answers
        self._searches = SearchThreads(limits.searches, limits.requests, limits.search_seconds)
        self._parents: dict[str, dict[str, Any] | None] = {}

    @classmethod
    def open(cls, settings: ServiceSettings, last_served: Path | None = None) -> Service:
        """`last_served` is as for `follow_index`. Raises NoIndex, WrongFormat, CorruptStore,
        Unreachable or OptionError.
        """
        check_strategy(settings.answers)
        metrics = Metrics()
        with ExitStack() as opened:
            following = opened.enter_context(
                follow_index(
                    settings.store, settings.reload_seconds, settings.check,
                    on_look=metrics.note_refused, last_served=last_served,
                )
            )  # fmt: skip
            answers = AnswerThread(settings.answers, settings.limits.searches)
            opened.pop_all()
        metrics.note_refused(following.refused)
        return cls(settings, metrics, following, answers)

    @property
    def index(self) -> Index:
        """The current build's index. A request keeps it to its end."""
        return self._following.index

    @property
    def refused(self) -> FactmillError | None:
        """Why the build in CURRENT is not served, or why the served build is damaged."""
        return self._following.refused

    @property
    def not_served(self) -> str | None:
        """The name of `refused`."""
        return None if self.refused is None else type(self.refused).__name__

    @property
    def damaged(self) -> bool:
        """Whether the served build differs from its manifest."""
        return self.index.damage is not None

    @property
    def strategies(self) -> list[str]:
        """The strategies available here."""
        return strategies_with(self._answers.has_llm)

    @property
    def default_strategy(self) -> str:
        return self.settings.answers.strategy or default_strategy(self._answers.has_llm)

    async def in_thread(self, work: Callable[[], T]) -> T:
        """The result of some work on the index, run in one of the search threads. Raises Problem
        when there is no capacity.
        """
        return await self._searches.run(work)

    async def search(self, index: Index, query: str, k: int, search: Callable[[], T]) -> T:
        """The result of `search` on an index, counted and traced. Raises Problem when there is no
        capacity.
        """
        attributes: SpanAttributes = {
            "gen_ai.operation.name": "retrieval", "gen_ai.retrieval.top_k": k,
            "gen_ai.data_source.id": index.build.build_id,
            **asked(query, self.settings.log_queries),
        }  # fmt: skip
        start = time.perf_counter()
        with span("retrieval", attributes):
            found = await self.in_thread(search)
        self.metrics.searched(time.perf_counter() - start)
        return found

    async def answer(
        self,
        question: str,
        strategy: str | None,
        on_step: Callable[[AnswerStep], object] | None = None,
        only: SearchFilter | None = None,
    ) -> Answer:
        """Answer a question, restricted to what `only` allows, if given. Raises Problem for an
        unknown strategy, OptionError for an invalid question.
        """
        if strategy is not None and strategy not in self.strategies:
            names = ", ".join(self.strategies)
            raise Problem(422, "not_valid", f"strategy: must be one of {names}")
        index = FilteredIndex(self.index, only) if only else self.index
        name = strategy or self.default_strategy
        attributes = {
            "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name,
            "gen_ai.data_source.id": index.build.build_id,
            **asked(question, self.settings.log_queries),
        }  # fmt: skip
        with span(f"invoke_agent {name}", attributes) as one:
            answer = await self._answers.answer(question, index, strategy, on_step)
            if one:
                one.set_attribute("factmill.strategy", answer.strategy)
                one.set_attribute("factmill.known", answer.known)
        self.metrics.answered(answer, self.settings.answers.llm_model)
        return answer

    async def parent(self, index: Index) -> dict[str, Any] | None:
        """The parent of an index's build, read once."""
        build_id = index.build.build_id
        if build_id not in self._parents:
            found = await asyncio.to_thread(parent_json, index.build, index.manifest)
            self._parents = {build_id: found}
        return self._parents.get(build_id)

    def close(self) -> None:
        self._answers.close()
        self._searches.close()
        self._following.close()


def strategies_with(llm: bool) -> list[str]:
    """The strategies available with an LLM, or without one."""
    return [
        name
        for name, one in STRATEGIES.items()
        if (llm or not one.needs_llm) and not one.reads_vectors
    ]


def check_strategy(answers: AnswerSettings) -> None:
    """Raises OptionError for a default strategy that is not available with these settings."""
    available = strategies_with(bool(answers.llm_url))
    name = answers.strategy
    if name is None or name in available:
        return
    if name in STRATEGIES and STRATEGIES[name].reads_vectors:
        more = f"; {name} reads vectors, so it runs by answer and evaluate only"
    elif answers.llm_url:
        more = ""
    else:
        more = "; others ask an LLM: give --llm-url and --llm-model"
    raise OptionError(f"--strategy {name}: a service has {', '.join(available)}{more}")


def service_of(request: Request) -> Service:
    """The service that handles a request."""
    service: Service = request.app.state.service
    return service
