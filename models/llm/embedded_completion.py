"""Completions of prompts given as vectors, by a vLLM server (`--enable-prompt-embeds`).

    vectors of a whole prompt -> torch.save -> base64 -> POST /completions -> the LLM's text

The server applies no chat template to vectors, so the prompt already contains its turn markers.
Whoever has the LLM's embeddings can read the prompt from the vectors, so they go only to the server
that the user named.
"""

from __future__ import annotations

import base64
import io
from http import HTTPStatus
from typing import Any

from factmill.models.llm.chat_reply import (
    MalformedReply,
    error_message,
    message_line,
    read_completion,
)
from factmill.models.llm.completion import Completion
from factmill.models.llm.connection import Connection, NoResponse
from factmill.models.llm.endpoint import Endpoint
from factmill.models.llm.usage_estimates import believed_usage_of_vectors
from factmill.schemas.errors import Rejected

_PATH = "/completions"


def embedded_request(model: str, vectors: Any, max_tokens: int) -> dict[str, object]:
    """The body of a request. `vectors` is a tensor of shape (tokens, width)."""
    import torch

    stream = io.BytesIO()
    # A view would be saved with its whole base tensor.
    torch.save(vectors.detach().cpu().contiguous().clone(), stream)
    return {
        "model": model,
        "prompt_embeds": base64.b64encode(stream.getvalue()).decode("ascii"),
        "max_tokens": max_tokens,
        "temperature": 0,
    }


class EmbeddedCompletions:
    """Calls one server; a context manager that closes its connections."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint, self._connection = endpoint, Connection(endpoint)

    async def complete(
        self, vectors: Any, max_tokens: int, seconds: float, step: str = ""
    ) -> Completion:
        """Raises Rejected (`llm_failed`) when no completion arrives within `seconds`."""
        body = embedded_request(self._endpoint.model, vectors, max_tokens)
        try:
            response = await self._connection.post(_PATH, body, seconds, step)
        except NoResponse as failure:
            raise Rejected("llm_failed", str(failure)) from None
        if response.status_code != HTTPStatus.OK:
            # vLLM names the option when it runs without it.
            said, _ = error_message(response.content)
            shown = message_line(self._connection.without_key(said))
            raise Rejected("llm_failed", f"status {response.status_code}: {shown}")
        try:
            reply = read_completion(response.content)
        except MalformedReply as error:
            shown = message_line(self._connection.without_key(str(error)))
            raise Rejected("llm_failed", f"not a completion: {shown}") from None
        used = believed_usage_of_vectors(reply.usage, len(vectors), reply.text, max_tokens)
        return Completion(reply.text.strip(), reply.finish == "length", used)

    async def __aenter__(self) -> EmbeddedCompletions:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._connection.close()
