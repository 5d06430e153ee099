"""Reads the package's source files, without importing them."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "factmill"
FOLDERS = ("schemas", "models", "transforms", "pipelines", "runtime")
# Files whose words are checked: all except the log, which is about the past.
WRITTEN_FILES = (
    "README.md", "Makefile", "Dockerfile", "setup.py", "pyproject.toml", "constraints.txt",
    "samples/make_crawl.py",
)  # fmt: skip
WRITTEN_FOLDERS = (*FOLDERS, PACKAGE, "dataflow", "docs", "tests")
WRITTEN_SUFFIXES = {".py", ".md", ".j2", ".json", ".txt", ".html", ".css", ".js"}
LOG = "docs/log.md"


@cache
def modules() -> dict[str, Path]:
    """Every module of the package, with its file. The folders are beside `factmill/`, which has
    links to them.
    """
    found = {}
    for folder in (PACKAGE, *FOLDERS):
        # A link is not entered, so each file comes once.
        for path in sorted((ROOT / folder).rglob("*.py")):
            if not any(parent.is_symlink() for parent in path.parents):
                found[module_name(path)] = path
    return found


@cache
def written_texts() -> dict[str, str]:
    """Code and documents: the text of each file."""
    below = {
        Path(folder, name)
        for start in WRITTEN_FOLDERS
        # A link is not entered, so each file comes once.
        for folder, _, names in os.walk(ROOT / start)
        for name in names
        if Path(name).suffix in WRITTEN_SUFFIXES
    }
    return {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted({*below, *(ROOT / name for name in WRITTEN_FILES)} - {ROOT / LOG})
    }


def lines_with(word: str) -> Iterator[tuple[str, int, str]]:
    """Every line of code and documents with this word, in any case: its file, number and text."""
    in_line = re.compile(rf"\b{word}\b", re.IGNORECASE).search
    for name, text in written_texts().items():
        # Most files lack the word, and a search without a pattern is quick.
        if word in text.lower():
            for number, line in enumerate(text.splitlines(), 1):
                if in_line(line):
                    yield name, number, line


def module_name(path: Path) -> str:
    """`schemas/ids.py` is factmill.schemas.ids, `schemas/__init__.py` is factmill.schemas."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    parts = parts if parts[0] == PACKAGE else (PACKAGE, *parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """All nodes of a file's syntax tree."""
    return list(ast.walk(tree_of(path)))


@cache
def imports(path: Path) -> set[str]:
    """The dotted names that a file imports, including imports in functions and for type checkers.
    `from a import b` gives a.b, which may be a module or a name in one.
    """
    found: set[str] = set()
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def import_graph() -> dict[str, set[str]]:
    """The modules of the package that each module imports by name."""
    graph = {}
    for name, path in modules().items():
        asked = imports(path)
        # The module itself, else the one that the name is in.
        graph[name] = {one if one in modules() else one.rpartition(".")[0] for one in asked}
        graph[name] &= modules().keys() - {name}
    return graph


def cycles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """The strongly connected components of more than one node, each in order (Tarjan 1972)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph[node]):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            at = stack.index(node)
            component = sorted(stack[at:])
            del stack[at:]
            if len(component) > 1:
                found.append(component)

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return sorted(found)


@cache
def identifiers(path: Path) -> set[str]:
    """The names that a file defines: of functions, classes, arguments, variables and attributes."""
    found: set[str] = set()
    for node in nodes_of(path):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.attr)
    return found


@cache
def words(identifier: str) -> list[str]:
    """The words that a name is made of: `_ROW_bytes` and `RowBytes` are row, bytes."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", identifier)]
