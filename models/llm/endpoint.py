"""The address and limits of an LLM server. The key is not here: it stays in the environment."""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from factmill.models.llm.retry_policy import RetryPolicy
from factmill.schemas.errors import OptionError

KEY_VARIABLE = "OPENAI_API_KEY"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model on an OpenAI-compatible server, and limits for calling it.

    `url` ends before `/chat/completions`; at most `in_flight` requests run concurrently.

    Raises OptionError for invalid values.
    """

    url: str
    model: str
    in_flight: int = 32
    retry: RetryPolicy = field(default_factory=RetryPolicy)

    def __post_init__(self) -> None:
        parts = _split_url(self.url)
        if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname:
            raise self._no_address()
        if "@" in parts.netloc or parts.query or parts.fragment:
            raise OptionError(
                "the address of an LLM server must have no password and no query; "
                f"give the key in {KEY_VARIABLE}"
            )
        if not _is_accepted(self.url):
            raise self._no_address()
        if not self.model:
            raise OptionError("the name of the LLM is missing")
        if self.in_flight < 1:
            raise OptionError("the number of concurrent requests must be at least 1")

    def _no_address(self) -> OptionError:
        shown = self.url.rpartition("@")[2][:200]
        return OptionError(f"not the http(s) address of a server: {shown!r}")

    @property
    def is_local(self) -> bool:
        """Whether the server is on this machine, where proxies do not apply."""
        parts = _split_url(self.url)
        host = parts.hostname if parts else None
        try:
            return host == "localhost" or ip_address(host or "").is_loopback
        except ValueError:
            return False


def _is_accepted(url: str) -> bool:
    """Whether the HTTP client takes the URL; true where it is not installed."""
    try:
        # Imported late: slow to import, and part of an extra.
        from httpx2 import URL, InvalidURL
    except ImportError:
        return True
    try:
        URL(f"{url}/chat/completions")
    except InvalidURL:
        return False
    return True


def _split_url(url: str) -> SplitResult | None:
    """The parts of a valid URL."""
    if not url.isprintable() or " " in url:  # `urlsplit` drops some of these
        return None
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return parts
