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
    kinds = schema.get("type", "string")
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        converted = _converted(kind, value)
        if _is_of(kind, converted):
            return _bounded(name, schema, converted)
    raise CallFailed(f"the argument {name!r} is not of type {kinds}")


def _converted(kind: object, value: Any) -> Any:
    """A number as a text, and digits as an integer, where these are wanted."""
    if kind == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if kind == "integer" and isinstance(value, str) and _INTEGER.fullmatch(value):
        return int(value)
    return value


def _is_of(kind: object, value: Any) -> bool:
    expected = _TYPES.get(kind) if isinstance(kind, str) else None
    is_one = expected is not None and isinstance(value, expected)
    return is_one and isinstance(value, bool) == (kind == "boolean")


def _bounded(name: str, schema: Schema, value: Any) -> Any:
    """The value, with as many items as are sent. Raises CallFailed for one that cannot be sent."""
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
