"""Any HTTP API with an OpenAPI document as a knowledge source.

    document -> operations (GET, and POST with a JSON body) -> functions
    call -> arguments checked -> request to the document's server -> JSON, bounded, on one line

Requests go to that one server: a redirect is an error. The key, if any, is sent as a bearer token
and never appears in a function, answer, error or address.
"""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from http.client import HTTPException
from typing import Any
from urllib.parse import quote, urlencode, urljoin, urlsplit

from factmill.models.llm.json_schemas import Schema
from factmill.models.llm.lenient_json import valid_unicode
from factmill.runtime.knowledge.call_arguments import checked_arguments
from factmill.runtime.knowledge.knowledge_source import (
    CallFailed,
    KnowledgeAnswer,
    KnowledgeFunction,
)
from factmill.runtime.knowledge.timed_http import timed_opener
from factmill.schemas.errors import OptionError

MAX_BYTES = 1 << 20
_SECONDS = 5.0
_MAX_FUNCTIONS = 128
_MAX_ABOUT = 200
_MAX_TEXT = 4000
_NAME = re.compile(r"\W+")


@dataclass(frozen=True, slots=True)
class _ApiOperation:
    """How a function is requested. `inside` says where each argument goes."""

    function: KnowledgeFunction
    method: str
    path: str
    inside: Mapping[str, str]


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        """A redirect is an error: the key and the question are meant for one server."""


class OpenApiSource:
    """A `KnowledgeSource`. Of operations with one name, such as the GET and POST of a path, it has
    the first. Raises OptionError for a document without usable functions.
    """

    def __init__(self, document: Any, server: str, key: str = "") -> None:
        """`server` is used when the document names none, or only a relative one."""
        try:
            self._server = _server_of(document, server)
            operations = list(_operations(document))[:_MAX_FUNCTIONS]
        except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
            raise OptionError(f"not an OpenAPI document ({error!r})") from None
        if not operations:
            raise OptionError("the OpenAPI document has no GET or JSON POST")
        self._operations: dict[str, _ApiOperation] = {}
        for one in operations:
            self._operations.setdefault(one.function.name, one)  # of a path's two, the GET
        self._key = key
        self._opener = timed_opener(_NoRedirects())

    @property
    def functions(self) -> Sequence[KnowledgeFunction]:
        return [one.function for one in self._operations.values()]

    def call(self, name: str, arguments: Mapping[str, Any]) -> Sequence[KnowledgeAnswer]:
        """Raises CallFailed."""
        operation = self._operations.get(name)
        if operation is None:
            raise CallFailed(f"no function {name!r}")
        given = checked_arguments(operation.function.parameters, arguments)
        url, body = self._request(operation, given)
        request = urllib.request.Request(url, body, method=operation.method)
        request.add_header("Accept", "application/json")
        if body is not None:
            request.add_header("Content-Type", "application/json")
        if self._key:
            request.add_header("Authorization", f"Bearer {self._key}")
        text = self._text(request)
        return [KnowledgeAnswer(text, url, fetched_at=datetime.now(timezone.utc))]

    def _request(
        self, operation: _ApiOperation, given: Mapping[str, Any]
    ) -> tuple[str, bytes | None]:
        path = operation.path
        by_site: dict[str, dict[str, Any]] = {"path": {}, "query": {}, "body": {}}
        for argument, value in given.items():
            by_site[operation.inside[argument]][argument] = value
        for argument, value in by_site["path"].items():
            path = path.replace(f"{{{argument}}}", _path_part(argument, value))
        query = urlencode(
            {argument: _in_url(value) for argument, value in by_site["query"].items()}, doseq=True
        )
        url = f"{self._server}{path}{'?' if query else ''}{query}"
        if operation.method == "GET":
            return url, None
        return url, json.dumps(by_site["body"]).encode()

    def _text(self, request: urllib.request.Request) -> str:
        try:
            with self._opener.open(request, timeout=_SECONDS) as response:
                raw = response.read(MAX_BYTES + 1)
            if len(raw) > MAX_BYTES:
                raise CallFailed(f"more than {MAX_BYTES} bytes")
            said = json.loads(raw)
        except urllib.error.HTTPError as error:
            error.close()
            raise CallFailed(f"HTTP status {error.code}") from None
        except (OSError, HTTPException, ValueError, RecursionError) as error:
            raise CallFailed(type(error).__name__) from None
        if said in (None, "", [], {}):
            raise CallFailed("it returned nothing")
        text = json.dumps(said, ensure_ascii=False, separators=(", ", ": "))
        return valid_unicode(self._without_key(text))

    def _without_key(self, text: str) -> str:
        """The beginning of a response, without the key: a server may echo what it was sent."""
        if self._key:
            text = text.replace(json.dumps(self._key, ensure_ascii=False)[1:-1], "[key]")
        return text[:_MAX_TEXT]


def _path_part(argument: str, value: Any) -> str:
    """A value between two slashes. Raises CallFailed for one that would name another path."""
    text = str(_in_url(value))
    if text in ("", ".", ".."):
        raise CallFailed(f"the argument {argument!r} cannot be {text!r}")
    return quote(text, safe="")


def _in_url(value: Any) -> Any:
    """The value with booleans as JSON writes them."""
    if isinstance(value, list):
        return [_in_url(one) for one in value]
    return str(value).lower() if isinstance(value, bool) else value


def _server_of(document: Any, server: str) -> str:
    named = [str(one["url"]) for one in document.get("servers", [])]
    url = urljoin(server, named[0]) if named else server
    if urlsplit(url).scheme not in ("http", "https") or "@" in urlsplit(url).netloc:
        raise ValueError("its server is not an http address")
    return url.rstrip("/")


def _operations(document: Any) -> Iterator[_ApiOperation]:
    for path, methods in document["paths"].items():
        for method in ("get", "post"):
            raw = methods.get(method)
            if raw is None:
                continue
            properties, required, inside = _parameters(document, [
                *methods.get("parameters", []), *raw.get("parameters", []),
            ])  # fmt: skip
            if method == "post":
                body = _body(document, raw)
                if body is None:
                    continue
                properties |= body.get("properties", {})
                required += body.get("required", [])
                inside |= dict.fromkeys(body.get("properties", {}), "body")
            about = " ".join(str(raw.get("summary") or raw.get("description") or "").split())
            # Operation names made by frameworks are long; the path is shorter.
            name = _NAME.sub("_", path).strip("_")
            schema: Schema = {
                "type": "object", "properties": properties, "required": required,
            }  # fmt: skip
            yield _ApiOperation(
                KnowledgeFunction(name, about[:_MAX_ABOUT], schema), method.upper(), path, inside
            )


def _parameters(
    document: Any, raw: Sequence[Any]
) -> tuple[dict[str, Schema], list[str], dict[str, str]]:
    properties: dict[str, Schema] = {}
    required: list[str] = []
    inside: dict[str, str] = {}
    for one in raw:
        parameter = _resolved(document, one)
        if parameter["in"] not in ("path", "query"):
            continue
        name = str(parameter["name"])
        properties[name] = _given(document, parameter.get("schema", {"type": "string"}))
        inside[name] = parameter["in"]
        if parameter.get("required"):
            required.append(name)
    return properties, required, inside


def _body(document: Any, raw: Any) -> Schema | None:
    """The schema of a JSON body; None for any other body."""
    content = _resolved(document, raw.get("requestBody", {})).get("content", {})
    if not content:
        return {}
    if "application/json" not in content:
        return None
    schema = _given(document, content["application/json"].get("schema", {}))
    properties = {name: _given(document, one) for name, one in schema.get("properties", {}).items()}
    return {"properties": properties, "required": list(schema.get("required", []))}


def _given(document: Any, schema: Any) -> Any:
    """The schema of a value that is not null: an optional value of OpenAPI 3.1 may also be null."""
    found = _resolved(document, schema)
    for choice in ("anyOf", "oneOf"):
        branches = [one for one in found.get(choice, ()) if one.get("type") != "null"]
        if len(branches) == 1:
            rest = {name: value for name, value in found.items() if name != choice}
            return {**rest, **_given(document, branches[0])}
    kinds = found.get("type")
    if isinstance(kinds, list):
        kinds = [kind for kind in kinds if kind != "null"]
        return {**found, "type": kinds[0] if len(kinds) == 1 else kinds}
    return found


def _resolved(document: Any, schema: Any) -> Any:
    """The target of a reference inside the document, a JSON pointer ("#/components/schemas/A")."""
    for _ in range(8):
        reference = schema.get("$ref")
        if reference is None:
            return schema
        found = document
        for part in str(reference).removeprefix("#/").split("/"):
            found = found[part.replace("~1", "/").replace("~0", "~")]
        schema = found
    raise ValueError("a schema refers to itself")
