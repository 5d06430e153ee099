"""Spans of requests, searches, answers and calls of an LLM, by OpenTelemetry's API.

    POST /v1/answer            of the server; below what the client's `traceparent` names
      invoke_agent hanrag      the answer, and of the client of the LLM:
        chat NAME              model, step and tokens of each call
        step decompose         each step, as long as it took
    POST /v1/search
      retrieval                build, number of pages asked for

Names follow OpenTelemetry's conventions for HTTP and for generative AI where they fit. A process
without an SDK, or without the API (the extra `otel`), makes no spans. Spans contain questions only
if the service logs queries, and never answers.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from factmill.models.llm.completion import Completion, Llm, Message
from factmill.runtime.answers.answer import AnswerStep

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Span

# The namespace package alone may belong to another distribution.
_HAS_API = bool(
    importlib.util.find_spec("opentelemetry") and importlib.util.find_spec("opentelemetry.trace")
)
_MAX_CHARACTERS = 500
SpanAttributes = Mapping[str, str | int | bool]


def traces_are_made() -> bool:
    """Whether an SDK was set up in this process."""
    if not _HAS_API:
        return False
    from opentelemetry.trace import ProxyTracerProvider, get_tracer_provider

    return not isinstance(get_tracer_provider(), ProxyTracerProvider)


@contextmanager
def span(
    name: str,
    attributes: SpanAttributes,
    kind: str = "INTERNAL",
    parent: Context | None = None,
) -> Iterator[Span | None]:
    """A span of the block; None without tracing. `kind` is a name of SpanKind, `parent` the context
    of another process. For an error it records only the class: a message may contain the question.
    """
    if not traces_are_made():
        yield None
        return
    from opentelemetry.trace import SpanKind, get_tracer

    with get_tracer("factmill").start_as_current_span(
        name, parent, SpanKind[kind], attributes,
        record_exception=False, set_status_on_exception=False,
    ) as one, ExitStack() as block:  # fmt: skip
        block.push(partial(_note_error, one))
        yield one


def _note_error(one: Span, kind: type[BaseException] | None, *_: object) -> None:
    """Called like `__exit__`, with the error that ended the block, if any."""
    if kind is None:
        return
    from opentelemetry.trace import StatusCode

    one.set_attribute("error.type", kind.__name__)
    one.set_status(StatusCode.ERROR)


def remote_parent(headers: Sequence[tuple[bytes, bytes]]) -> Context | None:
    """The context that a request's `traceparent` names."""
    from opentelemetry.propagate import extract

    named = {b"traceparent", b"tracestate"}
    return extract({k.decode("ascii"): v.decode("latin-1") for k, v in headers if k in named})


def note_step(step: AnswerStep) -> None:
    """Record a span for a step that just ended, below the answer's span."""
    if not traces_are_made():
        return
    from opentelemetry.trace import get_tracer

    end = time.time_ns()
    attributes: SpanAttributes = {"factmill.step": step.kind, "factmill.hits": len(step.hits)}
    get_tracer("factmill").start_span(
        f"step {step.kind}", attributes=attributes, start_time=end - int(step.seconds * 1e9)
    ).end(end)


def asked(text: str, is_logged: bool) -> dict[str, str]:
    """The attribute with the question, if the service logs it."""
    return {"gen_ai.retrieval.query.text": text[:_MAX_CHARACTERS]} if is_logged else {}


class TracedLlm:
    """An `Llm` that delegates to another one and records its calls as spans."""

    def __init__(self, llm: Llm, model: str) -> None:
        self._llm, self._model = llm, model

    async def complete(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        schema: dict[str, Any] | None = None,
        deadline: float | None = None,
        step: str = "",
    ) -> Completion:
        """As the other one's."""
        attributes: SpanAttributes = {
            "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai",
            "gen_ai.request.model": self._model, "gen_ai.request.max_tokens": max_tokens,
            "gen_ai.output.type": "json", "factmill.step": step,
        }  # fmt: skip
        with span(f"chat {self._model}", attributes, "CLIENT") as one:
            found = await self._llm.complete(messages, max_tokens, schema, deadline, step)
            if one:
                one.set_attribute("gen_ai.usage.input_tokens", found.usage.prompt_tokens)
                one.set_attribute("gen_ai.usage.output_tokens", found.usage.completion_tokens)
            return found
