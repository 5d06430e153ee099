"""Benchmarks are run by hand; here each is imported, so that none names what is no longer there."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

import tests.benchmarks

NAMES = [module.name for module in pkgutil.iter_modules(tests.benchmarks.__path__)]


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("test_")])
def test_program_finds_what_it_imports(name: str) -> None:
    importlib.import_module(f"tests.benchmarks.{name}")
