"""What the flex template's launcher runs: factmill as it is installed in the image."""

import sys

from pipelines.template import main

if __name__ == "__main__":
    sys.exit(main())
