"""Routes for health, the current build, and metrics."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from factmill.runtime.service import metrics
from factmill.runtime.service.build_documents import BuildDocument, HealthDocument, counts_json
from factmill.runtime.service.http_endpoint import HttpEndpoint
from factmill.runtime.service.json_responses import json_response
from factmill.runtime.service.problems import RETRY_AFTER, Problem
from factmill.runtime.service.service_state import service_of


async def _healthz(_: Request) -> Response:
    return json_response({"status": "ok"})


async def _readyz(request: Request) -> Response:
    service = service_of(request)
    if service.damaged:
        raise Problem(
            503,
            "store_damaged",
            "the build that answers is not what its manifest says",
            {"retry-after": str(RETRY_AFTER)},
        )
    return json_response({"status": "ok", "build_id": service.index.build.build_id})


async def _metrics(request: Request) -> Response:
    service = service_of(request)
    service.metrics.note_refused(service.refused)
    text = await service.in_thread(service.metrics.text)
    return Response(text, headers={"content-type": metrics.MEDIA_TYPE})


async def _build(request: Request) -> Response:
    service = service_of(request)
    index, answers = service.index, service.settings.answers
    manifest = index.manifest
    return json_response(
        {
            "build_id": manifest.build_id,
            "created_at": manifest.created_at,
            "counts": counts_json(manifest),
            "parent": await service.parent(index),
            "encoder": str(manifest.configuration.get("encoder", "")),
            "reader": str(manifest.configuration.get("reader", "")),
            "code_version": manifest.code_version,
            "strategies": service.strategies,
            "default_strategy": service.default_strategy,
            "llm_model": answers.llm_model or None,
            "not_served": service.not_served,
        }
    )


ENDPOINTS = (
    HttpEndpoint(
        "GET", "/v1/build", _build, "The build that is served", BuildDocument, problems=(429, 503)
    ),
    HttpEndpoint("GET", "/healthz", _healthz, "The process runs", HealthDocument, public=True),
    HttpEndpoint(
        "GET",
        "/readyz",
        _readyz,
        "The index answers",
        HealthDocument,
        problems=(503,),
        public=True,
    ),
    HttpEndpoint(
        "GET", "/metrics", _metrics, "Counters for Prometheus", "text/plain", problems=(429, 503)
    ),
)
