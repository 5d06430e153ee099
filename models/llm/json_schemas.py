"""JSON schemas of answers, most in the form that strict structured output requires."""

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


def is_strict(schema: Schema) -> bool:
    """Whether a schema meets the rules of strict structured output: every object names its members,
    requires all of them, and allows no others.
    """
    if schema.get("type") == "object":
        members = schema.get("properties")
        if members is None or schema.get("additionalProperties") is not False:
            return False
        if set(schema.get("required", ())) != set(members):
            return False
        return all(is_strict(member) for member in members.values())
    return all(is_strict(one) for one in (schema.get("items"), *schema.get("anyOf", ())) if one)
