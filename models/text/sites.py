"""The site a page belongs to."""

from __future__ import annotations

from urllib.parse import urlsplit


def site_of(url: str) -> str:
    """The site a URL belongs to: its host without "www.", or ""."""
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""
