"""Reads the elements of an XML file one by one, so memory is bounded by one element.

Entities declared in the file are never expanded, nothing is fetched, and an element has a maximum
size.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import lxml.etree

from factmill.transforms.inputs.raw_page import MAX_PAGE_BYTES

# A page and its markup: a character has up to four bytes, and six where it is escaped.
_MAX_ELEMENT_BYTES = 6 * MAX_PAGE_BYTES


def streamed_elements(
    stream: Any, kinds: tuple[str, ...], record: str
) -> Iterator[tuple[str, Any]]:
    """Elements with these names, in any namespace, as they end; each is emptied before the next.
    Elements before a `record` element are dropped with it. Raises lxml.etree.LxmlError, and OSError
    for an element that is too large.
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
        reads.since_element = 0
        kind = lxml.etree.QName(element).localname
        yield kind, element
        element.clear()
        while kind == record and element.getprevious() is not None:
            del element.getparent()[0]


class _BoundedReads:
    """A stream that fails when an element does not end within the maximum size."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.since_element = 0

    def read(self, size: int) -> bytes:
        found: bytes = self._stream.read(size)
        self.since_element += len(found)
        if self.since_element > _MAX_ELEMENT_BYTES:
            raise OSError(f"an element over {_MAX_ELEMENT_BYTES} bytes")
        return found
