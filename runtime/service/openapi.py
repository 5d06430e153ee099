"""The OpenAPI document, generated from the endpoints and their documents."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from factmill.runtime.service.answer_documents import AnswerRequest
from factmill.runtime.service.build_documents import ProblemDocument
from factmill.runtime.service.http_endpoint import HttpEndpoint
from factmill.runtime.service.problems import MEDIA_TYPE

_REF = "#/components/schemas/{model}"
# Problems of every endpoint: a wrong host; and, for endpoints with a token, a missing one.
_ALWAYS, _WITH_TOKEN = (421,), (401,)

_PATH_PARAMETERS: dict[str, dict[str, Any]] = {
    "id": {
        "description": "32 hexadecimal digits",
        "schema": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
    },
    "model": {
        "description": "factmill, or factmill- and a strategy",
        "schema": {"type": "string", "pattern": "^factmill(-[a-z0-9]+)?$"},
    },
}


def openapi_document(
    endpoints: Sequence[HttpEndpoint], with_token: bool, strategies: Sequence[str]
) -> dict[str, Any]:
    """The document. `with_token`: requests need a token; `strategies` are the available ones."""
    models: list[type[BaseModel]] = [ProblemDocument]
    for endpoint in endpoints:
        if endpoint.request:
            models.append(endpoint.request)
        if not isinstance(endpoint.response, str):
            models.append(endpoint.response)
    inputs = {one.request for one in endpoints}
    references, schemas = models_json_schema(
        [
            (one, "validation" if one in inputs else "serialization")
            for one in dict.fromkeys(models)
        ],
        ref_template=_REF,
    )
    of_model = {model: schema for (model, _), schema in references.items()}
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        operation = _operation(endpoint, of_model, with_token and not endpoint.public)
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = operation
    components: dict[str, Any] = {"schemas": schemas["$defs"]}
    of_strategy = components["schemas"][AnswerRequest.__name__]["properties"]["strategy"]
    of_strategy["anyOf"][0] = {"enum": list(strategies), "type": "string"}
    if with_token:
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "factmill",
            "version": "1",
            "description": "Searches an index of facts, and answers questions from it.",
        },
        "paths": paths,
        "components": components,
    }


def _operation(
    endpoint: HttpEndpoint, of_model: Mapping[Any, Any], with_token: bool
) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": re.sub(r"\W+", "_", f"{endpoint.method.lower()}{endpoint.path}").strip("_"),
        "summary": endpoint.summary,
        "responses": _responses(endpoint, of_model, with_token),
    }
    parameters = re.findall(r"{(\w+)}", endpoint.path)
    if parameters:
        operation["parameters"] = [
            {"name": name, "in": "path", "required": True, **_PATH_PARAMETERS[name]}
            for name in parameters
        ]
    if endpoint.request:
        schema = {"schema": of_model[endpoint.request]}
        operation["requestBody"] = {"required": True, "content": {"application/json": schema}}
    if with_token:
        operation["security"] = [{"token": []}]
    return operation


def _responses(
    endpoint: HttpEndpoint, of_model: Mapping[Any, Any], with_token: bool
) -> dict[str, dict[str, Any]]:
    """What an endpoint responds, by status."""
    content: dict[str, Any]
    if isinstance(endpoint.response, str):
        content = {endpoint.response: {"schema": {"type": "string"}}}
    else:
        content = {"application/json": {"schema": of_model[endpoint.response]}}
    if endpoint.events:
        events = {"type": "string", "description": endpoint.events}
        content["text/event-stream"] = {"schema": events}
    found = {"200": {"description": endpoint.summary, "content": content}}
    problem = {MEDIA_TYPE: {"schema": of_model[ProblemDocument]}}
    for status in sorted({*endpoint.problems, *_ALWAYS, *(_WITH_TOKEN if with_token else ())}):
        found[str(status)] = {"description": HTTPStatus(status).phrase, "content": problem}
    return found
