"""Logging: silence unless something is wrong. Call before Beam is imported, which is talkative."""

from __future__ import annotations

import logging


def quiet_logs() -> None:
    """Only errors are logged, in this process.

    Libraries report optional packages they did not find and workers their every step; what factmill
    has to say it says through its own errors and counts.
    """
    logging.disable(logging.WARNING)
    # What it logs of a failed job is in the error that it raises as well.
    logging.getLogger("apache_beam").setLevel(logging.CRITICAL)
    # Calls a page without text an error; here it is a reject.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
