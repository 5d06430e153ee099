"""The command `factmill`, and `python -m factmill`: where the process starts."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line. Ctrl-C ends it with one line, also while its code is being imported."""
    try:
        from factmill.pipelines.cli.main import main as run

        return run()
    except KeyboardInterrupt:
        print("factmill: stopped", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
