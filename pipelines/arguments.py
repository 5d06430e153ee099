"""The command line's grammar: every command and option of `factmill`; it runs nothing."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from models.entities import RULES
from transforms.clean_options import DEFAULT_LIMITS, DEFAULT_NEAR_DUPLICATES


class LineParser(argparse.ArgumentParser):
    """A parser whose errors are one line and exit code 2, without the usage above."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def positive(text: str) -> int:
    """An argparse type: an integer of at least 1."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return value


def up_to(largest: int) -> Callable[[str], int]:
    """An argparse type: an integer from 1 to `largest`."""

    def number(text: str) -> int:
        value = positive(text)
        if value > largest:
            raise argparse.ArgumentTypeError(f"{text!r} is more than {largest}")
        return value

    return number


def depths(text: str) -> tuple[int, ...]:
    """An argparse type: "1,5,20" as numbers."""
    return tuple(sorted({positive(part) for part in text.split(",")}))


def languages(text: str) -> tuple[str, ...]:
    """An argparse type: "en,de" as codes."""
    codes = tuple(sorted({code.strip().lower() for code in text.split(",")}))
    for code in codes:
        if not re.fullmatch(r"[a-z]{2,3}", code):
            raise argparse.ArgumentTypeError(f"{code!r} is not a language code like en or de")
    return codes


def similarity(text: str) -> float | None:
    """An argparse type: a share from 0.5 to 1, or "off" as None."""
    if text == "off":
        return None
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.5 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number from 0.5 to 1 nor off")
    return value


def add_run_options(command: argparse.ArgumentParser) -> None:
    """The options that say how jobs run, not what they do."""
    command.add_argument(
        "--jobs", type=positive, default=os.cpu_count() or 1, metavar="N",
        help="worker processes of the local runner (default: one a core)",
    )  # fmt: skip


def parser() -> argparse.ArgumentParser:
    """The parser of `factmill`."""
    top = LineParser(
        prog="factmill", allow_abbrev=False,
        description="Turn a crawl of web pages into an index of facts, and query it.",
    )  # fmt: skip
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_build(commands)

    search = _command(commands, "search", "find the pages that hold facts on a query")
    search.add_argument("query")
    search.add_argument("-k", type=positive, default=20, help="number of pages (default: 20)")

    answer = _command(commands, "answer", "answer a question from the index, or say I don't know")
    answer.add_argument("question")

    evaluate = _command(commands, "evaluate", "measure recall on questions with known pages")
    evaluate.add_argument(
        "--questions", type=Path, required=True, metavar="FILE.jsonl",
        help="JSON lines with id, question, answers, gold_ids and perhaps dataset",
    )  # fmt: skip
    evaluate.add_argument(
        "--depths", type=depths, default=(1, 5, 20, 100), metavar="1,5,20,100",
        help="depths k of recall@k (default: 1,5,20,100)",
    )  # fmt: skip
    evaluate.add_argument(
        "--run", type=Path, metavar="FILE.trec", help="also write a TREC run file"
    )

    _command(commands, "verify", "check every file, count, id and offset of the published build")

    inspect = _command(commands, "inspect", "look into the tables with SQL (DuckDB)")
    inspect.add_argument("--sql", help="a query over the views; default: rows of every view")
    return top


def _add_build(commands: Any) -> None:
    build = _command(
        commands, "build", "build the index from pages and publish it; other options go to Beam"
    )
    build.add_argument(
        "--input", nargs="+", action="extend", required=True, metavar="PATTERN",
        help="files, folders or globs of WARC, ARC, HTML, Markdown, text, JSON, Parquet, MediaWiki",
    )  # fmt: skip
    build.add_argument(
        "--languages", type=languages, default=(), metavar="en,de",
        help="keep pages in these languages only (default: all)",
    )  # fmt: skip
    build.add_argument(
        "--entities", default=RULES, metavar="NAME|PATH",
        help=f"what finds named entities: a trained spaCy pipeline (default: {RULES})",
    )  # fmt: skip
    build.add_argument(
        "--near-duplicates", type=similarity, default=DEFAULT_NEAR_DUPLICATES, metavar="SHARE|off",
        help=f"similarity from which a page is a duplicate (default: {DEFAULT_NEAR_DUPLICATES})",
    )  # fmt: skip
    build.add_argument(
        "--page-seconds", type=up_to(86_400), default=DEFAULT_LIMITS.seconds, metavar="N",
        help=f"processor time for one page (default: {DEFAULT_LIMITS.seconds:g})",
    )  # fmt: skip
    build.add_argument(
        "--page-megabytes", type=up_to(1_000_000), default=DEFAULT_LIMITS.megabytes, metavar="N",
        help=f"memory for one page (default: {DEFAULT_LIMITS.megabytes})",
    )  # fmt: skip
    build.add_argument("--reader", default="heuristic", help="what reads segments (heuristic)")
    build.add_argument(
        "--encoder", default="all-MiniLM-L6-v2", metavar="NAME|PATH",
        help="a sentence-transformers model (default: all-MiniLM-L6-v2)",
    )  # fmt: skip
    build.add_argument(
        "--code-bits", type=positive, metavar="N", help="length of hash codes (default: 384)"
    )
    build.add_argument(
        "--shards", type=positive, metavar="N",
        help="shards of a new store (default: 16); fixed for its life",
    )  # fmt: skip
    build.add_argument(
        "--full", action="store_true", help="build from nothing: resume and reuse nothing"
    )
    add_run_options(build)


def _command(commands: Any, name: str, about: str) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        name, help=about, description=about, allow_abbrev=False
    )
    command.add_argument("store", metavar="STORE", help="folder of the store")
    command.add_argument("--json", action="store_true", help="one JSON document on standard output")
    return command
