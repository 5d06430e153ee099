"""The OpenAPI document, and the service held to it by a few requests of each kind that schemathesis
makes; `st run ADDRESS/openapi.json` makes more (docs/log.md)."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from factmill.runtime.service.app import ENDPOINTS

BOUNDED = settings(
    max_examples=3, database=None, derandomize=True, phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)  # fmt: skip


@pytest.fixture(scope="module")
def document(client: httpx.Client) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/openapi.json").json()
    return found


def test_document_has_every_endpoint_and_no_other(document: dict[str, Any]) -> None:
    described = {
        (method.upper(), path) for path, one in document["paths"].items() for method in one
    }

    assert described == {(one.method, one.path) for one in ENDPOINTS}
    names = [one["operationId"] for path in document["paths"].values() for one in path.values()]
    assert len(set(names)) == len(names)


def test_every_field_is_described(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]

    bare = [
        f"{name}.{field}"
        for name, schema in schemas.items()
        for field, described in schema.get("properties", {}).items()
        if not described.get("description")
    ]
    assert bare == []
    assert [name for name, schema in schemas.items() if not schema.get("description")] == []


def test_token_is_described_where_one_is_needed(closed: httpx.Client) -> None:
    headers = {"authorization": "Bearer first-token"}
    document = closed.get("/openapi.json", headers=headers).json()

    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    assert "401" in document["paths"]["/v1/search"]["post"]["responses"]
    assert "401" not in document["paths"]["/healthz"]["get"]["responses"]


def test_what_is_limited_may_be_refused_and_says_so(document: dict[str, Any]) -> None:
    for one in ENDPOINTS:
        responses = document["paths"][one.path][one.method.lower()]["responses"]
        assert one.public or {"429", "503"} <= set(responses), one.path


def operation_of(document: dict[str, Any], client: httpx.Client, path: str) -> Any:
    """The operation of a path, which schemathesis makes requests of."""
    import schemathesis

    schema = schemathesis.openapi.from_dict(document)
    schema.config.base_url = str(client.base_url).rstrip("/")
    (operation,) = schema.include(path=path).get_all_operations()
    return operation.ok()


@pytest.mark.parametrize(
    ("path", "mode"),
    [
        (one.path, mode)
        for one in ENDPOINTS
        for mode in ("positive", "negative")
        if one.request or "{" in one.path or mode == "positive"
    ],
)
def test_service_answers_as_described_whatever_is_sent(
    client: httpx.Client, document: dict[str, Any], path: str, mode: str
) -> None:
    from schemathesis import GenerationMode

    operation = operation_of(document, client, path)

    @BOUNDED
    @given(case=operation.as_strategy(generation_mode=GenerationMode(mode)))
    def ask(case: Any) -> None:
        case.call_and_validate(timeout=20)

    ask()
