"""Items that a page describes in the vocabulary of schema.org, in any markup."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

# URLs of types and properties end in their name: "https://schema.org/Product", "og:title".
_BEFORE_NAME = re.compile(r"^.*[/#:]")


@dataclass(slots=True, eq=False)
class DataItem:
    """An item: its type ("Product", "" if not stated), and by property its texts and items, in
    order. Several properties may refer to one item, also in a circle.
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


def last_name(address: str) -> str:
    """The last part of a URL."""
    return _BEFORE_NAME.sub("", address.strip().rstrip("/#"))


def every_item(items: Iterable[DataItem], without: Collection[str] = ()) -> list[DataItem]:
    """All items, each once, including those in properties other than `without`."""
    found: dict[int, DataItem] = {}
    waiting = [*items][::-1]
    while waiting:
        item = waiting.pop()
        if id(item) not in found:
            found[id(item)] = item
            names = [name for name in item.properties if name not in without]
            waiting += reversed([one for name in names for one in item.items(name)])
    return list(found.values())
