"""The command `mcp`, which serves tools to an agent over standard streams."""

from __future__ import annotations

import argparse
import asyncio

from factmill.pipelines.cli.answer_commands import answer_settings
from factmill.runtime.service.mcp_tools import serve_stdio
from factmill.runtime.service.service_settings import ServiceSettings
from factmill.runtime.service.service_state import Service
from factmill.runtime.service.serving import log_to_stderr


def mcp_command(options: argparse.Namespace) -> None:
    """Answer calls on standard input until it ends."""
    log_to_stderr()
    settings = ServiceSettings(
        str(options.store.root), answer_settings(options), check=options.check
    )
    service = Service.open(settings)
    try:
        asyncio.run(serve_stdio(service))
    finally:
        service.close()
