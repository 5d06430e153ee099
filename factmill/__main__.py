"""`python -m factmill`: the command line."""

import sys

from factmill.pipelines.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
