"""Options of the commands that serve: over HTTP, and to an agent."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import get_args

from factmill.pipelines.cli.answer_arguments import add_answer_options
from factmill.pipelines.cli.argument_types import DEFAULT_CHECK, above_zero, positive, up_to
from factmill.pipelines.cli.line_parser import CommandGroup, add_command
from factmill.runtime.follow import FollowCheck

PORT = 8080
# The defaults of ServiceLimits, which only a machine with the extra `serve` can import.
BODY_BYTES, REQUESTS, REQUESTS_A_CLIENT, CONNECTIONS, STOP_SECONDS = 1_000_000, 64, 32, 1000, 30.0


def add_serve_command(commands: CommandGroup) -> None:
    """Add `serve` to `factmill`."""
    serve = add_command(
        commands, "serve", "serve searches and answers over HTTP", "STORE --port 8080"
    )
    serve.add_argument(
        "--host", default="127.0.0.1", metavar="ADDRESS",
        help="address to listen on (default: 127.0.0.1, this machine only)",
    )  # fmt: skip
    serve.add_argument(
        "--port", type=port, default=PORT, metavar="N",
        help=f"port (default: {PORT}; 0: a free one)",
    )  # fmt: skip
    serve.add_argument(
        "--workers", type=up_to(256), default=1, metavar="N",
        help="worker processes, which share the mapped files (default: 1)",
    )  # fmt: skip
    _add_check(serve)
    _add_access_options(serve)
    _add_limit_options(serve)
    add_answer_options(serve, serves=True)


def add_mcp_command(commands: CommandGroup) -> None:
    """Add `mcp` to `factmill`."""
    mcp = add_command(
        commands, "mcp", "give an agent tools that search and answer, over standard input and"
        " output", "STORE", json=False,
    )  # fmt: skip
    _add_check(mcp)
    add_answer_options(mcp, serves=True)


def _add_check(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--check", choices=get_args(FollowCheck), default=DEFAULT_CHECK,
        help="how to check a build before it answers: sizes, checksums, or the whole of it,"
        " tables included (default: checksums; those of a first build above a gigabyte in the"
        " background)",
    )  # fmt: skip


def _add_access_options(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("access")
    group.add_argument(
        "--token-file", type=Path, metavar="FILE",
        help="ask for a bearer token, one of the lines of this file"
        " (default: that of the variable FACTMILL_TOKEN, if it is set)",
    )  # fmt: skip
    group.add_argument(
        "--allowed-host", action="append", default=[], type=host_name, metavar="NAME",
        help="an allowed Host name, beside localhost and addresses; may be repeated; '*' for any",
    )  # fmt: skip
    group.add_argument(
        "--log-queries", action="store_true", help="include queries in the request log"
    )


def _add_limit_options(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("limits of each process")
    group.add_argument(
        "--max-requests", type=positive, default=REQUESTS, metavar="N",
        help=f"concurrent requests; further ones get 503 (default: {REQUESTS})",
    )  # fmt: skip
    group.add_argument(
        "--max-requests-a-client", type=positive, default=REQUESTS_A_CLIENT, metavar="N",
        help="concurrent requests of one address; further ones get 429"
        f" (default: {REQUESTS_A_CLIENT})",
    )  # fmt: skip
    group.add_argument(
        "--max-connections", type=positive, default=CONNECTIONS, metavar="N",
        help=f"connections; above this, the longest idle one is closed (default: {CONNECTIONS})",
    )  # fmt: skip
    group.add_argument(
        "--max-body", type=positive, default=BODY_BYTES, metavar="BYTES",
        help=f"maximum length of a request's body (default: {BODY_BYTES:,})",
    )  # fmt: skip
    group.add_argument(
        "--stop-seconds", type=above_zero, default=STOP_SECONDS, metavar="SECONDS",
        help="time for running requests to finish when the service stops (default:"
        f" {STOP_SECONDS:g})",
    )  # fmt: skip


def port(text: str) -> int:
    """A port, or 0."""
    if not re.fullmatch(r"[0-9]{1,5}", text) or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port")
    return int(text)


def host_name(text: str) -> str:
    """A host name, or "*"."""
    if text != "*" and not re.fullmatch(r"[A-Za-z0-9_.-]+", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not the name of a host")
    return text
