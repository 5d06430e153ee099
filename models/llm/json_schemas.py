"""JSON schemas of answers, in the form that strict structured output requires."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

STRING: Schema = {"type": "string"}
INTEGER: Schema = {"type": "integer"}
BOOLEAN: Schema = {"type": "boolean"}


def json_object(**members: Schema) -> Schema:
    """An object with these members and no others."""
    return {
        "type": "object",
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }


def list_of(items: Schema) -> Schema:
    """An array of any length."""
    return {"type": "array", "items": items}
