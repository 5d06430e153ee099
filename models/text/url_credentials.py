"""Removes user names and passwords from URLs; they are never stored."""

from __future__ import annotations

import re

# User name and password in other spellings: "ftp://user:pw@host", "//user:pw@host",
# "http:user:pw@host". Without a colon between them it may be an address: "mailto:a@example.com".
# Slashes that follow go too, so that nothing in front of the next "@" becomes a user name.
_CREDENTIALS = re.compile(
    r"^((?:[a-z][a-z0-9+.\-]*:)?[/\\]{2,}|https?:[/\\]?|ftps?:[/\\]?)(?:[^/?#\\]*@[/\\]*)+",
    re.IGNORECASE,
)


def without_credentials(url: str) -> str:
    """The URL, or text like a URL, without user name and password."""
    return _CREDENTIALS.sub(r"\1", url)
