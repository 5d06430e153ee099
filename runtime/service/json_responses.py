"""JSON documents as HTTP responses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic_core import to_json
from starlette.responses import Response


def json_response(document: Mapping[str, Any]) -> Response:
    """A document with status 200."""
    return json_bytes_response(json_bytes(document))


def json_bytes(document: Mapping[str, Any]) -> bytes:
    """A document as JSON bytes."""
    # pydantic's serializer takes a quarter of the time of Python's.
    return to_json(document)


def json_bytes_response(content: bytes) -> Response:
    """A serialized document with status 200, not cacheable: the store may change at any time."""
    return Response(content, 200, {"cache-control": "no-store"}, "application/json")


def event(name: str, document: Mapping[str, Any]) -> bytes:
    """A server-sent event. Its data is one line, because the JSON has no line breaks."""
    return f"event: {name}\ndata: {json.dumps(document)}\n\n".encode()
