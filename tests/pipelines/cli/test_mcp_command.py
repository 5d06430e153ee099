"""`factmill mcp` as a child process of an agent, asked by the SDK's own client."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from factmill.pipelines.cli.main import main
from factmill.pipelines.cli.program_version import installed_version
from tests.conftest import ROOT

if TYPE_CHECKING:
    from mcp import Client


def test_agent_searches_reads_and_asks_over_standard_streams(
    sample_store: Path, tmp_path: Path
) -> None:
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "factmill", "mcp", str(sample_store)],
        cwd=ROOT,
        env=dict(os.environ),
    )
    log = tmp_path / "log"

    async def call(agent: Client, name: str, argument: str, value: str) -> dict[str, Any]:
        content = (await agent.call_tool(name, {argument: value})).structured_content
        assert content is not None
        return content

    async def run() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        with log.open("w") as errors:
            async with Client(stdio_client(server, errlog=errors)) as agent:
                query = "When was the lamp of Skerrow Point Lighthouse lit?"
                found = await call(agent, "search", "query", query)
                page = await call(agent, "fetch", "id", found["results"][0]["id"])
                return found, page, await call(agent, "answer", "question", query)

    found, page, answer = asyncio.run(run())

    first = found["results"][0]
    assert "Skerrow Point" in first["title"]
    assert (page["title"], page["url"]) == (first["title"], first["url"])
    assert first["text"] in page["text"]
    assert answer["citations"][0]["quote"] in page["text"]
    assert log.read_text() == ""


def test_line_that_is_no_message_or_too_long_is_answered_and_ctrl_c_ends_the_process(
    sample_store: Path,
) -> None:
    greeting = {"protocolVersion": "2025-06-18", "capabilities": {}}
    greeting["clientInfo"] = {"name": "tests", "version": "1"}
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": greeting}
    with subprocess.Popen(
        [sys.executable, "-m", "factmill", "mcp", str(sample_store)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            long = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "ping"} | {" " * 1_000_000: 0})
            process.stdin.write(f"not json\n{long}\n{json.dumps(message)}\n")
            process.stdin.flush()
            error, other, welcome = (json.loads(process.stdout.readline()) for _ in range(3))
            process.send_signal(signal.SIGINT)
            code = process.wait(20)
        finally:
            process.kill()
        log = process.stderr.read()

    assert error == other
    assert (error["id"], error["error"]["code"]) == (None, -32700)
    assert welcome["result"]["serverInfo"]["version"] == installed_version()
    assert code == 130
    lines = log.splitlines()
    assert len(lines) == 2
    assert all("is not a JSON-RPC message" in line for line in lines)


def test_process_without_standard_input_ends(sample_store: Path) -> None:
    command = ["sh", "-c", '"$@" <&-', "sh", sys.executable, "-m", "factmill", "mcp"]
    done = subprocess.run(
        [*command, str(sample_store)], cwd=ROOT, capture_output=True, timeout=60, check=False
    )

    assert (done.returncode, done.stderr) == (0, b"")


def test_store_that_is_not_there_is_one_line_and_exit_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mcp", str(tmp_path / "none")]) == 2

    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
