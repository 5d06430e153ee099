"""Which schemas are sent as strict."""

from __future__ import annotations

import pytest

from factmill.models.llm.json_schemas import STRING, Schema, is_strict, json_object, list_of

OPEN: Schema = {"type": "object"}


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        (json_object(a=STRING, b=list_of(json_object(c=STRING))), True),
        (json_object(type={"type": "string", "enum": ["x"]}, items=STRING), True),
        (OPEN, False),
        (json_object(a=OPEN), False),
        (json_object(a=list_of(OPEN)), False),
        (json_object(a={"anyOf": [STRING, OPEN]}), False),
        ({**json_object(a=STRING), "required": []}, False),
        ({**json_object(a=STRING), "additionalProperties": True}, False),
    ],
)
def test_strict_are_schemas_whose_objects_are_closed_and_whose_members_are_required(
    schema: Schema, strict: bool
) -> None:
    assert is_strict(schema) is strict
