"""The parser of the command line: every command and option of `factmill`. It runs nothing."""

from __future__ import annotations

import argparse

from factmill.pipelines.cli.build_arguments import add_build_commands
from factmill.pipelines.cli.help_overview import overview
from factmill.pipelines.cli.line_parser import CommandGroup, LineParser
from factmill.pipelines.cli.program_version import PrintVersion
from factmill.pipelines.cli.query_arguments import add_query_commands
from factmill.pipelines.cli.store_arguments import add_store_commands


def parser() -> argparse.ArgumentParser:
    """The parser of `factmill`. It raises OptionError for wrong arguments."""
    top = LineParser(
        prog="factmill", usage="factmill COMMAND STORE [options]",
        description="Turn a crawl of web pages into an index of facts, and query it.",
    )  # fmt: skip
    top.add_argument("--version", action=PrintVersion, help="print the version and exit")
    # The help overview describes the commands.
    commands = top.add_subparsers(
        dest="command", required=True, metavar="COMMAND", prog="factmill", help=argparse.SUPPRESS
    )
    build = CommandGroup("build an index", commands)
    query = CommandGroup("query it", commands)
    store = CommandGroup("maintain it", commands)
    add_build_commands(build)
    add_query_commands(query)
    add_store_commands(store)
    top.epilog = overview([build, query, store])
    return top
