"""Beam jobs, wiring only, and the command line over them and the runtime."""

import logging

# Beam warns of a package that it does not need, when it is imported. A job imports Beam before it
# can call `quiet_logs`.
logging.getLogger().addFilter(lambda record: "apitools not found" not in str(record.msg))
