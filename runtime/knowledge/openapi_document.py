"""Reads an OpenAPI document, from a file or its server, as a knowledge source."""

from __future__ import annotations

import json
from http.client import HTTPException
from pathlib import Path
from urllib.parse import urljoin

from factmill.runtime.knowledge.openapi_source import OpenApiSource
from factmill.runtime.knowledge.timed_http import timed_opener
from factmill.schemas.errors import OptionError

_SECONDS = 10.0
_MAX_BYTES = 10_000_000


def read_source(document: str, key: str = "") -> OpenApiSource:
    """The source that a document describes; `document` is a path or an http URL. A document without
    a server belongs to the server it came from. Raises OptionError.
    """
    is_url = document.startswith(("http://", "https://"))
    try:
        if is_url:
            with timed_opener().open(document, timeout=_SECONDS) as response:
                raw = response.read(_MAX_BYTES + 1)
        else:
            with Path(document).open("rb") as file:
                raw = file.read(_MAX_BYTES + 1)
        if len(raw) > _MAX_BYTES:
            raise ValueError(f"more than {_MAX_BYTES:,} bytes")
        parsed = json.loads(raw)
    except (OSError, HTTPException, ValueError, RecursionError) as error:
        raise OptionError(f"--knowledge-api {document}: {error}") from None
    try:
        return OpenApiSource(parsed, urljoin(document, "/") if is_url else "", key)
    except OptionError as error:
        raise OptionError(f"--knowledge-api {document}: {error}") from None
