"""The headers of every request to an LLM server: a header for all requests belongs here.

The key comes from the environment, is sent and never shown.
"""

from __future__ import annotations

import os

import openai

from factmill.models.llm.endpoint import KEY_VARIABLE
from factmill.schemas.errors import OptionError

STEP_HEADER = "X-Factmill-Step"


def api_key() -> str:
    """The key of the environment, "" for none. Raises OptionError when it cannot be sent."""
    key = os.environ.get(KEY_VARIABLE, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise OptionError(f"{KEY_VARIABLE} has characters that no key has")
    return key


def request_headers(key: str, step: str = "") -> dict[str, str | openai.Omit]:
    """What goes into every request; `openai.Omit` leaves out what the package would send. `step`
    says what a request is for."""
    # A few bytes can unpack to very many; what is read is bounded as it was sent.
    headers: dict[str, str | openai.Omit] = {"Accept-Encoding": "identity"}
    if step:
        headers[STEP_HEADER] = step
    if not key:
        headers["Authorization"] = openai.Omit()
    return headers
