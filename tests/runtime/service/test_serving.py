"""The command itself: processes, signals, and builds published underneath."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from factmill.pipelines.cli.main import main
from factmill.pipelines.cli.serve_command import TOKEN_VARIABLE, tokens_of
from factmill.runtime.service.own_listener import bound_for_all
from factmill.runtime.service.service_settings import ServiceSettings
from factmill.runtime.service.serving import AnnouncedServer, uvicorn_config
from factmill.schemas.errors import OptionError
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import read_manifest
from tests.benchmarks.bench_service import link_files
from tests.conftest import ROOT
from tests.models.encoding.tiny_encoder import publish_tiny_encoder
from tests.runtime.service.live_service import connect, eventually, live_service
from tests.runtime.tiny_build import DIMENSION, FakeEncoder, tiny_build, write_manifest

TOKEN = "a-token-of-tests"
BODY = b'{"query": "ferry"}'


@dataclass
class Running:
    """A service of two processes."""

    build: BuildDir
    process: subprocess.Popen[str]
    client: httpx.Client


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    build = tiny_build(tmp_path / "store")
    publish_tiny_encoder(build, tmp_path / "encoder", FakeEncoder.fingerprint, DIMENSION)
    write_manifest(build)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), TOKEN_VARIABLE: TOKEN}
    with subprocess.Popen(
        [
            sys.executable, "-m", "factmill", "serve", str(build.store.root), "--port", "0",
            "--workers", "2", "--log-queries",
        ],
        cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        address = process.stdout.readline().split()[1]
        try:
            headers = {"authorization": f"Bearer {TOKEN}", "connection": "close"}
            with httpx.Client(
                base_url=address, headers=headers, timeout=60, trust_env=False
            ) as client:
                assert _is_up(client)
                yield Running(build, process, client)
        finally:
            process.kill()


def _is_up(client: httpx.Client) -> bool:
    try:
        return client.get("/readyz").status_code == 200
    except httpx.TransportError:
        return False


def _served(client: httpx.Client) -> set[str]:
    """The builds that answer some requests, whichever process gets them."""
    return {client.get("/v1/build").json()["build_id"] for _ in range(8)}


def _publish_again(build: BuildDir, build_id: str) -> None:
    again = build.store.build(build_id)
    link_files(Path(str(build.root)), Path(str(again.root)))
    Path(str(again.manifest)).unlink()
    replace(read_manifest(build), build_id=build_id, parent=build.build_id).write(again)
    build.store.publish(again)


def test_service_of_processes_follows_its_store_and_stops_when_all_is_answered(
    running: Running,
) -> None:
    client = running.client
    assert _served(client) == {"tiny"}
    assert client.post("/v1/search", json={"query": "ferry"}).json()["hits"]

    _publish_again(running.build, "later")
    assert eventually(lambda: _served(client) == {"later"})
    parent = client.get("/v1/build").json()["parent"]
    assert parent["build_id"] == "tiny"
    assert parent["counts"] == client.get("/v1/build").json()["counts"]

    counted = [
        float(line.split()[1])
        for line in client.get("/metrics").text.splitlines()
        if line.startswith("http_server_request_duration_seconds_count")
        and 'http_route="/v1/build"' in line
    ]
    assert sum(counted) >= 17

    with connect(client, 60) as connection:
        connection.sendall(
            b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + f"Authorization: Bearer {TOKEN}\r\nContent-Length: {len(BODY)}\r\n\r\n".encode()
            + BODY[:5]
        )
        client.get("/healthz")
        running.process.send_signal(signal.SIGTERM)
        assert eventually(lambda: not _is_up(client))
        connection.sendall(BODY[5:])
        response = b""
        while data := connection.recv(65536):
            response += data
    assert response.startswith(b"HTTP/1.1 200")
    assert running.process.wait(60) == 0
    assert running.process.stderr is not None
    lines = running.process.stderr.read()
    assert "POST /v1/search 200" in lines
    assert "'ferry'" in lines
    assert TOKEN not in lines


def test_request_that_is_cut_off_when_the_service_stops_is_told_so(
    settings: ServiceSettings, caplog: pytest.LogCaptureFixture
) -> None:
    limits = replace(settings.limits, stop_seconds=0.05, body_seconds=60)
    with live_service(replace(settings, limits=limits)) as client:
        connection = connect(client)
        head = b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"
        connection.sendall(head + b"\r\nContent-Length: 19\r\n\r\n{")
        client.get("/healthz")

    with connection:
        response = b"".join(iter(lambda: connection.recv(65536), b""))
    assert response.startswith(b"HTTP/1.1 503")
    assert b"urn:factmill:problem:busy" in response
    assert "Traceback" not in caplog.text


def test_address_is_announced_when_requests_are_accepted(settings: ServiceSettings) -> None:
    with bound_for_all(("127.0.0.1", 0), socket.AF_INET) as listener:

        def announce() -> None:
            socket.create_connection(listener.getsockname()).close()
            server.should_exit = True

        server = AnnouncedServer(uvicorn_config(settings, Starlette), announce)
        server.run([listener])
    assert server.should_exit


def test_service_whose_address_cannot_be_printed_stops_in_order(settings: ServiceSettings) -> None:
    ended: list[bool] = []

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        ended.append(True)

    def announce() -> None:
        raise BrokenPipeError

    config = uvicorn_config(settings, partial(Starlette, lifespan=lifespan))
    listening = bound_for_all(("127.0.0.1", 0), socket.AF_INET)
    with listening as listener, pytest.raises(BrokenPipeError):
        AnnouncedServer(config, announce).run([listener])
    assert ended


def test_seconds_of_stopping_are_not_rounded(settings: ServiceSettings) -> None:
    limits = replace(settings.limits, stop_seconds=0.9)

    config = uvicorn_config(replace(settings, limits=limits), object())

    assert config.timeout_graceful_shutdown == 0.9


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "nothing is published"),
        (["STORE", "--port", "99999"], "not a port"),
        (["STORE", "--host", "203.0.113.1"], "--host 203.0.113.1"),
        (["STORE", "--llm-url", "http://127.0.0.1:1/v1"], "belong together"),
        (["STORE", "--strategy", "hashrag"], "--strategy hashrag: a service has extractive"),
        (["STORE", "--strategy", "hashrag", "--workers", "2"], "give --llm-url"),
        (["STORE", "--strategy", "r2ag"], "r2ag reads vectors, so it runs by answer and evaluate"),
        (["STORE", "--token-file", "nowhere"], "nowhere"),
        (["STORE", "--allowed-host", "a b"], "not the name of a host"),
    ],
)
def test_service_that_cannot_start_says_why_in_one_line(
    served: BuildDir, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [str(served.store.root) if one == "STORE" else one for one in arguments]

    assert main(["serve", *given]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line


def test_tokens_are_the_lines_of_the_file_or_the_variable(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text("first-token\n\n  second-token  \n")

    assert tokens_of(file, "of-the-variable") == ("first-token", "second-token")
    assert tokens_of(None, "of-the-variable") == ("of-the-variable",)
    assert tokens_of(None, None) == ()


@pytest.mark.parametrize(("content", "variable"), [("\n", None), (None, ""), (None, "short"),
    ("täken-täken", None), ("with\x07bell", None)])  # fmt: skip
def test_token_that_protects_nothing_is_refused(
    tmp_path: Path, content: str | None, variable: str | None
) -> None:
    file = tmp_path / "tokens"
    if content is not None:
        file.write_text(content)

    with pytest.raises(OptionError, match="token"):
        tokens_of(None if content is None else file, variable)
