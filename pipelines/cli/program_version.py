"""`factmill --version`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

DISTRIBUTION = "factmill"


class PrintVersion(argparse.Action):
    """Prints the version and exits. The version is looked up only when it is asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str) -> None:
        super().__init__(option_strings, dest, nargs=0, default=argparse.SUPPRESS, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        print(f"{DISTRIBUTION} {installed_version()}")
        parser.exit()


def installed_version() -> str:
    """The version of the distribution, or a note for a checkout that is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "(not installed)"
