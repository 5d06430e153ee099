"""Parsers whose errors are one line, and the options that every command of `factmill` has."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from factmill.pipelines.cli.argument_types import store
from factmill.schemas.errors import OptionError
from factmill.schemas.layout import Store


class LineParser(argparse.ArgumentParser):
    """A parser that raises OptionError for wrong arguments, where argparse would print usage and
    exit. Messages begin with `command`, the name of a subcommand. `instead` is an option that
    replaces the first positional argument: with it, that argument is "".
    """

    def __init__(self, *, command: str = "", instead: str = "", **options: Any) -> None:
        super().__init__(
            allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **options
        )
        self._command, self._instead = command, instead

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """An optional positional argument would not do: argparse skips it when an option comes
        first.
        """
        given = list(args or ())
        replaced = bool(self._instead) and self._instead in (one.split("=", 1)[0] for one in given)
        options, rest = super().parse_known_args(["", *given] if replaced else given, namespace)
        if replaced and rest:
            self.error(f"unrecognized arguments: {' '.join(rest)} ({self._instead}: without STORE)")
        return options, rest

    def error(self, message: str) -> NoReturn:
        # An option takes all that follows, so STORE is missing when it stands last.
        takers = [one.option_strings[0] for one in self._actions if one.nargs == "+"]
        if message.endswith("required: STORE") and takers:
            message += f" (it comes before {takers[0]}, which takes all that follows)"
        raise OptionError(f"{self._command}: {message}" if self._command else message)


@dataclass
class CommandGroup:
    """Commands that form one group in the help. `subparsers` comes from `add_subparsers`; `about`
    has a line for each command.
    """

    title: str
    subparsers: Any
    about: dict[str, str] = field(default_factory=dict)


def add_command(
    group: CommandGroup, name: str, about: str, example: str, instead: str = "", json: bool = True
) -> argparse.ArgumentParser:
    """Add a command that works on a store. `example` is the text after `factmill NAME`; `instead`
    is an option that supplies pages, so that no store is needed; `json`: it has the option --json.
    """
    command: argparse.ArgumentParser = group.subparsers.add_parser(
        name,
        command=name,
        instead=instead,
        description=about,
        epilog=f"example:\n  factmill {name} {example}",
    )  # fmt: skip
    group.about[name] = about
    command.add_argument(
        "store", metavar="STORE", type=_store_or_none if instead else store,
        help="folder of the store",
    )  # fmt: skip
    if json:
        command.add_argument(
            "--json", action="store_true", help="one JSON document on standard output"
        )
    return command


def _store_or_none(text: str) -> Store | None:
    return store(text) if text else None
