"""The status of a response, for what counts, logs and traces it."""

from __future__ import annotations

from types import TracebackType

from starlette.types import Message, Send

SERVER_FAULT = 500


class ResponseStatus:
    """Notes the `code` while a response is sent; 0 where none was. A bug leaves its block with
    SERVER_FAULT, which the layer outside sends.
    """

    def __init__(self, send: Send) -> None:
        self.code = 0
        self._send = send

    async def send(self, message: Message) -> None:
        """Send a message of the response."""
        if message["type"] == "http.response.start":
            self.code = message["status"]
        await self._send(message)

    def __enter__(self) -> ResponseStatus:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        _error: BaseException | None,
        _where: TracebackType | None,
    ) -> None:
        if kind is not None and issubclass(kind, Exception):
            self.code = self.code or SERVER_FAULT
