"""Options that control how an LLM is called."""

from __future__ import annotations

import argparse

from factmill.models.readers.llm.segment_batches import DEFAULT_BATCH_SEGMENTS
from factmill.pipelines.cli.argument_types import accelerator, positive, up_to
from factmill.pipelines.llm_options import (
    DEFAULT_DEADLINE,
    DEFAULT_IN_FLIGHT,
    DEFAULT_MAX_OUTAGE,
)


def add_llm_url(group: argparse._ArgumentGroup) -> None:
    """The option that names a server."""
    group.add_argument(
        "--llm-url", default="", metavar="URL",
        help="an OpenAI-compatible server, for example http://127.0.0.1:8000/v1;"
        " its key is taken from OPENAI_API_KEY",
    )  # fmt: skip


def add_llm_options(command: argparse.ArgumentParser) -> None:
    """Options for how an LLM is called, not which one."""
    group = command.add_argument_group("LLM")
    add_llm_url(group)
    group.add_argument(
        "--llm-vllm", default="", metavar="EXECUTABLE",
        help="start this vLLM in the worker instead of using --llm-url",
    )  # fmt: skip
    group.add_argument(
        "--llm-in-flight", type=up_to(4096), default=DEFAULT_IN_FLIGHT, metavar="N",
        help=f"concurrent requests (default: {DEFAULT_IN_FLIGHT})",
    )  # fmt: skip
    group.add_argument(
        "--llm-segments", type=up_to(16), default=DEFAULT_BATCH_SEGMENTS, metavar="N",
        help="short segments of a page that may share a request"
        f" (default: {DEFAULT_BATCH_SEGMENTS})",
    )  # fmt: skip
    group.add_argument(
        "--llm-workers", type=positive, metavar="N",
        help="processes that send requests (default: one for every 64 concurrent requests)",
    )  # fmt: skip
    group.add_argument(
        "--llm-deadline", type=up_to(86_400), default=DEFAULT_DEADLINE, metavar="SECONDS",
        help=f"time limit of one request, including retries (default: {DEFAULT_DEADLINE})",
    )  # fmt: skip
    group.add_argument(
        "--llm-max-outage", type=up_to(86_400), default=DEFAULT_MAX_OUTAGE, metavar="SECONDS",
        help="how long to wait for a server that is down, before the build stops to be resumed"
        f" (default: {DEFAULT_MAX_OUTAGE})",
    )  # fmt: skip
    group.add_argument(
        "--llm-patience", dest="llm_max_outage", type=up_to(86_400), default=argparse.SUPPRESS,
        help=argparse.SUPPRESS,  # its former name
    )  # fmt: skip
    group.add_argument(
        "--llm-accelerator", type=accelerator, default="", metavar="HINT",
        help="Beam's resource hint for workers that ask the LLM, which start --llm-vllm there",
    )  # fmt: skip
    group.add_argument(
        "--max-tokens-total", type=positive, metavar="N",
        help="stop before the calls of this build exceed this number of tokens; a rerun resumes",
    )  # fmt: skip
