"""Where an LLM is asked, and how patiently. The key is not here: it stays in the environment."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from factmill.schemas.errors import OptionError

KEY_VARIABLE = "OPENAI_API_KEY"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model behind an OpenAI-compatible server, and the limits of asking it.

    `url` ends before `/chat/completions`. A request is given up after `request_seconds`, a call
    with all its repetitions after `deadline_seconds` (counted from its first request) or
    `attempts` failed requests, the build after the server answered nobody for `patience_seconds`.
    Waits between repetitions begin at `backoff_seconds` and double up to `backoff_limit`.

    Raises OptionError when a value makes no sense.
    """

    url: str
    model: str
    in_flight: int = 32
    request_seconds: float = 120.0
    deadline_seconds: float = 900.0
    patience_seconds: float = 300.0
    attempts: int = 8
    backoff_seconds: float = 0.5
    backoff_limit: float = 30.0

    def __post_init__(self) -> None:
        parts = _parts(self.url)
        if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname:
            shown = self.url.rpartition("@")[2][:200]
            raise OptionError(f"not the http(s) address of a server: {shown!r}")
        if "@" in parts.netloc or parts.query or parts.fragment:
            raise OptionError(
                "the address of an LLM server carries no password and no query; "
                f"a key is given in {KEY_VARIABLE}"
            )
        if not self.model:
            raise OptionError("the name of the LLM is missing")
        if self.in_flight < 1 or self.attempts < 1:
            raise OptionError("at least one request in flight and one attempt are needed")
        if min(self.request_seconds, self.deadline_seconds, self.patience_seconds) <= 0:
            raise OptionError("the seconds that an LLM is given must be more than 0")
        if min(self.backoff_seconds, self.backoff_limit) <= 0:
            raise OptionError("the seconds between requests to an LLM must be more than 0")

    @property
    def is_local(self) -> bool:
        """The server runs on this machine, where no proxy leads."""
        parts = _parts(self.url)
        host = parts.hostname if parts else None
        try:
            return host == "localhost" or ip_address(host or "").is_loopback
        except ValueError:
            return False


def _parts(url: str) -> SplitResult | None:
    """What an address consists of, when it is one."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return parts
