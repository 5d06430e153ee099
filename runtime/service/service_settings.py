"""Settings of a service. Plain data, which is also sent to worker processes."""

from __future__ import annotations

from dataclasses import dataclass, field

from factmill.runtime.answers.question_llm import AnswerSettings
from factmill.runtime.follow import FollowCheck


@dataclass(frozen=True, slots=True)
class ServiceLimits:
    """Limits on requests, per process.

    `body_bytes` (`mcp_body_bytes` to `/mcp`, where all arguments are short) and `body_seconds`
    bound what a client sends, `header_seconds` how long it may take
    to begin, and to read the next part of a long response, `connections` the number of connections.
    `requests` is the number of concurrent requests, `requests_a_client` that of one address.
    `searches` run at once; with those that wait they are at most `requests`, each for
    `search_seconds`. `stop_seconds` is how long running requests get when the service stops.
    """

    body_bytes: int = 1_000_000
    mcp_body_bytes: int = 65_536
    body_seconds: float = 10.0
    header_seconds: float = 10.0
    connections: int = 1000
    requests: int = 64
    requests_a_client: int = 32
    searches: int = 2
    search_seconds: float = 10.0
    stop_seconds: float = 30.0


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """A store and how it is served. With `tokens`, requests must carry one of them; `hosts` are
    allowed names in `Host` beside localhost and addresses, "*" for any; `log_queries` logs what
    people ask.
    """

    store: str
    answers: AnswerSettings = field(default_factory=AnswerSettings)
    limits: ServiceLimits = field(default_factory=ServiceLimits)
    tokens: tuple[str, ...] = field(default=(), repr=False)
    hosts: tuple[str, ...] = ()
    log_queries: bool = False
    check: FollowCheck = "auto"
    reload_seconds: float = 1.0
