"""Exit codes of commands, and the one line that a failed command prints.

With `--json`, standard output gets the failure as a document as well, with one shape for all
commands:

    {"error": {"type": "NoIndex", "message": "store: nothing is published there", "exit_code": 2}}

`type` is a class of `schemas/errors.py`, or "Interrupted".
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass

from factmill.pipelines.cli.standard_output import takes_unicode
from factmill.pipelines.progress.quiet_logs import json_logs
from factmill.schemas.errors import FactmillError, Locked, NoIndex, NotPublished, OptionError
from factmill.transforms.report.untrusted_text import printable
from factmill.transforms.tasks.notices import json_line, logs_as_json

_FAILED, _INTERRUPTED = 1, 130
# Every other FactmillError: _FAILED.
_CODES: dict[type[FactmillError], int] = {OptionError: 2, NoIndex: 2, NotPublished: 3, Locked: 4}


@dataclass(frozen=True, slots=True)
class OutputFormat:
    """Whether programs read the output: `json` for standard output, `json_logs` for standard
    error.
    """

    json: bool = False
    json_logs: bool = False

    @classmethod
    def of(cls, arguments: Sequence[str]) -> OutputFormat:
        """Read from the raw arguments, because arguments that cannot be parsed fail too. The
        standard output of `mcp` is for its protocol alone.
        """
        options = list(arguments[: arguments.index("--")] if "--" in arguments else arguments)
        return cls("--json" in options and options[:1] != ["mcp"], "--json-logs" in options)


def exit_code(
    program: str, run: Callable[[], int], output: OutputFormat, resumes: bool = False
) -> int:
    """Run a command and return its exit code; or 1 (failed), 2 (wrong option or no store), 3 (build
    complete but not published), 4 (another build is running) or 130 (stopped by Ctrl-C), after
    printing one line with the reason. `resumes` says that a rerun continues where this one stopped.
    """
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
    # A message may quote paths and options, which are untrusted.
    message = printable(" ".join(message.split()))
    if output.json:
        document = {"error": {"type": kind, "message": message, "exit_code": code}}
        with suppress(OSError):  # the line says what is wrong with standard output
            print(json.dumps(document, ensure_ascii=not takes_unicode(), indent=1), flush=True)
    if logs_as_json():
        json_line("error", "failed", message=message, exit_code=code)
    else:
        print(f"{program}: {message}", file=sys.stderr)
