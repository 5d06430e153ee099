"""The overview of `factmill --help`: the commands in groups, an example of each, and the exit
codes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from factmill.pipelines.cli.line_parser import CommandGroup

EXIT_CODES = {
    0: "success, or nothing to do",
    1: "failure: one line says why; the same command resumes",
    2: "a wrong option or argument, or no such store",
    3: "the build is complete and kept, but not published",
    4: "another build is running in this store",
    130: "stopped by Ctrl-C",
}


def overview(groups: Sequence[CommandGroup]) -> str:
    """The part of the help with commands and exit codes."""
    return "\n".join(_lines(groups))


def _lines(groups: Sequence[CommandGroup]) -> Iterator[str]:
    for group in groups:
        yield f"{group.title}:"
        for name, about in group.about.items():
            yield f"  {name:9} {about}"
            # The last line of a command's help is its example.
            example = group.subparsers.choices[name].epilog.splitlines()[-1].strip()
            yield f"  {'':9}   {example}"
        yield ""
    yield "factmill COMMAND --help shows the options of a command."
    yield ""
    yield "exit codes:"
    for code, meaning in EXIT_CODES.items():
        yield f"  {code:<9} {meaning}"
