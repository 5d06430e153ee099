"""A fake Dataflow on this machine: accepts jobs over HTTP like the real one, and runs their graphs.

The same server stands for Cloud Storage and keeps staged files in memory. It implements only what
Beam's client asks for. A job is done before the response to its creation is sent.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.portability import python_urns
from apache_beam.portability.api import beam_runner_api_pb2 as api
from apache_beam.runners.portability.fn_api_runner.fn_runner import FnApiRunner


class FakeDataflow:
    """Staged files and launched jobs. `fails` maps names of jobs, up to their first digit, to the
    errors with which they fail.
    """

    def __init__(self, port: int) -> None:
        self.port = port
        self.staged: dict[str, bytes] = {}
        self.jobs: list[dict[str, Any]] = []
        self.fails: dict[str, str] = {}
        self.messages: dict[str, str] = {}

    def create(self, job: dict[str, Any]) -> dict[str, Any]:
        """Run a job's staged graph."""
        job["id"] = f"job-{len(self.jobs)}"
        self.jobs.append(job)
        message = self.fails.get(re.split(r"-\d", job["name"])[0], "")
        if not message:
            options = job["environment"]["sdkPipelineOptions"]["options"]
            bucket_and_name = options["pipelineUrl"].removeprefix("gs://")
            self._run(api.Pipeline.FromString(self.staged[bucket_and_name]))
        self.messages[job["id"]] = message
        job["currentState"] = "JOB_STATE_FAILED" if message else "JOB_STATE_DONE"
        # A failing job must be seen running first: only then does the client read its messages.
        return {**job, "currentState": "JOB_STATE_RUNNING"} if message else job

    @staticmethod
    def _run(graph: api.Pipeline) -> None:
        """Run the graph in this process, which stands for the worker image."""
        for environment in graph.components.environments.values():
            environment.urn, environment.payload = python_urns.EMBEDDED_PYTHON, b""
        FnApiRunner().run_via_runner_api(graph, PipelineOptions([])).wait_until_finish()


@contextmanager
def fake_dataflow() -> Iterator[FakeDataflow]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    fake = FakeDataflow(server.server_port)
    server.fake = fake  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    @property
    def fake(self) -> FakeDataflow:
        fake: FakeDataflow = self.server.fake  # type: ignore[attr-defined]
        return fake

    def log_message(self, *_: object) -> None:
        return

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if found := re.fullmatch(r"/storage/v1/b/([^/]+)", path):
            self._answer({"name": found[1], "id": found[1]})
        elif found := re.fullmatch(r"/v1b3/.*/jobs/([^/]+)/messages", path):
            self._answer({"jobMessages": self._messages(found[1])})
        elif found := re.fullmatch(r"/v1b3/.*/jobs/([^/]+)", path):
            self._answer(next(job for job in self.fake.jobs if job["id"] == found[1]))
        else:
            self._answer({"error": {"code": 404, "message": "not there"}}, 404)

    def do_POST(self) -> None:
        url, body = urlsplit(self.path), self._body()
        if found := re.fullmatch(r"/upload/storage/v1/b/([^/]+)/o", url.path):
            name = parse_qs(url.query).get("name") or [json.loads(body)["name"]]
            upload = f"http://127.0.0.1:{self.fake.port}/put/{found[1]}/{unquote(name[0])}"
            self._answer({}, 200, {"Location": upload})
        elif re.fullmatch(r"/v1b3/.*/jobs", url.path):
            self._answer(self.fake.create(json.loads(body)))
        else:
            self._answer({}, 404)

    def do_PUT(self) -> None:
        name = unquote(urlsplit(self.path).path).removeprefix("/put/")
        self.fake.staged[name] = self._body()
        self._answer({"name": name, "bucket": "bucket"})

    def _messages(self, job: str) -> list[dict[str, str]]:
        text = self.fake.messages[job]
        message = {
            "id": "1", "time": "2024-01-01T00:00:00Z", "messageText": text,
            "messageImportance": "JOB_MESSAGE_ERROR",
        }  # fmt: skip
        return [message] if text else []

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _answer(
        self, document: Any, status: int = 200, headers: dict[str, str] | None = None
    ) -> None:
        raw = json.dumps(document).encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)
