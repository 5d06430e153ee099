"""The headers of every request to an LLM server. Add common headers here.

The key comes from the environment; it is sent, but never shown.
"""

from __future__ import annotations

import os

import openai

from factmill.models.llm.endpoint import KEY_VARIABLE
from factmill.schemas.errors import OptionError

STEP_HEADER = "X-Factmill-Step"


def api_key() -> str:
    """The key in the environment, "" for none. Raises OptionError when it cannot be sent."""
    key = os.environ.get(KEY_VARIABLE, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise OptionError(f"{KEY_VARIABLE} has characters that a key cannot have")
    return key


def request_headers(key: str, step: str) -> dict[str, str | openai.Omit]:
    """The headers of every request; `openai.Omit` removes headers that the package would add.
    `step` names the purpose of the request, "" for none.
    """
    # No compression: a few bytes could expand to very many, past the bound on the response.
    headers: dict[str, str | openai.Omit] = {"Accept-Encoding": "identity"}
    if step:
        headers[STEP_HEADER] = step
    if not key:
        headers["Authorization"] = openai.Omit()
    return headers
