"""Checks the arguments of a call against the part of JSON Schema that describes parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from factmill.models.llm.json_schemas import Schema
from factmill.runtime.knowledge.knowledge_source import CallFailed

_MAX_CHARACTERS = 200
# Further items of a list are left out.
_MAX_ITEMS = 200
_INTEGER = re.compile(r"-?\d{1,18}")
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,),
    "array": (list,),
}  # fmt: skip


def checked_arguments(parameters: Schema, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a function, with the right types. Raises CallFailed for unknown or missing
    ones; a required text that is blank is missing, and an optional one that is None is left out.
    A number becomes a text, and digits become an integer, where the schema wants one.
    """
    properties: Mapping[str, Schema] = parameters.get("properties", {})
    unknown = sorted(set(given) - set(properties))
    if unknown:
        raise CallFailed(f"there is no argument {unknown[0]!r}")
    missing = [name for name in parameters.get("required", ()) if _is_blank(given.get(name))]
    if missing:
        raise CallFailed(f"the argument {missing[0]!r} is missing")
    return {
        name: _checked(name, properties[name], value)
        for name, value in given.items()
        if value is not None
    }


def _is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _checked(name: str, schema: Schema, value: Any) -> Any:
    kind = schema.get("type", "string")
    if kind == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if kind == "integer" and isinstance(value, str) and _INTEGER.fullmatch(value):
        value = int(value)
    expected = _TYPES.get(kind) if isinstance(kind, str) else None
    if expected is None or not isinstance(value, expected):
        raise CallFailed(f"the argument {name!r} is not of type {kind}")
    if isinstance(value, bool) != (kind == "boolean"):
        raise CallFailed(f"the argument {name!r} is not of type {kind}")
    if isinstance(value, list):
        items = schema.get("items")
        items = items if isinstance(items, dict) else {}  # may be `true`
        return [_checked(name, items, one) for one in value[:_MAX_ITEMS]]
    if isinstance(value, str) and not _is_unicode(value):
        raise CallFailed(f"the argument {name!r} is not valid Unicode")
    if len(str(value)) > _MAX_CHARACTERS:
        raise CallFailed(f"the argument {name!r} is too long")
    allowed = schema.get("enum")
    if isinstance(allowed, list) and value not in allowed:
        raise CallFailed(f"the argument {name!r} has a value that is not in its list")
    return value


def _is_unicode(text: str) -> bool:
    """Whether UTF-8 can hold the text: it cannot hold lone surrogates."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
