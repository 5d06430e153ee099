"""Parsers whose errors are one line, and what every command of `factmill` has."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from factmill.pipelines.cli.argument_types import store


class LineParser(argparse.ArgumentParser):
    """A parser whose errors are one line and exit code 2, without the usage above."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def add_command(commands: Any, name: str, about: str) -> argparse.ArgumentParser:
    """A command on a store, which can print JSON. `commands` is what `add_subparsers` returned."""
    command: argparse.ArgumentParser = commands.add_parser(
        name, help=about, description=about, allow_abbrev=False
    )
    command.add_argument("store", metavar="STORE", type=store, help="folder of the store")
    command.add_argument("--json", action="store_true", help="one JSON document on standard output")
    return command
