"""Sitemaps among the input files: the URL and date of each file of a folder.

A sitemap applies to its own folder: a URL's path is looked up below the sitemap's folder, with or
without the extension; a folder's page is its `index` file. So a sitemap index need not be read,
because the sitemaps it names lie beside it. No file is opened because a sitemap names it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote

import lxml.etree

from factmill.models.text.urls import canonical_url_of
from factmill.schemas.records import Reject
from factmill.schemas.storage.paths import as_storage_path, local_copy
from factmill.transforms.inputs.compression import DAMAGED, open_bytes, plain_name
from factmill.transforms.inputs.raw_page import clean_id, unreadable
from factmill.transforms.inputs.timestamps import utc_time
from factmill.transforms.inputs.xml_stream import streamed_elements

_BROKEN = (*DAMAGED, lxml.etree.LxmlError)
_MAX_LOCATIONS = 50_000  # the protocol's own limit
_MAX_LINE_BYTES = 1 << 16
_EXTENSIONS = (".html", ".htm", ".xhtml", ".shtml", ".md", ".markdown", ".txt")
_AS_FILE = ("", *_EXTENSIONS)
_AS_INDEX = tuple(f"/index{extension}" for extension in _EXTENSIONS)
_WEB = ("http://", "https://")


@dataclass(frozen=True, slots=True)
class Location:
    """The URL of a file on the web, and its date."""

    url: str = ""
    modified: datetime | None = None


def read_sitemap(path: Path, name: str) -> Iterator[Reject]:
    """A sitemap has no pages; a damaged one is a reject."""
    try:
        for _ in _locations(path):
            pass
    except _BROKEN as error:
        yield unreadable(name, "broken_file", error)


def locate(sitemaps: Sequence[str], pages: Sequence[str]) -> dict[str, Location]:
    """The locations of page files, by path. The sitemap nearest to a file wins."""
    by_name = {plain_name(page): page for page in sorted(pages, reverse=True)}
    found: dict[str, Location] = {}
    for sitemap in sorted(sitemaps, key=lambda path: (-path.count(os.sep), path)):
        for page, location in _best_match(sitemap, by_name).items():
            found.setdefault(page, location)
    return found


def _best_match(sitemap: str, by_name: Mapping[str, str]) -> dict[str, Location]:
    """The files of the locations, with URL paths relative to the site, to the folder of the
    sitemap, or to the host's name: whichever matches most files.
    """
    locations = []
    try:
        for location in islice(_locations(local_copy(as_storage_path(sitemap))), _MAX_LOCATIONS):
            locations.append(location)
    except _BROKEN:
        pass  # it is rejected when it is read as an input
    prefix = os.path.join(os.path.dirname(sitemap), "")
    hosts_and_paths = [_host_and_path(location.url) for location in locations]
    depth = _common_folder(path for _, path in hosts_and_paths)
    layouts = (
        [path for _, path in hosts_and_paths],
        [path[depth:] for _, path in hosts_and_paths],
        [f"{host}/{path}" for host, path in hosts_and_paths],
    )
    matches = []
    for layout in layouts:
        match: dict[str, Location] = {}
        for path, location in zip(layout, locations, strict=True):
            if (page := _page_at(prefix, path, by_name)) is not None:
                match.setdefault(page, location)
        matches.append(match)
    return max(matches, key=len)


def _host_and_path(url: str) -> tuple[str, str]:
    """Host and path of a canonical URL; the path is decoded and has no leading slash."""
    host, _, path = url.partition("://")[2].partition("/")
    return host, unquote(path.partition("#")[0])


def _common_folder(paths: Iterable[str]) -> int:
    """The length of the folder that all paths share."""
    depth = 0
    for names in zip(*(path.split("/")[:-1] for path in paths), strict=False):
        if len(set(names)) > 1:
            break
        depth += len(names[0]) + 1
    return depth


def _page_at(prefix: str, path: str, by_name: Mapping[str, str]) -> str | None:
    """The file of a path below a folder, whose name and separator are the prefix."""
    stem = path.rstrip("/")
    if not stem:
        return _first(f"{prefix}index", _EXTENSIONS, by_name)
    start = prefix + stem
    if path.endswith("/"):
        return _first(start, _AS_INDEX, by_name) or _first(start, _AS_FILE, by_name)
    bare, extension = os.path.splitext(stem)
    as_source = _EXTENSIONS if extension in _EXTENSIONS else ()
    return (
        _first(start, _AS_FILE, by_name)
        or _first(prefix + bare, as_source, by_name)
        or _first(start, _AS_INDEX, by_name)
    )


def _first(start: str, endings: Sequence[str], by_name: Mapping[str, str]) -> str | None:
    for ending in endings:
        if (page := by_name.get(start + ending)) is not None:
            return page
    return None


def _locations(path: Path) -> Iterator[Location]:
    with open_bytes(path) as stream:
        is_text = plain_name(path.name.lower()).endswith(".txt")
        for url, modified in _lines(stream) if is_text else _elements(stream):
            if url.lower().startswith(_WEB):
                yield Location(canonical_url_of(clean_id(url)), utc_time(modified))


def _lines(stream: BinaryIO) -> Iterator[tuple[str, str]]:
    while line := stream.readline(_MAX_LINE_BYTES):
        yield line.decode("utf-8", "replace").strip(), ""


def _elements(stream: BinaryIO) -> Iterator[tuple[str, str]]:
    for _, element in streamed_elements(stream, ("url",), "url"):
        yield (
            (element.findtext("{*}loc") or "").strip(),
            (element.findtext("{*}lastmod") or "").strip(),
        )
