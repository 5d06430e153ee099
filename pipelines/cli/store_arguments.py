"""The commands that maintain a store: verify, rollback, gc, diff, inspect."""

from __future__ import annotations

import argparse

from factmill.pipelines.cli.argument_types import above_zero, build_id, positive, price
from factmill.pipelines.cli.line_parser import CommandGroup, add_command

UNFINISHED_DAYS = 7.0
QUERY_SECONDS = 600.0
QUERY_MEMORY_GB = 4.0


def add_store_commands(commands: CommandGroup) -> None:
    """Add them to `factmill`, in the order of its help."""
    _add_verify(commands)
    _add_rollback(commands)
    _add_gc(commands)
    _add_diff(commands)
    _add_inspect(commands)


def _add_verify(commands: CommandGroup) -> None:
    verify = add_command(
        commands, "verify", "check every file, count, id and offset of the published build",
        "STORE",
    )  # fmt: skip
    verify.add_argument(
        "--build", type=build_id, metavar="ID", help="another build (default: the published one)"
    )


def _add_rollback(commands: CommandGroup) -> None:
    rollback = add_command(
        commands, "rollback", "publish an earlier build again, or one that was kept unpublished",
        "STORE",
    )  # fmt: skip
    rollback.add_argument(
        "--to",
        type=build_id,
        metavar="ID",
        help="the build to publish (default: the newest before the published one)",
    )


def _add_gc(commands: CommandGroup) -> None:
    gc = add_command(
        commands, "gc", "remove old builds; none that is published, read or being built",
        "STORE --keep 3",
    )  # fmt: skip
    gc.add_argument(
        "--keep", type=positive, required=True, metavar="N",
        help="how many builds to keep beside the published one, of those that were published before"
        " and of those that were not",
    )  # fmt: skip
    gc.add_argument(
        "--unfinished-days", type=price, default=UNFINISHED_DAYS, metavar="DAYS",
        help="keep unfinished builds this long after they were last worked on (default:"
        f" {UNFINISHED_DAYS:g})",
    )  # fmt: skip


def _add_diff(commands: CommandGroup) -> None:
    diff = add_command(
        commands, "diff", "what changed from one build to another, by site and by reason",
        "STORE --json",
    )  # fmt: skip
    diff.add_argument(
        "--from", dest="before", type=build_id, metavar="ID",
        help="the earlier build (default: the one before it)",
    )  # fmt: skip
    diff.add_argument(
        "--to", dest="after", type=build_id, metavar="ID",
        help="the later build (default: the published one)",
    )  # fmt: skip
    _add_memory_option(diff, "memory limit; beyond it, the disk is used")


def _add_inspect(commands: CommandGroup) -> None:
    inspect = add_command(
        commands, "inspect", "query the tables with SQL (DuckDB)",
        'STORE --sql "select kind, count(*) from segments group by 1"',
    )  # fmt: skip
    inspect.add_argument(
        "--build", type=build_id, metavar="ID", help="another build (default: the published one)"
    )
    inspect.add_argument("--sql", help="a query over the views; default: rows of every view")
    inspect.add_argument(
        "--timeout", type=above_zero, default=QUERY_SECONDS, metavar="SECONDS",
        help=f"time limit of a query (default: {QUERY_SECONDS:g})",
    )  # fmt: skip
    _add_memory_option(inspect, "memory limit of a query")


def _add_memory_option(command: argparse.ArgumentParser, about: str) -> None:
    command.add_argument(
        "--max-memory", type=above_zero, default=QUERY_MEMORY_GB, metavar="GB",
        help=f"{about} (default: {QUERY_MEMORY_GB:g})",
    )  # fmt: skip
