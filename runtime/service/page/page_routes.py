"""The page at `/`, served from memory. It calls the service like any other client.

    index.html       -> `/`, with the folder of the other files put in
    all other files  -> `/assets/<digest of all of them>/<name>`, cached by browsers forever

The content security policy lets the page load nothing but its own files, run no inline script or
style, and write no markup from a script. Knows nothing of the index.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from factmill.runtime.service.http_endpoint import ROUTE_KEY

_DOCUMENT = "index.html"
_MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
# Placeholder in the document for the folder of the other files.
_ASSETS = b"ASSETS/"
SECURITY_HEADERS = {
    "content-security-policy": "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self'",
            "connect-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    ),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file of the page in the form it is sent."""

    body: bytes
    media_type: str


def page_files() -> dict[str, PageFile]:
    """All files of the page by name, read from the package."""
    files = {}
    for path in resources.files(__package__).iterdir():
        suffix = path.name[path.name.rfind(".") :]
        if suffix in _MEDIA_TYPES:
            files[path.name] = PageFile(path.read_bytes(), _MEDIA_TYPES[suffix])
    return files


def digest_of(files: Mapping[str, PageFile]) -> str:
    """16 hexadecimal digits that change with any of the files."""
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(f"{name} {len(files[name].body)} ".encode() + files[name].body)
    return digest.hexdigest()[:16]


def page_routes() -> list[Route]:
    """The routes of the page and of its files."""
    files = page_files()
    digest = digest_of(files)
    body = files.pop(_DOCUMENT).body.replace(_ASSETS, f"assets/{digest}/".encode())
    document_headers = SECURITY_HEADERS | {"cache-control": "no-cache", "etag": f'"{digest}"'}
    asset_headers = SECURITY_HEADERS | {"cache-control": "public, max-age=31536000, immutable"}

    async def document(request: Request) -> Response:
        request.scope[ROUTE_KEY] = "/"
        if request.headers.get("if-none-match") == document_headers["etag"]:
            return Response(status_code=304, headers=document_headers)
        return Response(body, headers=document_headers, media_type=_MEDIA_TYPES[".html"])

    def route(name: str, file: PageFile) -> Route:
        async def asset(request: Request) -> Response:
            request.scope[ROUTE_KEY] = "/assets"
            return Response(file.body, headers=asset_headers, media_type=file.media_type)

        return Route(f"/assets/{digest}/{name}", asset, include_in_schema=False)

    return [
        Route("/", document, include_in_schema=False),
        *(route(name, file) for name, file in sorted(files.items())),
    ]
