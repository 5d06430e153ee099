"""The command `factmill`, and `python -m factmill`: where the process starts."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Run the command line. Ctrl-C ends it with one line, also while its code is being imported."""
    try:
        from factmill.pipelines.cli.main import main as run

        code = run()
    except KeyboardInterrupt:
        print("factmill: stopped", file=sys.stderr)
        return 130
    except SystemExit as end:  # --help and --version
        code = int(end.code or 0)
    lost = _flush_output(silent=code != 0)
    return code or lost


def _flush_output(silent: bool) -> int:
    """Write what is left of standard output. 1 when it cannot be written: because nobody reads it
    any more, which needs no word, or with one line why, unless `silent`."""
    if sys.stdout is None:  # closed from the beginning
        return 0
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        pass
    except OSError as error:
        if not silent:
            print(f"factmill: standard output: {error.strerror}", file=sys.stderr)
    else:
        return 0
    # Else Python tries again when it ends, and prints that this failed.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1


if __name__ == "__main__":
    sys.exit(main())
