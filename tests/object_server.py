"""An S3 server on loopback that counts its requests."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

BUCKET = "crawl"


class ObjectServer:
    """A server with one bucket; `asked` counts requests by method, with listings and copies
    separate.
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self.asked: Counter[str] = Counter()
        self._awaited: list[tuple[str, threading.Event]] = []

    def count(self, method: str, path: str, copies: bool) -> None:
        self.asked["COPY" if copies else "LIST" if "list-type=" in path else method] += 1
        for part, seen in self._awaited:
            if method == "PUT" and part in path:
                seen.set()

    def awaited(self, part: str) -> threading.Event:
        """An event that is set when an object is written whose key contains this text."""
        self._awaited.append((part, threading.Event()))
        return self._awaited[-1][1]

    def put(self, key: str, content: bytes) -> None:
        self.client.put_object(Bucket=BUCKET, Key=key, Body=content)

    def get(self, key: str) -> bytes:
        body: bytes = self.client.get_object(Bucket=BUCKET, Key=key)["Body"].read()
        return body

    def put_folder(self, folder: Path, prefix: str) -> None:
        for path in folder.rglob("*"):
            if path.is_file():
                self.put(f"{prefix}/{path.relative_to(folder).as_posix()}", path.read_bytes())

    def keys(self, prefix: str) -> list[str]:
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=prefix)
        return [one["Key"] for page in pages for one in page.get("Contents", ())]


@contextmanager
def object_server(cache: Path) -> Iterator[ObjectServer]:
    """The server, and an environment in which it is the object store and `cache` holds copies."""
    import boto3
    from moto.moto_server.werkzeug_app import MotoRequestHandler, create_backend_app
    from werkzeug.serving import make_server

    found: list[ObjectServer] = []

    class CountingHandler(MotoRequestHandler):  # type: ignore[misc]
        # Connections stay open, as in an object store.
        protocol_version = "HTTP/1.1"

        def log_request(self, *_: object) -> None:
            for server in found:
                server.count(self.command, self.path, bool(self.headers.get("x-amz-copy-source")))

    # The application of one service: moto's own server looks for that of each request in a folder
    # of two hundred.
    application = create_backend_app("s3")
    server = make_server("127.0.0.1", 0, application, True, request_handler=CountingHandler)
    thread = threading.Thread(target=server.serve_forever, name="object server")
    with pytest.MonkeyPatch.context() as patch:
        thread.start()
        try:
            patch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
            patch.setenv("AWS_ACCESS_KEY_ID", "someone")
            patch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
            patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
            patch.setenv("FACTMILL_CACHE", str(cache))
            client = boto3.client("s3")
            client.create_bucket(Bucket=BUCKET)
            found.append(ObjectServer(client))
            yield found[0]
        finally:
            server.shutdown()
            thread.join()
            server.server_close()
