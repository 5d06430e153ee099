"""What a question is about and whether its answer changes: by the local models, else by the LLM.

The local models go with the default encoder. An index of another one asks the LLM.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

from factmill.models.answering.attributes.attributes import (
    Attributes,
    Domain,
    Dynamism,
    attribute_weights,
)
from factmill.models.llm.completion import Message
from factmill.models.llm.json_schemas import Schema, json_object
from factmill.runtime.answers.answer import AnswerStep
from factmill.runtime.answers.session import Session, StepFailed, UnusableReply

STEP = "attributes"
_DOMAINS = [one.value for one in Domain]
_SCHEMA: Schema = json_object(
    domain={"type": "string", "enum": _DOMAINS},
    dynamism={"type": "string", "enum": ["static", "dynamic"]},
)
_TOKENS = 60
_SYSTEM = """\
You sort a question. Write one JSON object and nothing around it: \
{"domain": "finance" or "music" or "movie" or "sports" or "open", "dynamism": "static" or "dynamic"}
The domain is open where none of the others fits. The answer to a static question never changes; \
that to a dynamic one changes with time, or depends on when it is asked.
Question: who directed quenby lock?
{"domain": "movie", "dynamism": "static"}
Question: what did shares of ardith close at yesterday?
{"domain": "finance", "dynamism": "dynamic"}
Question: how many albums has tarn released?
{"domain": "music", "dynamism": "dynamic"}
Question: who won the saltmere cup in 1998?
{"domain": "sports", "dynamism": "static"}
Question: what is the population of saltmere?
{"domain": "open", "dynamism": "dynamic"}"""


async def attributes_of(session: Session) -> Attributes:
    """Those of the session's question. Records them. A question that the LLM cannot sort counts as
    one that does not change."""
    start = time.monotonic()
    with session.timed(STEP):
        found = await asyncio.to_thread(_predicted, session)
    if found is None:
        found = await _asked(session)
    session.record(
        AnswerStep(
            STEP, STEP, session.question, answer=f"{found.domain.value}, {found.dynamism.value}",
            seconds=time.monotonic() - start,
        )
    )  # fmt: skip
    return found


def _predicted(session: Session) -> Attributes | None:
    encoded = session.index.vector(session.question)
    if encoded is None:
        return None
    encoder, vector = encoded
    weights = attribute_weights()
    return weights.attributes(vector) if encoder == weights.encoder else None


async def _asked(session: Session) -> Attributes:
    asked = Message("user", f"Question: {' '.join(session.question.split())}")
    messages = [Message("system", _SYSTEM), asked]
    try:
        return await session.ask(STEP, messages, _TOKENS, _SCHEMA, _read)
    except StepFailed as failed:
        if not failed.was_answered:
            raise
        return Attributes(Domain.OPEN, Dynamism.STATIC)


def _read(reply: dict[str, Any]) -> Attributes:
    domain, dynamism = reply.get("domain"), reply.get("dynamism")
    if domain not in _DOMAINS or dynamism not in {"static", "dynamic"}:
        raise UnusableReply('"domain" or "dynamism" is none of those there are')
    return Attributes(Domain(domain), Dynamism.STATIC if dynamism == "static" else Dynamism.FAST)
