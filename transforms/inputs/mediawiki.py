"""MediaWiki XML dumps as raw pages: the articles' latest revisions as plain text.

The file is read as a stream and nothing of it is kept in memory. A dump is one split.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import lxml.etree

from factmill.models.text.urls import canonical_url_of
from factmill.schemas.records import Reject
from factmill.transforms.inputs.compression import DAMAGED, open_bytes
from factmill.transforms.inputs.raw_page import (
    MAX_PAGE_BYTES,
    RawPage,
    clean_id,
    clean_title,
    unreadable,
)
from factmill.transforms.inputs.timestamps import utc_time
from factmill.transforms.inputs.wikitext import wikitext_to_text
from factmill.transforms.inputs.xml_stream import streamed_elements

_KINDS = ("siteinfo", "revision", "page")
_ARTICLES = "0"
_FILES_AND_CATEGORIES = ("6", "14")
# Every wiki knows these names besides its own.
_ALWAYS_DROPPED = frozenset({"file", "image", "category"})
_URL_SAFE = "/:@!$*(),;~"  # characters that MediaWiki does not escape


@dataclass(frozen=True, slots=True)
class _Wiki:
    """The site information in a dump's head: the URL of articles, and the names of namespaces."""

    prefix: str = ""
    dropped: frozenset[str] = _ALWAYS_DROPPED


@dataclass(frozen=True, slots=True)
class _Revision:
    timestamp: str
    model: str
    text: str


def read_mediawiki(path: Path, name: str) -> Iterator[RawPage | Reject]:
    """The pages of a dump. A truncated dump yields the pages before its end and one reject."""
    seen = 0
    try:
        with open_bytes(path) as stream:
            site, latest = _Wiki(), None
            for kind, element in streamed_elements(stream, _KINDS, "page"):
                if kind == "siteinfo":
                    site = _site(element)
                elif kind == "revision":
                    revision = _revision(element)
                    if latest is None or revision.timestamp >= latest.timestamp:
                        latest = revision
                else:
                    seen += 1
                    yield _page(element, latest, site, f"{name}:{_child(element, 'id') or seen}")
                    latest = None
    except (*DAMAGED, lxml.etree.LxmlError) as error:
        yield unreadable(name, "broken_file", f"after page {seen}: {error}")


def _child(element: Any, name: str) -> str:
    found = element.find(f"{{*}}{name}")
    return "" if found is None else (found.text or "").strip()


def _site(element: Any) -> _Wiki:
    base = _child(element, "base")
    stem, title, _ = base.rpartition("title=")
    prefix = stem + title if title else base.rpartition("/")[0] + "/"
    names = {
        (one.text or "").strip().lower()
        for one in element.iter("{*}namespace")
        if one.get("key") in _FILES_AND_CATEGORIES
    }
    return _Wiki(prefix if len(prefix) > 1 else "", _ALWAYS_DROPPED | (names - {""}))


def _revision(element: Any) -> _Revision:
    text = element.find("{*}text")
    return _Revision(
        _child(element, "timestamp"),
        _child(element, "model"),
        "" if text is None else text.text or "",
    )


def _page(element: Any, latest: _Revision | None, site: _Wiki, record_id: str) -> RawPage | Reject:
    record_id = clean_id(record_id)
    title = clean_title(_child(element, "title"))
    path = quote(title.replace(" ", "_"), safe=_URL_SAFE)
    url = canonical_url_of(clean_id(site.prefix) + path) if site.prefix and path else ""
    namespace, redirect = _child(element, "ns"), element.find("{*}redirect")
    if namespace not in ("", _ARTICLES):
        return unreadable(record_id, "not_a_page", f"namespace {namespace}", url)
    if redirect is not None:
        return unreadable(record_id, "redirect", f"to {redirect.get('title')}", url)
    if latest is None or not latest.text.strip():
        return unreadable(record_id, "empty_body", "no text in the latest revision", url)
    if latest.model not in ("", "wikitext"):
        return unreadable(record_id, "not_html", f"{latest.model}, not wikitext", url)
    if len(latest.text) > MAX_PAGE_BYTES:
        return unreadable(record_id, "too_large", f"over {MAX_PAGE_BYTES} characters", url)
    text = wikitext_to_text(latest.text, site.dropped)
    if not text:
        return unreadable(record_id, "empty_body", "only templates, tables and the like", url)
    return RawPage(record_id, url, title, text=text, fetched_at=utc_time(latest.timestamp))
