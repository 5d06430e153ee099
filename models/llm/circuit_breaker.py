"""A circuit breaker: after several failures in a row no request is sent until the server responds
again.

    closed      requests pass; failures in a row are counted
    open        no request passes
    half_open   one probe passes; its success closes the breaker

(Nygard, Release It!, 2007.) A state machine: knows nothing of clocks, tasks or HTTP.
"""

from __future__ import annotations

from typing import Literal

# More failures in a row than a healthy server causes, and fewer than one call may have. An
# unnecessary probe costs a few tokens.
FAILURE_THRESHOLD = 5

State = Literal["closed", "open", "half_open"]


class CircuitBreaker:
    """Starts closed. `last_failure` says why the latest request failed."""

    def __init__(self, failure_threshold: int = FAILURE_THRESHOLD) -> None:
        self.state: State = "closed"
        self.last_failure = ""
        self._failure_threshold = failure_threshold
        self._failures_in_a_row = 0

    @property
    def closed(self) -> bool:
        """Whether requests pass."""
        return self.state == "closed"

    def record_success(self) -> None:
        """A request was answered. This does not close an open breaker: the request may have been
        sent before it opened.
        """
        self._failures_in_a_row = 0

    def record_failure(self, why: str) -> bool:
        """A request failed. Returns True if this opened the breaker."""
        self.last_failure = why
        self._failures_in_a_row += 1
        opens = self.closed and self._failures_in_a_row >= self._failure_threshold
        if opens:
            self.state = "open"
        return opens

    def begin_probe(self) -> None:
        """Open to half open."""
        self.state = "half_open"

    def end_probe(self, succeeded: bool) -> None:
        """Half open to closed, or to open again."""
        self.state = "closed" if succeeded else "open"
        if succeeded:
            self._failures_in_a_row = 0
