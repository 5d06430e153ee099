"""The command `mcp`, which serves tools to an agent over standard streams."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal

from factmill.pipelines.cli.answer_commands import answer_settings
from factmill.pipelines.cli.unused_options import check_llm_options, check_strategy_options
from factmill.runtime.service.mcp_tools import serve_stdio
from factmill.runtime.service.service_settings import ServiceSettings
from factmill.runtime.service.service_state import Service
from factmill.runtime.service.serving import log_to_stderr

_INTERRUPTED = 130


def mcp_command(options: argparse.Namespace) -> None:
    """Answer calls on standard input until it ends. Ctrl-C ends the process with code 130."""
    check_llm_options(options)
    check_strategy_options(options)
    log_to_stderr()
    settings = ServiceSettings(
        str(options.store.root), answer_settings(options), check=options.check
    )
    service = Service.open(settings)
    try:
        asyncio.run(_answer_calls(service))
    finally:
        service.close()


async def _answer_calls(service: Service) -> None:
    # Ctrl-C ends the process at once: a thread of the SDK waits for standard input, and whatever
    # ends in order waits for that thread.
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, os._exit, _INTERRUPTED)
    await serve_stdio(service)
