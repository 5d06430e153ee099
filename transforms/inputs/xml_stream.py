"""Reads the elements of an XML file one by one, so memory is bounded by one element.

Entities declared in the file are never expanded, nothing is fetched, and an element has a maximum
size, and a maximum of elements and attributes, of which a byte of the file makes 60 in memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import lxml.etree

from factmill.transforms.inputs.raw_page import MAX_PAGE_BYTES

# A page and its markup: a character has up to four bytes, and six where it is escaped.
_MAX_ELEMENT_BYTES = 6 * MAX_PAGE_BYTES
# What begins elements and attributes, also within text. Wikitext is escaped, so pages have few.
_MARK = re.compile(rb"<(?!/)|=[ \t\r\n]{0,20}[\"']")
_MAX_MARKS = 300_000


def streamed_elements(
    stream: Any, kinds: tuple[str, ...], record: str
) -> Iterator[tuple[str, Any]]:
    """Elements with these names, in any namespace, as they end; each is emptied before the next.
    Elements before a `record` element are dropped with it. Raises lxml.etree.LxmlError, and OSError
    for an element that is too large or has too many others.
    """
    reads = _BoundedReads(stream)
    events = lxml.etree.iterparse(
        reads,
        tag=tuple(f"{{*}}{kind}" for kind in kinds),
        resolve_entities=False,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
        huge_tree=True,  # else it ends at a text of 10 MB
    )
    for _, element in events:
        reads.new_element()
        kind = lxml.etree.QName(element).localname
        yield kind, element
        element.clear()
        while kind == record and element.getprevious() is not None:
            del element.getparent()[0]


class _BoundedReads:
    """A stream that fails when an element does not end within the maximum size and number of
    marks.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.new_element()

    def new_element(self) -> None:
        """Count from here on."""
        self._bytes = self._marks = 0

    def read(self, size: int) -> bytes:
        found: bytes = self._stream.read(size)
        self._bytes += len(found)
        self._marks += len(_MARK.findall(found))
        if self._bytes > _MAX_ELEMENT_BYTES:
            raise OSError(f"an element over {_MAX_ELEMENT_BYTES} bytes")
        if self._marks > _MAX_MARKS:
            raise OSError(f"an element with over {_MAX_MARKS} others and attributes")
        return found
