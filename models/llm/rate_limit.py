"""The server's rate limit: its Retry-After header holds all requests back."""

from __future__ import annotations

import math
import time
from email.utils import parsedate_to_datetime

# Seconds beyond this are the time since 1970: some gateways send the moment, not the wait.
_SECONDS_OF_MOMENTS = 1e9


def retry_after_seconds(header: str | None) -> float | None:
    """The wait that a Retry-After header asks for, given in seconds, as a date (RFC 9110,
    10.2.3), or as seconds since 1970; None when it is missing or unusable.
    """
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(header).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return None
    if seconds > _SECONDS_OF_MOMENTS:
        seconds -= time.time()
    return max(0.0, seconds) if math.isfinite(seconds) else None


class RateLimit:
    """The time before which no request may be sent. It only moves forward."""

    def __init__(self) -> None:
        self._until = 0.0

    def defer(self, seconds: float) -> None:
        """Send no request for `seconds` from now."""
        self._until = max(self._until, time.monotonic() + seconds)

    @property
    def seconds_left(self) -> float:
        """Seconds until requests may be sent; 0 or less if they may."""
        return self._until - time.monotonic()
