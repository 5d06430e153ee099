"""How often and how long a request to an LLM is retried."""

from __future__ import annotations

from dataclasses import dataclass

from factmill.schemas.errors import OptionError


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """A request is given up after `request_seconds`; a call with all its retries after
    `deadline_seconds` from its first request, or after `max_attempts` failed requests; the server
    when it did not respond, or asks to wait, for `outage_seconds`: for good if `outage_is_final`,
    as a build wants it, else for a while; likewise, with `refusal_is_final`, a server that refuses
    the key, the model, the address or all unpaid requests. Waits between retries, and such whiles,
    begin at `backoff_seconds` and double up to `max_backoff_seconds`.

    Raises OptionError for invalid values.
    """

    request_seconds: float = 120.0
    deadline_seconds: float = 900.0
    outage_seconds: float = 300.0
    max_attempts: int = 8
    backoff_seconds: float = 0.5
    max_backoff_seconds: float = 30.0
    outage_is_final: bool = True
    refusal_is_final: bool = True

    def backoff_after(self, repetitions: int) -> float:
        """Our own longest wait after this many retries, counted from 1."""
        doublings = min(repetitions - 1, 60)  # more would not be a float
        return min(self.backoff_seconds * 2.0**doublings, self.max_backoff_seconds)

    def __post_init__(self) -> None:
        if self.max_attempts < 1:
            raise OptionError("the attempts at a request to an LLM must be at least 1")
        if min(self.request_seconds, self.deadline_seconds, self.outage_seconds) <= 0:
            raise OptionError("the time limits of requests to an LLM must be more than 0")
        if min(self.backoff_seconds, self.max_backoff_seconds) <= 0:
            raise OptionError("the seconds between requests to an LLM must be more than 0")
