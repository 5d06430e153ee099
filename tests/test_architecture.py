"""Which way imports point, and that the top-level names belong to this project."""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ALLOWED = {
    "schemas": {"schemas"},
    "models": {"models", "schemas"},
    "transforms": {"transforms", "models", "schemas"},
    "runtime": {"runtime", "models", "schemas"},
    # Wiring: jobs over transforms, the command line over jobs and runtime.
    "pipelines": {"pipelines", "transforms", "models", "schemas", "runtime"},
}
NO_BEAM = {"schemas", "models", "runtime"}


def imported(source: Path) -> Iterator[str]:
    """Top-level names of everything a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{source}: imports are absolute"
            yield (node.module or "").split(".")[0]


@pytest.mark.parametrize("package", sorted(ALLOWED))
def test_imports_point_one_way(package: str) -> None:
    for source in (ROOT / package).rglob("*.py"):
        ours = set(imported(source)) & set(ALLOWED)
        assert ours <= ALLOWED[package], f"{source} imports {ours - ALLOWED[package]}"


@pytest.mark.parametrize("package", sorted(NO_BEAM))
def test_beam_stays_out(package: str) -> None:
    for source in (ROOT / package).rglob("*.py"):
        assert "apache_beam" not in set(imported(source)), source


def test_schemas_import_pyarrow_and_nothing_else() -> None:
    for source in (ROOT / "schemas").rglob("*.py"):
        foreign = {name for name in imported(source) if name in {"numpy", "torch", "faiss"}}
        assert not foreign, f"{source} imports {foreign}"


@pytest.mark.parametrize("package", sorted(ALLOWED))
def test_top_level_package_resolves_inside_this_project(package: str) -> None:
    module = importlib.import_module(f"factmill.{package}")

    assert module.__file__ is not None
    assert Path(module.__file__).resolve().is_relative_to(ROOT)


def test_top_level_packages_belong_to_no_other_distribution() -> None:
    owners = importlib.metadata.packages_distributions()

    for package in ALLOWED:
        assert set(owners.get(package, [])) <= {"factmill"}, f"{package}: {owners[package]}"


def test_setup_lists_every_package() -> None:
    source = ast.parse((ROOT / "setup.py").read_text(encoding="utf-8"))
    listed = next(
        ast.literal_eval(keyword.value)
        for node in ast.walk(source)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "packages"
    )
    found = {
        ".".join(("factmill", *init.parent.relative_to(ROOT).parts))
        for package in ALLOWED
        for init in (ROOT / package).rglob("__init__.py")
    }

    assert set(listed) == found | {"factmill"}


def test_no_module_is_named_after_the_standard_library() -> None:
    import sys

    for package in ALLOWED:
        for source in (ROOT / package).rglob("*.py"):
            assert source.stem not in sys.stdlib_module_names, source
