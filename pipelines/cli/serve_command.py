"""The command `serve`: from options to the settings of the service."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path

from factmill.models.encoding.device import cores
from factmill.pipelines.cli.answer_commands import answer_settings
from factmill.pipelines.cli.unused_options import check_llm_options
from factmill.runtime.service.service_settings import ServiceLimits, ServiceSettings
from factmill.runtime.service.serving import serve
from factmill.schemas.errors import OptionError

TOKEN_VARIABLE = "FACTMILL_TOKEN"
_MIN_TOKEN_CHARACTERS = 8


def serve_command(options: argparse.Namespace, announce: Callable[[str], object]) -> None:
    """Serve until a signal comes. `announce` is called with the address."""
    serve(service_settings(options), options.host, options.port, options.workers, announce)


def service_settings(options: argparse.Namespace) -> ServiceSettings:
    """The values of the options of `add_serve_command`. Raises OptionError."""
    check_llm_options(options)
    limits = ServiceLimits(
        body_bytes=options.max_body,
        connections=options.max_connections,
        requests=options.max_requests,
        requests_a_client=options.max_requests_a_client,
        searches=max(1, cores() // options.workers),
        stop_seconds=options.stop_seconds,
    )
    return ServiceSettings(
        str(options.store.root),
        answer_settings(options),
        limits,
        tokens_of(options.token_file, os.environ.get(TOKEN_VARIABLE)),
        tuple(options.allowed_host),
        options.log_queries,
        options.check,
    )


def tokens_of(file: Path | None, variable: str | None) -> tuple[str, ...]:
    """The tokens of a file, one a line, or the token of an environment variable. Raises OptionError
    for a file or variable without a token, so a service meant to be closed is never open.
    """
    if file is None:
        source, lines = TOKEN_VARIABLE, [] if variable is None else [variable]
    else:
        source = f"--token-file {file}"
        try:
            lines = file.read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise OptionError(f"{source}: {error}") from None
    tokens = tuple(filter(None, (line.strip() for line in lines)))
    if not tokens and (file is not None or variable is not None):
        raise OptionError(f"{source}: it holds no token")
    for token in tokens:
        if len(token) < _MIN_TOKEN_CHARACTERS or not token.isascii() or not token.isprintable():
            raise OptionError(
                f"{source}: a token is at least {_MIN_TOKEN_CHARACTERS} printable ASCII characters"
            )
    return tokens
