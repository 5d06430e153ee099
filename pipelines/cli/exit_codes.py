"""How a command ends: its exit code, and one line when it failed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import nullcontext

from factmill.pipelines.progress.quiet_logs import json_logs
from factmill.schemas.errors import FactmillError, Locked, NotPublished, OptionError
from factmill.transforms.tasks.notices import json_line, logs_as_json

_FAILED, _INTERRUPTED = 1, 130
# Other kinds of FactmillError: _FAILED.
_CODES: dict[type[FactmillError], int] = {OptionError: 2, NotPublished: 3, Locked: 4}


def exit_code(program: str, run: Callable[[], int], in_json: bool) -> int:
    """Run a command. Its exit code; or 1 (it failed, with one line why), 2 (a wrong option), 3 (a
    build is whole, but not published) or 4 (another build is running)."""
    with json_logs() if in_json else nullcontext():
        try:
            return run()
        except FactmillError as error:
            code = next((code for kind, code in _CODES.items() if isinstance(error, kind)), _FAILED)
            _print_failure(program, " ".join(str(error).split()), code)
            return code
        except BrokenPipeError:
            return _FAILED
        except KeyboardInterrupt:
            _print_failure(program, "stopped; the same command resumes", _INTERRUPTED)
            return _INTERRUPTED


def _print_failure(program: str, message: str, code: int) -> None:
    if logs_as_json():
        json_line("error", "failed", message=message, exit_code=code)
    else:
        print(f"{program}: {message}", file=sys.stderr)
