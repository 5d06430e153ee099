"""Errors as problem documents (RFC 9457): one kind of document for every failure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from starlette.responses import Response

from factmill.schemas.errors import (
    FactmillError,
    NoSuchRow,
    NotInBuild,
    OptionError,
    Unreachable,
)

MEDIA_TYPE = "application/problem+json"
# Seconds after which a request that was refused for lack of capacity may be repeated.
RETRY_AFTER = 1


class Problem(Exception):
    """An error that becomes a problem document. `kind` is a short, stable code; `errors` say which
    field is wrong.
    """

    def __init__(
        self,
        status: int,
        kind: str,
        detail: str,
        headers: Mapping[str, str] | None = None,
        errors: Sequence[Mapping[str, str]] = (),
    ) -> None:
        super().__init__(detail)
        self.status, self.kind, self.detail = status, kind, detail
        self.headers, self.errors = dict(headers or {}), errors

    def document(self) -> dict[str, Any]:
        """The fields of the document; `error` is for clients of OpenAI's API."""
        found: dict[str, Any] = {
            "type": f"urn:factmill:problem:{self.kind}",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            "error": {"message": self.detail, "type": self.kind, "code": self.kind},
        }
        if self.errors:
            found["errors"] = list(self.errors)
        return found

    def response(self) -> Response:
        return Response(
            json.dumps(self.document(), ensure_ascii=True),
            self.status,
            {"cache-control": "no-store", **self.headers},
            MEDIA_TYPE,
        )


def busy(detail: str, status: int = 503) -> Problem:
    """There is no capacity now, but there may be later."""
    kind = "too_many_requests" if status == 429 else "busy"
    return Problem(status, kind, detail, {"retry-after": str(RETRY_AFTER)})


def problem_of(error: FactmillError) -> Problem:
    """The problem document's view of a factmill error. Details about files stay in the log."""
    if isinstance(error, NoSuchRow):
        return Problem(404, "not_found", str(error))
    if isinstance(error, NotInBuild):
        return Problem(409, "not_in_build", str(error).rpartition(": ")[2])
    if isinstance(error, OptionError):
        return Problem(422, "not_valid", str(error))
    if isinstance(error, Unreachable):
        return busy("the store does not answer")
    return Problem(
        503, "store_damaged", "the index cannot answer", {"retry-after": str(RETRY_AFTER)}
    )
