"""Benchmarks are run by hand; here each is imported, and what it calls is asked whether it takes
these arguments, so that none names what is no longer there.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import tests.benchmarks

NAMES = [module.name for module in pkgutil.iter_modules(tests.benchmarks.__path__)]


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("test_")])
def test_program_finds_what_it_imports_and_calls(name: str) -> None:
    module = importlib.import_module(f"tests.benchmarks.{name}")
    if module.__file__:
        source = Path(module.__file__).read_text(encoding="utf-8")
        assert list(_calls_that_fail(module, source)) == []


def test_calls_with_other_arguments_than_a_function_takes_are_found() -> None:
    source = "len([])\nlen()\nsorted([], reverse=True)\nsorted([], backwards=True)\nlen(*[])\n"

    assert [line for line, _ in _calls_that_fail(ast, source)] == [2, 4]


def _calls_that_fail(module: ModuleType, source: str) -> Iterator[tuple[int, str]]:
    """Lines and reasons of calls by name whose arguments do not fit the signature."""
    named_here = {**vars(builtins), **vars(module)}
    tree = ast.parse(source)
    # A name that is given within a function may be another thing there.
    local = set(_assigned(tree))
    for call in (one for one in ast.walk(tree) if isinstance(one, ast.Call)):
        named = call.func.id if isinstance(call.func, ast.Name) else ""
        if named in named_here and named not in local and not _has_stars(call):
            try:
                signature = inspect.signature(named_here[named])
            except (TypeError, ValueError):  # of a class written in C
                continue
            values: list[Any] = [None] * len(call.args)
            try:
                signature.bind(*values, **{one.arg: None for one in call.keywords if one.arg})
            except TypeError as error:
                yield call.lineno, f"{named}: {error}"


def _assigned(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg


def _has_stars(call: ast.Call) -> bool:
    starred = any(isinstance(one, ast.Starred) for one in call.args)
    return starred or any(one.arg is None for one in call.keywords)
