"""`python -m factmill.pipelines.X` without a package that X imports: one line instead of a
traceback, as from the command `factmill`. X itself cannot say it, because it imports first.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from traceback import walk_tb
from types import TracebackType
from typing import NoReturn

from factmill.pipelines.cli.exit_codes import OutputFormat, exit_code
from factmill.schemas.errors import MissingExtra

_Hook = Callable[[type[BaseException], BaseException, TracebackType | None], object]


def report_in_one_line(module: str) -> None:
    """From now on, when this process ends because an import lacks a package, it prints one line."""
    sys.excepthook = _reporting(module, sys.excepthook)


def _reporting(module: str, otherwise: _Hook) -> _Hook:
    extra = "r2ag" if module.endswith(".train_r2ag") else "build"

    def report(
        kind: type[BaseException], error: BaseException, traceback: TracebackType | None
    ) -> None:
        lacking = str(getattr(error, "name", "")).partition(".")[0]
        lacks_a_package = isinstance(error, ModuleNotFoundError) and lacking != "factmill"
        if not lacks_a_package or not _importing(traceback):
            otherwise(kind, error, traceback)
            return

        def fail() -> NoReturn:
            raise MissingExtra(lacking.replace("_", "-"), extra)

        exit_code(f"python -m {module}", fail, OutputFormat.of(sys.argv[1:]))

    return report


def _importing(traceback: TracebackType | None) -> bool:
    """Whether no function was called yet: all is the first run of modules. What a function imports
    later may be a package of the user's, which no extra brings.
    """
    codes = [frame.f_code for frame, _ in walk_tb(traceback)]
    return all(code.co_name == "<module>" or "runpy" in code.co_filename for code in codes)
