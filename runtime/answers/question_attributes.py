"""The domain of a question and whether its answer changes: by the local models, or by the LLM.

The local models need the default encoder. With another encoder the LLM is asked, twice at once,
with its examples in different orders; if the replies disagree, a third order decides. (Wang et al.
2023, "Self-consistency": answers on which several samples agree are right more often. The samples
differ by their examples instead of by chance, so that a question always gets the same answer.)
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeVar

from factmill.models.answering.attributes.attributes import (
    Attributes,
    Domain,
    Dynamism,
    attribute_weights,
)
from factmill.models.llm.completion import Message
from factmill.models.llm.json_schemas import Schema, json_object
from factmill.models.llm.marked_parts import one_line
from factmill.runtime.answers.answer import AnswerStep
from factmill.runtime.answers.concurrent_steps import concurrently
from factmill.runtime.answers.json_reply import UnusableReply
from factmill.runtime.answers.session import Session, StepFailed

T = TypeVar("T")

ATTRIBUTES_STEP = "attributes"
_DOMAINS = [one.value for one in Domain]
_SCHEMA: Schema = json_object(
    domain={"type": "string", "enum": _DOMAINS},
    dynamism={"type": "string", "enum": ["static", "dynamic"]},
)
_TOKENS = 60
_INSTRUCTION = """\
You sort a question. Write one JSON object and nothing around it: \
{"domain": "finance" or "music" or "movie" or "sports" or "open", "dynamism": "static" or "dynamic"}
The domain is open where none of the others fits. The answer to a static question never changes; \
that to a dynamic one changes with time, or depends on when it is asked."""
_EXAMPLES = (
    ("who directed quenby lock?", "movie", "static"),
    ("what did shares of ardith close at yesterday?", "finance", "dynamic"),
    ("how many albums has tarn released?", "music", "dynamic"),
    ("who won the saltmere cup in 1998?", "sports", "static"),
    ("what is the population of saltmere?", "open", "dynamic"),
)
# The maximum number of LLM samples. Each begins with other examples.
SAMPLES = 3


async def attributes_of(session: Session) -> Attributes:
    """The attributes of the session's question, recorded as a step. A question that the LLM cannot
    classify counts as one whose answer does not change.
    """
    began = session.begin()
    with session.timed(ATTRIBUTES_STEP):
        found = await asyncio.to_thread(_predicted, session)
    if found is None:
        found = await _asked(session)
    step = AnswerStep(
        ATTRIBUTES_STEP,
        ATTRIBUTES_STEP,
        session.question,
        answer=f"{found.domain.value}, {found.dynamism.value}",
    )
    session.record(step, began)
    return found


def _predicted(session: Session) -> Attributes | None:
    encoded = session.index.vector(session.question)
    if encoded is None:
        return None
    encoder, vector = encoded
    weights = attribute_weights()
    return weights.attributes(vector) if encoder == weights.encoder else None


async def _asked(session: Session) -> Attributes:
    """The majority of the samples, for domain and dynamism each. Raises StepFailed when no sample
    was answered.
    """
    sampled = await concurrently(_sample(session, number) for number in range(2))
    if sampled[0] != sampled[1]:
        sampled.append(await _sample(session, 2))
    usable = [one for one in sampled if one is not None]
    domain = _majority([one.domain for one in usable], Domain.OPEN)
    return Attributes(domain, _majority([one.dynamism for one in usable], Dynamism.STATIC))


async def _sample(session: Session, number: int) -> Attributes | None:
    """None for an unusable reply."""
    asked = Message("user", f"Question: {one_line(session.question)}")
    messages = [Message("system", _few_shot_prompt(number)), asked]
    try:
        return await session.ask(ATTRIBUTES_STEP, messages, _TOKENS, _SCHEMA, _read)
    except StepFailed as failed:
        if not failed.was_answered:
            raise
        return None


def _few_shot_prompt(number: int) -> str:
    """The instruction and the examples; each number begins with another example."""
    first = number * len(_EXAMPLES) // SAMPLES
    shown = [
        f'Question: {question}\n{{"domain": "{domain}", "dynamism": "{dynamism}"}}'
        for question, domain, dynamism in (*_EXAMPLES[first:], *_EXAMPLES[:first])
    ]
    return "\n".join([_INSTRUCTION, *shown])


def _majority(values: Sequence[T], otherwise: T) -> T:
    """The most frequent value; `otherwise` for a tie."""
    counts = Counter(values).most_common(2)
    ahead = counts and (len(counts) == 1 or counts[0][1] > counts[1][1])
    return counts[0][0] if ahead else otherwise


def _read(reply: dict[str, Any]) -> Attributes:
    domain, dynamism = reply.get("domain"), reply.get("dynamism")
    if domain not in _DOMAINS or dynamism not in ("static", "dynamic"):
        raise UnusableReply('"domain" or "dynamism" has an unknown value')
    return Attributes(Domain(domain), Dynamism.STATIC if dynamism == "static" else Dynamism.FAST)
