"""Errors as problem documents (RFC 9457): one kind of document for whatever goes wrong."""

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
# Seconds after which a request that was refused for want of room may come again.
RETRY_AFTER = 1


class Problem(Exception):
    """A request is answered with a problem document. `kind` is a short code that stays the same,
    `errors` say which field is wrong."""

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
        """The fields of the document; `error` is what clients of OpenAI's API look for."""
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
    """There is no room now; another time there may be."""
    kind = "too_many_requests" if status == 429 else "busy"
    return Problem(status, kind, detail, {"retry-after": str(RETRY_AFTER)})


def problem_of(error: FactmillError) -> Problem:
    """The problem that an error of factmill is to a client. What it says of files stays in the
    log."""
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
