"""The grammar of the command line: every command and option of `factmill`. It runs nothing."""

from __future__ import annotations

import argparse

from factmill.pipelines.cli.build_arguments import add_build_commands
from factmill.pipelines.cli.line_parser import LineParser
from factmill.pipelines.cli.query_arguments import add_query_commands
from factmill.pipelines.cli.store_arguments import add_store_commands


def parser() -> argparse.ArgumentParser:
    """The parser of `factmill`."""
    top = LineParser(
        prog="factmill", allow_abbrev=False,
        description="Turn a crawl of web pages into an index of facts, and query it.",
    )  # fmt: skip
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    add_build_commands(commands)
    add_query_commands(commands)
    add_store_commands(commands)
    return top
