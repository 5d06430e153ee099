"""Lines on standard error beside a command's result: text for people, or JSON for programs.

An environment variable selects the format, because worker processes on this machine inherit it.
"""

from __future__ import annotations

import json
import os
import sys
from datetime import datetime, timezone

from factmill.transforms.report.untrusted_text import printable

# Set to "json" for one JSON object a line.
FORMAT = "FACTMILL_LOG_FORMAT"


def logs_as_json() -> bool:
    """Whether standard error is for programs."""
    return os.environ.get(FORMAT) == "json"


def json_line(level: str, event: str, **fields: object) -> None:
    """Write one line in a single write, so that lines of several processes do not mix."""
    time = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
    line = json.dumps({"time": time, "level": level, "event": event, **fields}, default=str)
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def warn(stage: str, message: str) -> None:
    """Print a one-line warning."""
    # A message may quote paths and names, which are untrusted.
    message = printable(" ".join(message.split()))
    if logs_as_json():
        json_line("warning", "warning", stage=stage, message=message)
    else:
        print(f"{stage}: {message}", file=sys.stderr)
