"""Benchmarks are run by hand, so that they still go with the code is tested here."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

import tests.benchmarks

PROGRAMS = [
    m.name for m in pkgutil.iter_modules(tests.benchmarks.__path__) if "test_" not in m.name
]


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_finds_what_it_imports(name: str) -> None:
    importlib.import_module(f"tests.benchmarks.{name}")
