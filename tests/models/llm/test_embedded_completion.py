"""Prompt embeddings as vLLM takes them, against a server that decodes them."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import torch

from factmill.models.llm.completion import Completion, Usage
from factmill.models.llm.embedded_completion import EmbeddedCompletions
from factmill.models.llm.endpoint import Endpoint
from factmill.schemas.errors import Rejected

REPLY = {
    "choices": [{"text": " 1901\n", "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 7, "completion_tokens": 2},
}


@dataclass
class FakeServer:
    """Answers as it is told, and remembers paths, headers and bodies."""

    status: int = 200
    reply: Any = field(default_factory=lambda: REPLY)
    url: str = ""
    seen: list[tuple[str, str | None, dict[str, Any]]] = field(default_factory=list)

    def complete(self, vectors: torch.Tensor) -> Completion:
        async def work() -> Completion:
            async with EmbeddedCompletions(Endpoint(self.url, "llama")) as server:
                return await server.complete(vectors, 24, 5.0, "answer")

        return asyncio.run(work())


@pytest.fixture
def server() -> Iterator[FakeServer]:
    fake = FakeServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            fake.seen.append((self.path, self.headers["X-Factmill-Step"], body))
            said = fake.reply
            data = said if isinstance(said, bytes) else json.dumps(said).encode()
            self.send_response(fake.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Standard error is for errors."""

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=listening.serve_forever, args=(0.01,), daemon=True).start()
    fake.url = f"http://127.0.0.1:{listening.server_port}/v1"
    yield fake
    listening.shutdown()
    listening.server_close()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_server_decodes_the_vectors_of_the_prompt(
    server: FakeServer, dtype: torch.dtype
) -> None:
    whole = torch.randn(3, 7, 16).to(dtype).requires_grad_()

    said = server.complete(whole[1])

    ((path, step, body),) = server.seen
    assert (path, step) == ("/v1/completions", "answer")
    assert set(body) == {"model", "prompt_embeds", "max_tokens", "temperature"}
    assert (body["model"], body["max_tokens"], body["temperature"]) == ("llama", 24, 0)
    raw = base64.b64decode(body["prompt_embeds"], validate=True)
    decoded = torch.load(io.BytesIO(raw), weights_only=True)
    assert torch.equal(decoded, whole[1])
    assert (decoded.dtype, decoded.requires_grad) == (dtype, False)
    # Nothing of the other prompts travels.
    assert decoded.untyped_storage().nbytes() == 7 * 16 * dtype.itemsize
    assert said == Completion("1901", False, Usage(1, 7, 2))


def test_what_a_server_refuses_is_said_in_one_line(server: FakeServer) -> None:
    # As vLLM words it.
    why = "You must set `--enable-prompt-embeds`\nto input `prompt_embeds`."
    server.status, server.reply = 400, {"error": {"message": why, "code": 400}}

    with pytest.raises(Rejected) as caught:
        server.complete(torch.zeros(2, 16))

    assert caught.value.detail == f"status 400: {' '.join(why.split())}"


@pytest.mark.parametrize(
    "reply",
    [
        {}, {"choices": []}, [], {"choices": [{}]}, {"choices": [1]}, {"choices": [{"text": None}]},
        b"", b"\xff\xfe", b"[" * 100_000,
    ],
    ids=lambda reply: str(reply)[:30],
)  # fmt: skip
def test_what_is_no_completion_is_rejected(server: FakeServer, reply: Any) -> None:
    server.reply = reply

    with pytest.raises(Rejected, match="not a completion"):
        server.complete(torch.zeros(2, 16))


@pytest.mark.parametrize(
    ("usage", "believed"),
    [
        ('{"prompt_tokens": 0, "completion_tokens": 5}', Usage(1, 2, 5)),
        ('{"prompt_tokens": 1e999, "completion_tokens": 5}', Usage(1, 2, 3)),
        ('{"prompt_tokens": -5, "completion_tokens": -7}', Usage(1, 2, 3)),
        ('{"prompt_tokens": 10000000000000000, "completion_tokens": 5}', Usage(1, 2, 3)),
        (f'{{"prompt_tokens": {"9" * 5000}}}', Usage(1, 2, 3)),
        ("[1]", Usage(1, 2, 3)),
        ("null", Usage(1, 2, 3)),
    ],
    ids=lambda value: str(value)[:24],
)
def test_usage_that_cannot_be_true_is_estimated(
    server: FakeServer, usage: str, believed: Usage
) -> None:
    server.reply = f'{{"choices": [{{"text": "twelve bytes"}}], "usage": {usage}}}'.encode()

    assert server.complete(torch.zeros(2, 16)).usage == believed


def test_lone_surrogates_are_replaced(server: FakeServer) -> None:
    server.reply = {"choices": [{"text": "1874\ud800 \ud83d\ude00"}]}

    assert server.complete(torch.zeros(2, 16)).text == "1874\ufffd \U0001f600"


def test_a_server_that_is_not_there_is_rejected(server: FakeServer) -> None:
    server.url = "http://127.0.0.1:1/v1"

    with pytest.raises(Rejected, match="llm_failed"):
        server.complete(torch.zeros(2, 16))
