"""Reads the elements of an XML file one by one, so memory is bounded by one element.

Entities declared in the file are never expanded, and nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import lxml.etree


def streamed_elements(
    stream: Any, kinds: tuple[str, ...], record: str
) -> Iterator[tuple[str, Any]]:
    """Elements with these names, in any namespace, as they end; each is emptied before the next.
    Elements before a `record` element are dropped with it. Raises lxml.etree.LxmlError.
    """
    events = lxml.etree.iterparse(
        stream,
        tag=tuple(f"{{*}}{kind}" for kind in kinds),
        resolve_entities=False,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
    )
    for _, element in events:
        kind = lxml.etree.QName(element).localname
        yield kind, element
        element.clear()
        while kind == record and element.getprevious() is not None:
            del element.getparent()[0]
