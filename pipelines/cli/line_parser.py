"""Parsers whose errors are one line, and what every command of `factmill` has."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from typing import Any, NoReturn

from factmill.pipelines.cli.argument_types import store
from factmill.schemas.errors import OptionError


class LineParser(argparse.ArgumentParser):
    """A parser that raises OptionError for wrong arguments, where argparse prints usage and exits.
    `command` is the name of a command among others, and begins the message."""

    def __init__(self, *, command: str = "", **options: Any) -> None:
        super().__init__(
            allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **options
        )
        self._command = command

    def error(self, message: str) -> NoReturn:
        raise OptionError(f"{self._command}: {message}" if self._command else message)


@dataclass
class CommandGroup:
    """Commands that stand together in the help. `subparsers` is what `add_subparsers` returned;
    `about` has a line for each command."""

    title: str
    subparsers: Any
    about: dict[str, str] = field(default_factory=dict)


def add_command(
    group: CommandGroup, name: str, about: str, example: str, needs_store: bool = True
) -> argparse.ArgumentParser:
    """A command on a store, which can print JSON. `example` is what follows `factmill NAME`. One
    that has other pages than those of a store does without: `needs_store` is False."""
    command: argparse.ArgumentParser = group.subparsers.add_parser(
        name, command=name, description=about, epilog=f"example:\n  factmill {name} {example}"
    )
    group.about[name] = about
    command.add_argument(
        "store", metavar="STORE", type=store, nargs=None if needs_store else "?",
        help="folder of the store",
    )  # fmt: skip
    command.add_argument("--json", action="store_true", help="one JSON document on standard output")
    return command
