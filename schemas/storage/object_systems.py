"""The libraries that speak to object stores, loaded on first use, and the errors they raise."""

from __future__ import annotations

import asyncio
import logging
from functools import cache
from typing import Any

# Scheme -> the package that speaks it, and the extra that installs it.
SCHEMES = {"s3": ("s3fs", "s3"), "gs": ("gcsfs", "gs")}


@cache
def file_system(scheme: str, _process: int) -> Any:
    """One file system for all threads of a process; fsspec by itself would make one for each."""
    import fsspec

    # It logs a traceback of errors that it also raises.
    logging.getLogger("gcsfs").setLevel(logging.CRITICAL)
    return fsspec.filesystem(scheme, use_listings_cache=False, skip_instance_cache=True)


@cache
def failures(scheme: str) -> tuple[type[Exception], ...]:
    """The errors a library raises when a server is down, refuses, or cannot be reached."""
    kinds: list[type[Exception]] = [OSError, TimeoutError, asyncio.TimeoutError]
    if scheme in SCHEMES:
        from aiohttp import ClientError

        kinds.append(ClientError)
    if scheme == "s3":
        from botocore.exceptions import BotoCoreError

        kinds.append(BotoCoreError)
    if scheme == "gs":
        from gcsfs.retry import HttpError
        from google.auth.exceptions import GoogleAuthError

        kinds += [HttpError, GoogleAuthError]
    return tuple(kinds)
