"""A Cloud Storage server on loopback: gcp-storage-emulator, which lacks preconditions, plus the one
that writes an object only if it does not exist.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

BUCKET = "crawl"


@contextmanager
def cloud_storage_server(cache: Path) -> Iterator[None]:
    """The server with one bucket, and an environment in which it is Cloud Storage and `cache` holds
    copies."""
    from gcp_storage_emulator import server as emulator

    insert = emulator.objects.insert

    def insert_if(request: Any, response: Any, storage: Any, *rest: Any, **named: Any) -> None:
        if request.query.get("ifGenerationMatch") == ["0"]:
            name = request.query.get("name", [request.data["meta"].get("name")])[0]
            try:
                storage.get_file_obj(request.params["bucket_name"], name)
            except emulator.objects.NotFound:
                pass
            else:
                response.status = HTTPStatus.PRECONDITION_FAILED
                return
        insert(request, response, storage, *rest, **named)

    server = emulator.create_server("127.0.0.1", 0, in_memory=True, default_bucket=BUCKET)
    with pytest.MonkeyPatch.context() as patch:
        for _, handlers in emulator.HANDLERS:
            if handlers.get(emulator.POST) is insert:
                patch.setitem(handlers, emulator.POST, insert_if)
        server.start()
        try:
            port = server._api._httpd.server_address[1]
            patch.setenv("STORAGE_EMULATOR_HOST", f"http://127.0.0.1:{port}")
            patch.setenv("FSSPEC_GS_TOKEN", "anon")
            patch.setenv("FACTMILL_CACHE", str(cache))
            yield
        finally:
            server.stop()
