"""The JSON object in a reply of an LLM, or why the reply cannot be used."""

from __future__ import annotations

import json

from factmill.models.llm.completion import Completion
from factmill.models.llm.lenient_json import json_values, valid_unicode


class UnusableReply(Exception):
    """A reply of the LLM cannot be used; the message tells the LLM why."""


def object_in(reply: Completion) -> dict[str, object]:
    """The last JSON object of a reply, because reasoning may contain drafts; it may be the one item
    of an array. Raises UnusableReply.
    """
    for found in reversed(json_values(reply.text, reply.truncated)):
        value = found.value
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if isinstance(value, dict) and found.complete:
            return _valid_unicode(value)
    raise UnusableReply("it was cut off" if reply.truncated else "it holds no JSON object")


def _valid_unicode(value: dict[str, object]) -> dict[str, object]:
    """The same with U+FFFD for lone surrogates: they pass as escapes in JSON, but UTF-8 cannot hold
    them. Raises UnusableReply.
    """
    try:
        text = json.dumps(value, ensure_ascii=False)
        valid = valid_unicode(text)
        return value if valid == text else dict(json.loads(valid))
    except RecursionError:
        raise UnusableReply("it is nested too deeply") from None
