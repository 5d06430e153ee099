"""An OpenAI-compatible server on loopback for tests: real HTTP, answers of a function, and faults.

    with LlmServer(lambda body: "an answer", Faults(share=0.3)) as server:
        ...  # ask server.url, also from other processes
    assert server.most_in_flight <= 8

It runs in a thread with an event loop of its own. `python -m tests.llm_server '{}'` serves one
answer from a process of its own, until its input ends, and prints its address.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any

from factmill.models.llm.exchange import PROBE_MESSAGES

Body = dict[str, Any]

# What the server does instead of answering; asking again helps.
NO_ANSWER = (
    "429", "500", "503", "slow", "disconnect", "half_body", "half_json", "empty",
)  # fmt: skip
# What an LLM writes instead of, or around, the answer.
BAD_CONTENT = (
    "cut", "prose", "wrong_types", "reasoning", "open_reasoning", "echo",
)  # fmt: skip


@dataclass(frozen=True)
class Reply:
    """What goes over the wire. `close_after`: only so many bytes of the body, then a disconnect.
    `seconds` pass before (the client may leave meanwhile)."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    close_after: int | None = None
    seconds: float = 0.0


@dataclass(frozen=True)
class Faults:
    """Which answers are faulty: a share of them, drawn by hash, so that the same conversation asked
    for the same time has the same fault whatever runs beside it."""

    share: float = 0.3
    kinds: tuple[str, ...] = NO_ANSWER + BAD_CONTENT
    seed: int = 0
    retry_after: str = "0.02"

    def kind(self, key: str, attempt: int) -> str | None:
        """The fault of the attempt-th answer (from 0) to a conversation."""
        digest = hashlib.sha256(f"{self.seed} {key} {attempt}".encode()).digest()
        if int.from_bytes(digest[:8], "big") >= self.share * 2**64:
            return None
        return self.kinds[int.from_bytes(digest[8:16], "big") % len(self.kinds)]


def conversation_key(body: Body) -> str:
    """Names what was asked, whatever the other fields of the request are."""
    return hashlib.sha256(json.dumps(body["messages"]).encode()).hexdigest()[:16]


def tokens(text: str) -> int:
    return -(-len(text.encode()) // 4)


class LlmServer:
    """`answer` is given a request and returns the content; LookupError becomes status 400. The
    client's neutral question, with which it looks whether the server works, needs no answer of it.

    `override`, when given, is asked first: a Reply it returns is sent as it is. `count` counts
    tokens. Settings may be changed while the server runs.
    """

    def __init__(
        self,
        answer: Callable[[Body], str],
        faults: Faults | None = None,
        *,
        seconds: float = 0.0,
        override: Callable[[Body, int], Reply | None] | None = None,
        count: Callable[[str], int] = tokens,
        model: str = "tiny",
    ) -> None:
        self.answer, self.faults, self.seconds = answer, faults, seconds
        self.override, self.count, self.model = override, count, model
        self.models = Reply(body=json.dumps({"object": "list", "data": [{"id": model}]}).encode())
        self.port = 0
        self.probes = 0
        self.connections = 0
        self.most_in_flight = 0
        self.bodies: list[Body] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []  # when requests came
        self.asked: Counter[str] = Counter()  # requests by conversation
        self.faulty: Counter[str] = Counter()  # answers by kind of fault
        self.billed = 0  # tokens of all answers, also of those that got lost on the way
        self._in_flight = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def requests(self) -> int:
        """Requests for completions."""
        return len(self.bodies)

    def __enter__(self) -> LlmServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Listen; after `stop`, at the same port."""
        started: Future[None] = Future()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(started)))
        self._thread.start()
        started.result()

    def stop(self) -> None:
        """Close the port and every connection."""
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()

    async def _serve(self, started: Future[None]) -> None:
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        connections: set[asyncio.Task[None]] = set()

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self.connections += 1
            task = asyncio.current_task()
            assert task is not None
            connections.add(task)
            try:
                with contextlib.suppress(
                    ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError
                ):
                    await self._connection(reader, writer)
            finally:
                connections.discard(task)
                writer.transport.abort()

        server = await asyncio.start_server(
            connected, "127.0.0.1", self.port, limit=1 << 24, backlog=1024
        )
        self.port = server.sockets[0].getsockname()[1]
        started.set_result(None)
        await self._stopping.wait()
        server.close()
        for _ in range(3):
            await asyncio.sleep(0)  # connections that were just accepted come to be listed
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections)
        await server.wait_closed()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            method, path, _ = head[0].split(" ", 2)
            headers = {
                name.strip().lower(): value.strip()
                for name, _, value in (line.partition(":") for line in head[1:] if line)
            }
            sent = await reader.readexactly(int(headers.get("content-length", 0)))
            if path == "/health":
                whole = await self._send(Reply(), reader, writer)
            elif path.endswith("/models") and method == "GET":
                self.probes += 1
                self.headers.append(headers)
                whole = await self._send(self.models, reader, writer)
            elif path.endswith("/chat/completions") and method == "POST":
                body = json.loads(sent)
                self._in_flight += 1
                try:
                    whole = await self._complete(body, headers, reader, writer)
                finally:
                    self._in_flight -= 1
            else:
                whole = await self._send(Reply(404), reader, writer)
            if not whole:
                return

    async def _complete(
        self,
        body: Body,
        headers: dict[str, str],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> bool:
        self.times.append(time.monotonic())
        self.bodies.append(body)
        self.headers.append(headers)
        key = conversation_key(body)
        attempt = self.asked[key]
        self.asked[key] += 1
        if self._in_flight > self.most_in_flight:
            # The end of a request that the client gave up may come in a moment after its next one.
            await asyncio.sleep(0.005)
            self.most_in_flight = max(self.most_in_flight, self._in_flight)
        reply = self.override(body, attempt) if self.override else None
        if reply is None:
            kind = self.faults.kind(key, attempt) if self.faults else None
            if kind is not None:
                self.faulty[kind] += 1
            reply = self.reply(body, kind)
        return await self._send(reply, reader, writer)

    def reply(self, body: Body, kind: str | None = None) -> Reply:
        """The reply to a request, with a fault when one is named."""
        if kind == "429":
            assert self.faults is not None
            return error(429, "too many requests", {"Retry-After": self.faults.retry_after})
        if kind in {"500", "503"}:
            return error(int(kind), "try again")
        if kind == "disconnect":
            return Reply(close_after=-1)
        try:
            content = "yes" if _is_probe(body) else self.answer(body)
        except LookupError as missing:
            return error(400, f"no answer for this: {missing}")
        content = spoilt(content, body, kind) if kind in {*BAD_CONTENT, "empty"} else content
        reply = self.completion(body, content, "length" if kind == "cut" else "stop")
        if kind == "slow":
            return replace(reply, seconds=3600)
        if kind == "half_body":
            return replace(reply, close_after=len(reply.body) // 2)
        if kind == "half_json":
            return replace(reply, body=reply.body[: len(reply.body) // 2])
        return reply

    def completion(self, body: Body, content: str | None, finish: str = "stop") -> Reply:
        """The documented answer; its tokens go on the bill."""
        prompt = sum(self.count(message["content"]) for message in body["messages"])
        written = self.count(content or "")
        self.billed += prompt + written
        document = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 0,
            "model": self.model,
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": content},
                    "finish_reason": finish,
                }
            ],
            "usage": {
                "prompt_tokens": prompt,
                "completion_tokens": written,
                "total_tokens": prompt + written,
            },
        }
        return Reply(body=json.dumps(document).encode(), seconds=self.seconds)

    async def _send(
        self, reply: Reply, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Whether the connection is still good."""
        if reply.seconds and await _left_within(reader, reply.seconds):
            return False
        if reply.close_after is not None and reply.close_after < 0:
            return False
        head = {
            "Content-Type": "application/json",
            "Content-Length": str(len(reply.body)),
            **reply.headers,
        }
        lines = [f"HTTP/1.1 {reply.status} Status"]
        lines += [f"{name}: {value}" for name, value in head.items()]
        writer.write(("\r\n".join(lines) + "\r\n\r\n").encode() + reply.body[: reply.close_after])
        await writer.drain()
        if reply.close_after is not None:
            writer.close()
            await writer.wait_closed()
        return reply.close_after is None


async def _left_within(reader: asyncio.StreamReader, seconds: float) -> bool:
    """Whether the client left before the seconds were over. It sends nothing in between."""
    leaving = asyncio.ensure_future(reader.read(1))
    try:
        done, _ = await asyncio.wait({leaving}, timeout=seconds)
        return bool(done)
    finally:
        leaving.cancel()
        await asyncio.wait({leaving})  # a reader has room for one that waits


def error(status: int, message: str, headers: dict[str, str] | None = None, **more: str) -> Reply:
    """An error as OpenAI's servers word it."""
    body = {"error": {"message": message, "type": "error", "param": None, "code": None, **more}}
    return Reply(status, json.dumps(body).encode(), headers or {})


def _is_probe(body: Body) -> bool:
    return [message["content"] for message in body["messages"]] == [PROBE_MESSAGES[0].content]


def spoilt(content: str, body: Body, kind: str) -> str:
    """An answer with a fault of content."""
    thoughts = 'Let me think. The format could be {"facts": [{"text": "Not this."}]}. Hmm.\n'
    if kind == "empty":
        return ""
    if kind == "cut":
        return content[: len(content) // 2]
    if kind == "prose":
        return f"Sure! Here is the answer:\n\n```json\n{content}\n```\n\nTell me if you need more!"
    if kind == "reasoning":
        return f"<think>\n{thoughts}</think>\n\n{content}"
    if kind == "open_reasoning":
        return f"<think>\n{thoughts}{content}"
    if kind == "echo":
        return f"{body['messages'][-1]['content']}\n\n{content}"
    assert kind == "wrong_types"
    return json.dumps(_wrong_types(json.loads(content))) if content[:1] in "{[" else "7"


def _wrong_types(document: Any) -> Any:
    """The first item of each list becomes a number, and what is no list becomes one."""
    if isinstance(document, dict):
        return {name: _wrong_types(value) for name, value in document.items()}
    return [7, *document[1:]] if isinstance(document, list) else [document]


if __name__ == "__main__":
    with LlmServer(lambda _: sys.argv[1]) as forever:
        print(forever.url, flush=True)
        sys.stdin.read()
