"""Every schema that the code sends to an LLM."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType

from factmill.models.llm.chat_request import Dialect, request_body
from factmill.models.llm.completion import Message
from factmill.models.llm.json_schemas import Schema, is_strict
from factmill.models.readers import llm as reader
from factmill.models.readers.llm.prompts import answer_schema
from factmill.runtime import answers

# Its arguments are those of functions that are known only when it is sent.
OPEN = "factmill.runtime.answers.lookups._SCHEMA"


def sent_schemas() -> Iterator[tuple[str, Schema]]:
    yield "two segments", answer_schema(2)
    for package in (answers, reader):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            yield from _of_module(importlib.import_module(found.name))


def _of_module(module: ModuleType) -> Iterator[tuple[str, Schema]]:
    for name, value in vars(module).items():
        if isinstance(value, dict) and value.get("type") == "object":
            yield f"{module.__name__}.{name}", value


def test_every_schema_but_one_meets_the_rules_of_strict_output_and_that_one_is_not_strict() -> None:
    schemas = dict(sent_schemas())

    assert len(schemas) >= 12
    assert [name for name, schema in schemas.items() if not is_strict(schema)] == [OPEN]
    for name, schema in schemas.items():
        body = request_body("m", [Message("user", "x")], 9, schema, Dialect())
        sent = body["response_format"]["json_schema"]
        assert (sent["schema"], sent["strict"]) == (schema, name != OPEN)
