"""Items in a page's JSON-LD scripts."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator

from lxml.html import HtmlElement

from factmill.transforms.markup.decoding import decode_html
from factmill.transforms.markup.page_data.data_items import DataItem, last_name

# Bounds on time and memory: larger scripts are skipped, and deeper or longer data is truncated.
_MAX_SCRIPT = 1_000_000
_MAX_DEPTH = 8
_MAX_VALUES = 3000
MAX_VALUE_CHARACTERS = 5000
_WRAPPING = re.compile(r"<!\[CDATA\[|\]\]>|<!--|-->")
_AROUND = " \t\r\n/*;"
_TRAILING_COMMA = re.compile(r",(?=\s{0,100}[\]}])")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")


def json_ld_items(tree: HtmlElement) -> list[DataItem]:
    """The top-level items of all scripts, including those of `@graph`. Broken scripts have none."""
    found: list[DataItem] = []
    reader = _JsonReader(_MAX_VALUES)
    for script in tree.iter("script"):
        text = script.text or ""
        if "ld+json" not in (script.get("type") or "").lower() or len(text) > _MAX_SCRIPT:
            continue
        data = _parsed(text)
        found += [one for one in reader.values(data, 0) if isinstance(one, DataItem)]
    reader.resolve()
    return found


def _parsed(text: str) -> object:
    """The data of a script, or None. Some scripts have it in a comment or in CDATA, with a
    semicolon behind it, or with a comma behind the last value."""
    inner = _WRAPPING.sub("", text).strip(_AROUND)
    for script in (text, inner, _TRAILING_COMMA.sub("", inner)):
        try:
            return json.loads(script, strict=False)
        except (ValueError, RecursionError):
            continue
    return None


def plain_text(text: str) -> str:
    """A text of structured data, which may contain HTML, on one line."""
    return " ".join(_TAG.sub(" ", html.unescape(text[:MAX_VALUE_CHARACTERS])).split())


class _JsonReader:
    """Turns parsed JSON into items; `left` is how many more values it accepts.

    `named` are the items with a name by their `@id`, and `references` the properties that have
    nothing but such an id.
    """

    def __init__(self, left: int) -> None:
        self.left = left
        self.named: dict[str, DataItem] = {}
        self.references: list[tuple[DataItem, str, str]] = []

    def resolve(self) -> None:
        """Add the items that properties refer to, behind the properties' other values."""
        for item, name, identifier in self.references:
            if identifier in self.named:
                item.add(name, self.named[identifier])

    def values(self, data: object, depth: int) -> Iterator[str | DataItem]:
        """The texts and items of a value."""
        self.left -= 1
        if self.left < 0 or depth > _MAX_DEPTH:
            return
        if isinstance(data, list):
            for one in data:
                yield from self.values(one, depth + 1)
        elif isinstance(data, dict):
            if "@graph" in data:
                yield from self.values(data["@graph"], depth + 1)
            elif "@value" in data:
                yield from self.values(data["@value"], depth + 1)
            else:
                yield self._item(data, depth)
        elif isinstance(data, str):
            if text := plain_text(decode_html(data)):
                yield text
        elif isinstance(data, (int, float)) and not isinstance(data, bool):
            yield str(data)

    def _item(self, data: dict[str, object], depth: int) -> DataItem:
        kinds = data.get("@type")
        kind = next(iter(kinds), "") if isinstance(kinds, list) else kinds
        item = DataItem(last_name(kind) if isinstance(kind, str) else "")
        for name, value in data.items():
            if not name.startswith("@"):
                self._add(item, last_name(name), value, depth)
        identifier = data.get("@id")
        if isinstance(identifier, str) and item.text("name"):
            self.named.setdefault(identifier, item)
        return item

    def _add(self, item: DataItem, name: str, value: object, depth: int) -> None:
        """Add a value to a property, or remember which item it refers to."""
        for one in value if isinstance(value, list) else [value]:
            identifier = _reference(one)
            if identifier is None:
                for said in self.values(one, depth + 1):
                    item.add(name, said)
            elif name != "name" and self.left > 0:  # names refer to nothing, so they have an end
                self.left -= 1
                self.references.append((item, name, identifier))


def _reference(value: object) -> str | None:
    """The id of another item, if a value has nothing else."""
    if not isinstance(value, dict) or not value.keys() <= {"@id", "@type"}:
        return None
    identifier = value.get("@id")
    return identifier if isinstance(identifier, str) else None
