"""The connection pool of one LLM server, with timeouts and a bound on response sizes.

Knows nothing of chat or retries.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import anyio
import httpx2
import openai

from factmill.models.llm.bounded_network import begin_body, bound_heads
from factmill.models.llm.endpoint import Endpoint
from factmill.models.llm.key_mask import key_mask
from factmill.models.llm.request_headers import api_key, request_headers

# An endless response is cut off. Long answers with reasoning stay far below.
MAX_BYTES = 4 << 20
# Each part counts as so many at least: a body of single bytes costs seconds of the processor.
_MIN_PART_BYTES = 64
_CONNECT_SECONDS = 10.0
# Servers close an idle connection after 5 seconds (uvicorn, and with it vLLM) or more. A client
# that sends a request into a closing one does not learn whether it was read.
_IDLE_SECONDS = 3.0


class NoResponse(Exception):
    """No complete response arrived. `sent`: the server may have worked on the request."""

    def __init__(self, why: str, sent: bool) -> None:
        super().__init__(why)
        self.sent = sent


class Connection:
    """Requests to a server. Redirects are not followed: they would carry the key elsewhere."""

    def __init__(self, endpoint: Endpoint) -> None:
        key = api_key()
        connect = min(_CONNECT_SECONDS, endpoint.retry.request_seconds)
        timeout = httpx2.Timeout(None, connect=connect)  # the rest is bounded as a whole, below
        # Masks the key in the server's text before any of it is shown or stored.
        self.without_key = key_mask(key)
        self._key = key
        client = openai.DefaultAsyncHttpxClient(
            timeout=timeout,
            limits=httpx2.Limits(
                max_connections=endpoint.in_flight + 1,  # one asks whether the server is ready
                max_keepalive_connections=endpoint.in_flight + 1,
                keepalive_expiry=_IDLE_SECONDS,
            ),
            follow_redirects=False,
            # Proxies of the environment cannot reach servers on this machine.
            trust_env=not endpoint.is_local,
            event_hooks={"response": [_bound_body]},
        )
        bound_heads(client)
        self._openai = openai.AsyncOpenAI(
            base_url=endpoint.url,
            api_key=key or "none",  # the package wants one
            max_retries=0,
            timeout=timeout,
            http_client=client,
        )

    async def get(self, path: str, seconds: float, step: str) -> httpx2.Response:
        """The response, whatever its status. `step` is for the headers. Raises NoResponse."""
        return await self._request("GET", path, None, seconds, step)

    async def post(self, path: str, body: object, seconds: float, step: str) -> httpx2.Response:
        """As `get`, with a body that becomes JSON."""
        return await self._request("POST", path, body, seconds, step)

    async def close(self) -> None:
        await self._openai.close()

    async def _request(
        self, method: str, path: str, body: object, seconds: float, step: str
    ) -> httpx2.Response:
        options: openai.RequestOptions = {"headers": request_headers(self._key, step)}
        try:
            with anyio.fail_after(seconds):
                if method == "GET":
                    return await self._openai.get(path, cast_to=httpx2.Response, options=options)
                return await self._openai.post(
                    path, body=body, cast_to=httpx2.Response, options=options
                )
        except TimeoutError:
            raise NoResponse(f"no answer within {seconds:g} s", sent=True) from None
        except openai.APIStatusError as error:
            return error.response
        except openai.APIConnectionError as error:
            cause = error.__cause__
            sent = not isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout)
            why = self.without_key(f"{type(cause).__name__}: {cause}")[:200]
            raise NoResponse(why, sent) from None


async def _bound_body(response: httpx2.Response) -> None:
    begin_body(response)
    if response.headers.get("content-encoding", "identity") != "identity":
        raise httpx2.DecodingError("a packed body, which was not asked for")
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    response.stream = _BoundedStream(response.stream)


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        bytes_left = MAX_BYTES
        async for part in self._stream:
            bytes_left -= max(len(part), _MIN_PART_BYTES)
            if bytes_left < 0:
                raise httpx2.RemoteProtocolError(
                    f"an answer of more than {MAX_BYTES:,} bytes, or of too many parts"
                )
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()
