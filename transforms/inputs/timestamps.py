"""Parses timestamps of inputs."""

from __future__ import annotations

from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any


def utc_time(value: Any) -> datetime | None:
    """The time of a timestamp, ISO 8601 or HTTP date, in UTC; None for anything else."""
    parsed: datetime | None = None
    if isinstance(value, datetime):
        parsed = value
    elif isinstance(value, str) and value.strip():
        for parse in (datetime.fromisoformat, parsedate_to_datetime):
            try:
                parsed = parse(value.strip().replace("Z", "+00:00"))
                break
            except (ValueError, TypeError, IndexError, OverflowError):
                continue
    if parsed is None:
        return None
    aware = parsed if parsed.tzinfo else parsed.replace(tzinfo=timezone.utc)
    try:
        return aware.astimezone(timezone.utc)
    except OverflowError:  # the first or last hours of the calendar
        return None
