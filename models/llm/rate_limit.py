"""Rate limiting by the server: the header Retry-After, which holds all requests back."""

from __future__ import annotations

import math
import time
from email.utils import parsedate_to_datetime


def retry_after_seconds(header: str | None) -> float | None:
    """The seconds that the header Retry-After asks for, in seconds or as a date (RFC 9110, 10.2.3);
    None when there is none or it says nothing usable."""
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(header).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


class RateLimit:
    """The time before which no request may be sent. Only ever moves on."""

    def __init__(self) -> None:
        self._until = 0.0

    def defer(self, seconds: float) -> None:
        """No request for so many seconds from now."""
        self._until = max(self._until, time.monotonic() + seconds)

    @property
    def seconds_left(self) -> float:
        """0 or less when requests may be sent."""
        return self._until - time.monotonic()
