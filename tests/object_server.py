"""An S3 server on loopback that counts what it is asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

BUCKET = "crawl"


class ObjectServer:
    """A server with one bucket; `asked` counts requests by method, listings and copies apart."""

    def __init__(self, client: Any, url: str, asked: Counter[str]) -> None:
        self.client, self.url, self.asked = client, url, asked

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
    from moto.server import ThreadedMotoServer
    from werkzeug.serving import WSGIRequestHandler

    asked: Counter[str] = Counter()

    def count(self: Any, *_: object) -> None:
        kind = "LIST" if "list-type=" in self.path else self.command
        asked["COPY" if self.headers.get("x-amz-copy-source") else kind] += 1

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WSGIRequestHandler, "log_request", count)
        server.start()
        try:
            host, port = server.get_host_and_port()
            url = f"http://{host}:{port}"
            patch.setenv("AWS_ENDPOINT_URL", url)
            patch.setenv("AWS_ACCESS_KEY_ID", "someone")
            patch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
            patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
            patch.setenv("FACTMILL_CACHE", str(cache))
            client = boto3.client("s3")
            client.create_bucket(Bucket=BUCKET)
            yield ObjectServer(client, url, asked)
        finally:
            server.stop()
