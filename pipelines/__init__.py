"""Beam jobs, wiring only, and the command line over them and the runtime."""

import logging
import sys

# Beam warns of a package that it does not need, when it is imported. A job imports Beam before it
# can call `quiet_logs`.
logging.getLogger().addFilter(lambda record: "apitools not found" not in str(record.msg))

if sys.argv[:1] == ["-m"]:  # Python looks for the module that it will run
    from factmill.pipelines.cli.import_failures import report_in_one_line

    _asked = sys.orig_argv[sys.orig_argv.index("-m") + 1] if "-m" in sys.orig_argv else ""
    report_in_one_line(_asked or "factmill.pipelines")
