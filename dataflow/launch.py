"""What the flex template's launcher runs: factmill as it is installed in the image."""

import sys

from factmill.pipelines.runners.flex_template import main

if __name__ == "__main__":
    sys.exit(main())
