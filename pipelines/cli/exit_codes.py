"""How a command ends: its exit code, and one line when it failed.

With `--json`, standard output gets the failure as a document, too, of one shape for all commands:

    {"error": {"type": "NoIndex", "message": "store: nothing is published there", "exit_code": 2}}

`type` is a class of `schemas/errors.py`, or "Interrupted".
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

from factmill.pipelines.progress.quiet_logs import json_logs
from factmill.schemas.errors import FactmillError, Locked, NoIndex, NotPublished, OptionError
from factmill.transforms.report.untrusted_text import printable
from factmill.transforms.tasks.notices import json_line, logs_as_json

_FAILED, _INTERRUPTED = 1, 130
# Other kinds of FactmillError: _FAILED.
_CODES: dict[type[FactmillError], int] = {OptionError: 2, NoIndex: 2, NotPublished: 3, Locked: 4}


@dataclass(frozen=True, slots=True)
class OutputFormat:
    """What is for programs: standard output with `json`, standard error with `json_logs`."""

    json: bool = False
    json_logs: bool = False

    @classmethod
    def of(cls, arguments: Sequence[str]) -> OutputFormat:
        """Of arguments as they came, because those that cannot be parsed fail, too."""
        options = arguments[: arguments.index("--")] if "--" in arguments else arguments
        return cls("--json" in options, "--json-logs" in options)


def exit_code(
    program: str, run: Callable[[], int], output: OutputFormat, resumes: bool = False
) -> int:
    """Run a command. Its exit code; or 1 (it failed, with one line why), 2 (a wrong option, or no
    store), 3 (a build is whole, but not published), 4 (another build is running) or 130 (stopped
    by Ctrl-C). `resumes` says that the command goes on where it was stopped."""
    with json_logs() if output.json_logs else nullcontext():
        try:
            return run()
        except FactmillError as error:
            code = next((code for kind, code in _CODES.items() if isinstance(error, kind)), _FAILED)
            _print_failure(program, type(error).__name__, str(error), code, output)
            return code
        except BrokenPipeError:
            return _FAILED
        except KeyboardInterrupt:
            message = "stopped; run the same command again"
            if resumes:
                message = "stopped; what is done is kept, and the same command goes on"
            _print_failure(program, "Interrupted", message, _INTERRUPTED, output)
            return _INTERRUPTED


def _print_failure(program: str, kind: str, message: str, code: int, output: OutputFormat) -> None:
    # A message may quote paths and options, which anybody may have written.
    message = printable(" ".join(message.split()))
    if output.json:
        document = {"error": {"type": kind, "message": message, "exit_code": code}}
        print(json.dumps(document, ensure_ascii=False, indent=1))
    if logs_as_json():
        json_line("error", "failed", message=message, exit_code=code)
    else:
        print(f"{program}: {message}", file=sys.stderr)
