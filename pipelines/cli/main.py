"""The command `factmill`: options become calls, results become text or JSON. It has no logic of its
own.

What a command needs is imported when it runs, so that a machine with only the runtime can search.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial

from factmill.pipelines.cli.arguments import parser
from factmill.pipelines.cli.exit_codes import OutputFormat, exit_code
from factmill.pipelines.cli.standard_output import (
    escape_what_cannot_be_printed,
    numbered,
    output_errors,
    print_json,
    print_text,
    shown,
)
from factmill.pipelines.progress.quiet_logs import quiet_logs
from factmill.schemas.errors import (
    NOT_WRITABLE,
    MissingExtra,
    NoIndex,
    OptionError,
    ReadOnlyStore,
)
from factmill.schemas.layout import Store
from factmill.transforms.report.untrusted_text import printable
from factmill.transforms.tasks import fork_server
from factmill.transforms.tasks.notices import json_line, logs_as_json

_JOBS = ("build", "plan", "retry")
# Longer texts of units and citations are cut.
_LINE_WIDTH = 150


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code (`exit_code`). --help and --version raise
    SystemExit.
    """
    arguments = sys.argv[1:] if argv is None else list(argv)
    if argv is None:
        fork_server.allow()
    escape_what_cannot_be_printed()
    resumes = arguments[:1] in [[job] for job in _JOBS] and "--full" not in arguments
    return exit_code("factmill", partial(_run, arguments), OutputFormat.of(arguments), resumes)


def _run(arguments: Sequence[str]) -> int:
    if not arguments:
        raise OptionError("no command is given; factmill --help shows all of them")
    options, unknown = parser().parse_known_args(arguments)
    if unknown and options.command not in _JOBS:
        raise OptionError(f"{options.command}: unrecognized arguments: {' '.join(unknown)}")
    return _COMMANDS[options.command](options, unknown)


def _build(options: argparse.Namespace, beam_arguments: list[str]) -> int:
    _need("apache_beam", "build")
    quiet_logs()
    from factmill.pipelines.cli import build_commands

    fork_server.start()
    run = {
        "build": build_commands.build_command,
        "plan": build_commands.plan_command,
        "retry": build_commands.retry_command,
    }
    text, document = run[options.command](options, beam_arguments)
    if logs_as_json():
        json_line("info", "finished", message=text.splitlines()[0], exit_code=0)
    if options.json:
        print_json(document)
    else:
        print_text(text)
    return 0


def _search(options: argparse.Namespace, _: list[str]) -> int:
    from factmill.runtime.opening import open_index

    with open_index(options.store.root, options.check) as index:
        hits = index.search(
            options.query, options.k, options.rerank, options.lexical, relevance=options.relevance
        )
    if options.json:
        print_json({"query": options.query, "hits": [hit.as_json() for hit in hits]})
        return 0
    for hit in hits:
        judged = "" if hit.relevance is None else f"{hit.relevance:4.0%}  "
        name = _one_line(hit.title or hit.source_id)
        print_text(f"{hit.rank:3}  {hit.score:.3f}  {judged}{name}  {hit.url}")
        for unit in hit.units[:2]:
            print_text(f"            {_one_line(unit.text)}")
    return 0


def _answer(options: argparse.Namespace, _: list[str]) -> int:
    if options.pages is not None:
        _need("blingfire", "build")
    from factmill.pipelines.cli.answer_commands import answer_command

    found = answer_command(options)
    if options.json:
        print_json(found.as_json())
        return 0
    print_text(f"{found.text}  (unsupported)" if found.unsupported else found.text)
    for citation in found.citations:
        print_text(f"    {_one_line(citation.quote)}")
        print_text(f"    {_one_line(citation.title)}  {citation.url or citation.page_id}")
    if found.notice:
        print(f"factmill: {printable(found.notice)}", file=sys.stderr)
    return 0


def _serve(options: argparse.Namespace, _: list[str]) -> int:
    for package in ("uvicorn", "httptools", "starlette", "pydantic", "prometheus_client"):
        _need(package, "serve")
    from factmill.pipelines.cli.serve_command import serve_command

    def announce(url: str) -> None:
        if options.json:
            print_json({"url": url, "workers": options.workers}, indent=None)
        else:
            print_text(f"factmill: {url}")

    serve_command(options, announce)
    return 0


def _mcp(options: argparse.Namespace, _: list[str]) -> int:
    for package in ("mcp", "starlette", "pydantic", "prometheus_client"):
        _need(package, "mcp")
    from factmill.pipelines.cli.mcp_command import mcp_command

    mcp_command(options)
    return 0


def _evaluate(options: argparse.Namespace, _: list[str]) -> int:
    if options.own_pages:
        _need("blingfire", "build")
    from factmill.pipelines.cli.answer_commands import evaluate_recall, evaluate_strategy

    measure = evaluate_strategy if options.strategy else evaluate_recall
    figures = measure(options)
    if options.json:
        print_json(figures)
        return 0
    for group, metrics in figures.items():
        print_text(group)
        for name, value in metrics.items():
            print_text(f"    {name:19} {value:g}")
    return 0


def _verify(options: argparse.Namespace, _: list[str]) -> int:
    _need("duckdb", "inspect")
    from factmill.runtime.verify.verify_published import verify

    build, faults = verify(options.store, options.build)
    if options.json:
        print_json({"build_id": build, "ok": not faults, "faults": faults})
    else:
        for fault in faults:
            print_text(fault)
        print_text(f"{build}: " + (f"{len(faults)} faults" if faults else "whole"))
    return 1 if faults else 0


def _rollback(options: argparse.Namespace, _: list[str]) -> int:
    from factmill.pipelines.runners.worker_errors import ClearErrors
    from factmill.pipelines.store.rollback import rollback

    with ClearErrors(options.store), _writing_to(options.store):
        manifest = rollback(options.store, options.to)
    if options.json:
        print_json({"build_id": manifest.build_id, "created_at": manifest.created_at})
    else:
        print_text(f"published {manifest.build_id}")
    return 0


def _gc(options: argparse.Namespace, _: list[str]) -> int:
    from factmill.pipelines.store.garbage_collection import collect
    from factmill.pipelines.store.publish_checks import published_id

    if published_id(options.store) is None and not options.store.builds():
        raise NoIndex(f"{options.store.root}: there is no store")
    with _writing_to(options.store):
        found = collect(options.store, options.keep, options.unfinished_days)
    if options.json:
        print_json(asdict(found))
        return 0
    for build, reason in sorted(found.kept.items()):
        print_text(f"kept {build} ({reason})")
    for build in sorted(found.removed):
        print_text(f"removed {build}")
    print_text(f"{len(found.removed)} builds removed, {found.bytes_freed:,} bytes freed")
    return 0


def _diff(options: argparse.Namespace, _: list[str]) -> int:
    _need("duckdb", "inspect")
    from factmill.pipelines.cli.diff_command import diff_command

    text, document = diff_command(options)
    if options.json:
        print_json(document)
    else:
        print_text(text)
    return 0


def _inspect(options: argparse.Namespace, _: list[str]) -> int:
    _need("duckdb", "inspect")
    from factmill.runtime.view_query import QueryLimits, query
    from factmill.runtime.views import summary_sql

    build = options.store.complete(options.build) if options.build else options.store.published()
    sql = summary_sql() if options.sql is None else options.sql
    columns, rows = query(build, sql, QueryLimits(options.timeout, options.max_memory))
    if options.json:
        names = numbered(columns)
        print_json({"columns": names, "rows": [dict(zip(names, row, strict=True)) for row in rows]})
        return 0
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None)
    for column in columns:
        table.add_column(column, overflow="fold")  # ids are never cut
    for row in rows:
        table.add_row(*("" if value is None else printable(shown(value)) for value in row))
    console = Console(markup=False, width=None if sys.stdout.isatty() else 200)
    with output_errors():
        console.print(table)
    return 0


@contextmanager
def _writing_to(store: Store) -> Iterator[None]:
    """Raises ReadOnlyStore when the block may not write."""
    try:
        yield
    except OSError as error:
        if error.errno not in NOT_WRITABLE:
            raise
        raise ReadOnlyStore(store.root, error.strerror) from None


def _need(package: str, extra: str) -> None:
    """Raises MissingExtra unless this package of an extra is installed."""
    if importlib.util.find_spec(package) is None:
        raise MissingExtra(package.replace("_", "-"), extra)


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LINE_WIDTH else line[: _LINE_WIDTH - 1] + "…"


_COMMANDS = {
    "build": _build,
    "plan": _build,
    "retry": _build,
    "search": _search,
    "answer": _answer,
    "serve": _serve,
    "mcp": _mcp,
    "evaluate": _evaluate,
    "verify": _verify,
    "rollback": _rollback,
    "gc": _gc,
    "diff": _diff,
    "inspect": _inspect,
}

if __name__ == "__main__":
    sys.exit(main())
