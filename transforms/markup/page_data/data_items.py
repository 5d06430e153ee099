"""Items that a page describes in the vocabulary of schema.org, in any markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

# URLs of types and properties end in their name: "https://schema.org/Product", "og:title".
_BEFORE_NAME = re.compile(r"^.*[/#:]")


@dataclass(slots=True)
class DataItem:
    """An item: its type ("Product", "" if not stated), and by property its texts and items, in
    order.
    """

    kind: str
    properties: dict[str, list[str | DataItem]] = field(default_factory=dict)

    def add(self, name: str, value: str | DataItem) -> None:
        self.properties.setdefault(name, []).append(value)

    def texts(self, name: str) -> list[str]:
        """The texts of a property; for items, their names."""
        found = []
        for value in self.properties.get(name, ()):
            text = value if isinstance(value, str) else value.text("name")
            if text:
                found.append(text)
        return found

    def text(self, name: str) -> str:
        """The first text of a property, or ""."""
        return next(iter(self.texts(name)), "")

    def items(self, name: str) -> list[DataItem]:
        """The items of a property."""
        return [one for one in self.properties.get(name, ()) if isinstance(one, DataItem)]

    def within(self) -> Iterator[DataItem]:
        """The item and all items nested in it."""
        yield self
        for values in self.properties.values():
            for value in values:
                if isinstance(value, DataItem):
                    yield from value.within()


def last_name(address: str) -> str:
    """The last part of a URL."""
    return _BEFORE_NAME.sub("", address.strip().rstrip("/#"))


def every_item(items: Iterable[DataItem]) -> list[DataItem]:
    """All items, including nested ones."""
    return [one for item in items for one in item.within()]
