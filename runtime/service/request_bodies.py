"""Parses request bodies as documents: media type, encoding, JSON, fields.

The number of bytes and seconds is bounded before (`request_limits.py`); the depth of JSON is
bounded by the parser, at 200.
"""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from starlette.requests import ClientDisconnect, Request

from factmill.runtime.service.problems import Problem
from factmill.runtime.service.search_documents import PATTERNS_IN_WORDS

Document = TypeVar("Document", bound=BaseModel)
_MAX_ERRORS = 20
# A body may have so many that to describe them all would take a second, in which nobody is
# answered. Beyond this number they are only counted.
_MAX_DESCRIBED = 1000
_JSON_FAULTS = {"json_invalid", "json_type"}


async def read_document(request: Request, document: type[Document]) -> Document:
    """The body as a document. Raises Problem."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        # Required so that a page of another site cannot send it without a preflight request.
        raise Problem(415, "media_type", "the body must be application/json")
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding != "identity":
        raise Problem(
            415, "encoding", "the body must not be compressed", {"accept-encoding": "identity"}
        )
    try:
        body = await request.body()
    except ClientDisconnect:
        raise Problem(400, "disconnected", "the body ended early") from None
    try:
        return document.model_validate_json(body, strict=True)
    except ValidationError as error:
        raise _problem(error) from None


def _problem(error: ValidationError) -> Problem:
    if error.error_count() > _MAX_DESCRIBED:
        return Problem(422, "not_valid", f"the body has {error.error_count():,} wrong fields")
    faults = error.errors(include_url=False, include_input=False)
    if faults[0]["type"] in _JSON_FAULTS and not faults[0]["loc"]:
        return Problem(400, "not_json", faults[0]["msg"][:200])
    errors = [
        {"field": ".".join(map(str, fault["loc"]))[:200], "message": _message(fault)[:200]}
        for fault in faults[:_MAX_ERRORS]
    ]
    first = errors[0]
    return Problem(422, "not_valid", f"{first['field']}: {first['message']}", errors=errors)


def _message(fault: ErrorDetails) -> str:
    """What is wrong, for a person: without the regular expression that a text does not match."""
    return PATTERNS_IN_WORDS.get(fault.get("ctx", {}).get("pattern", ""), fault["msg"])
