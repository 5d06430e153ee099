"""Admission of requests: waits until the server is ready, its rate limit has passed, and the
circuit breaker is closed.

    not ready -> probes -> ready -> requests -> failures in a row -> breaker open -> probes -> ready
                 probes -> nothing for too long -> the calls fail -> for good, or later probes again

Deadlines of calls pause while the server is probed. Knows nothing of HTTP: the probe is passed in.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from factmill.models.llm.circuit_breaker import CircuitBreaker
from factmill.models.llm.deadlines import PausableDeadlines
from factmill.models.llm.rate_limit import RateLimit
from factmill.models.llm.readiness import wait_until_ready
from factmill.models.llm.retry_policy import RetryPolicy
from factmill.schemas.errors import FactmillError, ServerDown

_LOG = logging.getLogger("factmill.llm")
# No outage that is not final lasts longer, whatever wait the server asks for: it may be wrong.
_MAX_OUTAGE_SECONDS = 3600.0

Probe = Callable[[bool], Awaitable[bool]]


class Admission:
    """`probe(recovers)` says whether the server responds, and raises FactmillError when it never
    will. `recovers` is set if the server responded before, so that more than its readiness is in
    doubt.
    """

    def __init__(self, probe: Probe, policy: RetryPolicy, url: str) -> None:
        self.deadlines = PausableDeadlines()
        self._probe, self._policy, self._url = probe, policy, url
        self._breaker = CircuitBreaker()
        self._rate_limit = RateLimit()
        self._is_ready = False
        self._recoveries = 0  # since a request was answered that was not a probe
        self._probing: asyncio.Task[FactmillError | None] | None = None
        self._error: FactmillError | None = None
        self._outage: ServerDown | None = None  # the last one, if none is final
        self._outage_end = 0.0
        self._outages = 0  # since the server was ready, or answered
        self._ended: asyncio.Future[None] | None = None

    async def admit(self) -> None:
        """Wait until a request may be sent. Raises the error that ended everything, or the outage
        that lasts.
        """
        while True:
            _raise_again(self._error or self._current_outage())
            if not (self._is_ready and self._breaker.closed):
                if self._probing is None or self._probing.done():
                    self._probing = asyncio.create_task(self._probe_until_ready(self._is_ready))
                failed = await asyncio.shield(self._probing)
                _raise_again(self._error or failed)
            elif (seconds := self._rate_limit.seconds_left) > 0:
                await self.sleep(seconds)
            else:
                return

    async def sleep(self, seconds: float) -> None:
        """Sleep, but wake when everything has ended."""
        if self._ended is None:
            self._ended = asyncio.get_running_loop().create_future()
            if self._error is not None:
                self._ended.set_result(None)
        await asyncio.wait([self._ended], timeout=seconds)

    def record_success(self, is_probe: bool = False) -> None:
        """The server answered a request."""
        self._breaker.record_success()
        if not is_probe:
            self._recoveries = self._outages = 0

    def record_failure(self, why: str) -> None:
        """The server failed. If this opens the breaker, probes begin."""
        if self._breaker.record_failure(why) and self._is_ready:
            self._probing = asyncio.create_task(self._probe_until_ready(recovers=True))

    def defer(self, seconds: float) -> ServerDown | None:
        """The server asked all requests to wait. Returns an error if that is an outage."""
        is_final = self._policy.outage_is_final
        wait = seconds if is_final else min(seconds, _MAX_OUTAGE_SECONDS)
        self._rate_limit.defer(wait)
        if seconds <= self._policy.outage_seconds:
            return None
        down = ServerDown(f"the LLM server at {self._url} wants a wait of {seconds:,.0f} s")
        self._give_up(down, wait)
        return down

    def refuse(self, error: FactmillError) -> FactmillError:
        """The server refuses all requests: they fail for good, or, if that is not final, for a
        while. Returns the error to raise.
        """
        if self._policy.refusal_is_final:
            return self.end(error)
        _LOG.error("%s", error)
        down = ServerDown(str(error))
        self._outages += 1
        self._give_up(down, self._policy.backoff_after(self._outages))
        return down

    def end(self, error: FactmillError) -> FactmillError:
        """Admit no more requests: each gets this error (its message, in a new error). The first
        error stays.
        """
        if self._error is None:
            self._error = error
            if self._ended is not None:
                self._ended.set_result(None)
        return error

    async def close(self) -> None:
        """Stop probing."""
        if self._probing is not None:
            self._probing.cancel()
            await asyncio.wait([self._probing])

    def _seconds_before_probe(self) -> float:
        """None at first. If probes pass but requests fail, each probe costs money, so they become
        rarer; deadlines run on meanwhile, or calls would never give up.
        """
        backoff = self._policy.backoff_after(self._recoveries) if self._recoveries else 0.0
        return max(backoff, self._rate_limit.seconds_left, 0.0)

    def _current_outage(self) -> ServerDown | None:
        return self._outage if time.monotonic() < self._outage_end else None

    def _give_up(self, error: FactmillError, seconds: float) -> None:
        """Fail all calls: for good, or for some seconds."""
        if self._policy.outage_is_final or not isinstance(error, ServerDown):
            self.end(error)
        else:
            self._outage = error
            self._outage_end = max(self._outage_end, time.monotonic() + seconds)

    async def _probe_until_ready(self, recovers: bool) -> FactmillError | None:
        """Returns why the server is not ready, None once it is."""
        if recovers:
            await self.sleep(self._seconds_before_probe())
        self.deadlines.pause()
        self._breaker.begin_probe()
        error: FactmillError | None = None
        try:
            if not await wait_until_ready(
                lambda: self._probe(recovers), self._policy, self._rate_limit
            ):
                why = self._breaker.last_failure or f"nothing for {self._policy.outage_seconds:g} s"
                error = ServerDown(f"the LLM server at {self._url} does not answer: {why}")
        except FactmillError as failed:
            error = failed
        self._breaker.end_probe(succeeded=error is None)
        if error is not None and error is not self._outage:
            self._outages += 1
            self._give_up(error, self._policy.backoff_after(self._outages))
        elif error is None:
            self._is_ready, self._outages = True, 0
            self._recoveries += recovers
        if self._error is None:
            self.deadlines.resume()
        return error


def _raise_again(error: FactmillError | None) -> None:
    """Raise a new error like this one, which several calls get."""
    if error is not None:
        raise type(error)(str(error))
