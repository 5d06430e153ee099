"""What holds between the files of the package: layers, cycles, names."""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import importlib.util
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.source_tree import (
    FOLDERS,
    PACKAGE,
    ROOT,
    cycles,
    identifiers,
    import_graph,
    imports,
    lines_with,
    modules,
    nodes_of,
    words,
)

# What each folder may import of the others.
MAY_IMPORT = {
    "schemas": set(),
    "models": {"schemas"},
    "transforms": {"models", "schemas"},
    "runtime": {"models", "schemas"},
    # Wiring: jobs over transforms, the command line over jobs and runtime.
    "pipelines": {"transforms", "models", "schemas", "runtime"},
}
NO_BEAM = ("schemas", "models", "runtime")
# Speaks to object stores, through libraries that are loaded when first asked for.
THIRD_PARTY_OF_SCHEMAS = {
    "factmill.schemas.storage.object_systems": {
        "aiohttp",
        "botocore",
        "fsspec",
        "gcsfs",
        "google",
    }
}
# What a module imports that only some who use factmill have.
LIBRARY_OF_ADAPTER = {
    "factmill.runtime.adapters.langchain_retriever": "langchain_core",
    "factmill.runtime.adapters.llamaindex_retriever": "llama_index",
    "factmill.runtime.adapters.haystack_retriever": "haystack",
}
# This file names the words.
HERE = Path(__file__).relative_to(ROOT).as_posix()
# Files of one name, and why.
SAME_NAME = {
    "__init__.py": "a folder's own docstring",
    "reader.py": "two implementations of one protocol, models/readers/reading.py",
    "index.py": "pipelines: the job that writes 50_index; runtime: the door to what it wrote",
    "lexical_shard.py": "transforms: writes the words of a shard; runtime: maps what was written",
}
# Words that are no part of any name, and what is said instead.
RETIRED_WORDS = {
    "telling": "progress event",
    "hear": "listener",
    "heard": "listener",
    "alive": "heartbeat",
    "pieces": "tasks",
    "gaps": "deltas of postings",
    "tops": "block-max",
    "gate": "circuit breaker, or quality check",
    "patience": "retry policy",
    "furniture": "boilerplate",
}
# Names that nothing has; within a longer name the word may be the right one.
RETIRED_NAMES = {
    "mentions": "term frequencies",
    "slots": "rate limiter or concurrency limiter",
}
# Words that stand nowhere in code and documents, and what is said instead.
RETIRED_IN_PROSE = {
    "telling": "progress event",
    "alive": "heartbeat",
    "pieces": "tasks",
    "place": "storage path, or position",
    "places": "storage paths, or positions",
    "gaps": "deltas of postings",
    "mentions": "term frequencies",
    "tops": "block-max",
    "lists": "inverted lists",
    "gate": "circuit breaker, or quality check",
    "slots": "rate limiter or concurrency limiter",
    "patience": "retry policy",
    "furniture": "boilerplate",
    "known": "reused",
}
# Folders of code that reads or writes sentences of English, and of tests with such sentences.
OF_ENGLISH = (
    "models/readers/", "models/composing/", "models/answering/", "tests/models/",
    "tests/transforms/compose/",
)  # fmt: skip
# Where such a word stands all the same: the word, beginnings of paths, what the line says, and why.
ALLOWED_IN_PROSE = (
    ("place", OF_ENGLISH, "", "where something is: sentences say it, questions ask for it"),
    ("place", "runtime/answers/", r"Kind\.PLACE", "a kind of answer"),
    ("known", OF_ENGLISH, "", "a participle in sentences"),
    ("mentions", OF_ENGLISH, "", "a verb in sentences"),
    ("alive", OF_ENGLISH, "unharmed", "an adjective in sentences"),
    ("known", "", r"[.\"`]known\b|def known|known: bool", "a field of Answer"),
    ("known", "tests/runtime/answers/", "", "a field of Answer"),
    ("lists", "", r"[Ii]nverted lists|probed lists", "the field's word"),
    ("lists", "", r"lists\.arrow", "a file of format 2"),
    ("lists", "tests/", r"st\.lists\(", "a function of Hypothesis"),
    ("lists", "tests/transforms/markup/", r"Lists", "a heading of a page"),
    ("lists", "models/readers/llm/prompts.py", r"lists of links", "what the prompt tells an LLM"),
    ("lists", "Dockerfile", r"/var/lib/apt/lists/", "a folder of Debian"),
    ("slots", "", r"slots=True", "an argument of dataclass"),
    ("mentions", "", r"[\"`]mentions[\"`]|mentions=", "a column of format 2"),
    ("place", "", r"\"place\"", "a field of the lock's file"),
    ("patience", "", r"--llm-patience", "the former name of an option"),
)


def modules_in(folder: str) -> dict[str, Path]:
    start = f"{PACKAGE}.{folder}"
    return {
        name: path
        for name, path in modules().items()
        if name == start or name.startswith(f"{start}.")
    }


def test_every_source_of_the_folders_is_read_once() -> None:
    sources = {path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")}

    assert sources < set(modules().values())
    assert len(set(modules().values())) == len(modules())


@pytest.mark.parametrize("folder", FOLDERS)
def test_imports_point_one_way(folder: str) -> None:
    for name, path in modules_in(folder).items():
        ours = {one.split(".")[1] for one in imports(path) if one.startswith(f"{PACKAGE}.")}
        assert ours <= {folder} | MAY_IMPORT[folder], name


def test_no_files_import_each_other_in_a_circle() -> None:
    assert cycles(import_graph()) == []


def test_cycles_are_found_through_others_and_apart() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set[str](), "e": {"f"}, "f": {"e"}}

    assert cycles(graph) == [["b", "c"], ["e", "f"]]
    assert cycles({"a": {"b", "c"}, "b": {"c"}, "c": set[str]()}) == []


@pytest.mark.parametrize("folder", NO_BEAM)
def test_beam_stays_out(folder: str) -> None:
    for name, path in modules_in(folder).items():
        assert "apache_beam" not in {one.split(".")[0] for one in imports(path)}, name


def test_schemas_import_pyarrow_and_the_standard_library_and_nothing_else() -> None:
    allowed = {*sys.stdlib_module_names, "pyarrow", PACKAGE}

    for name, path in modules_in("schemas").items():
        foreign = {one.split(".")[0] for one in imports(path)} - allowed
        assert foreign == THIRD_PARTY_OF_SCHEMAS.get(name, set()), name


def test_one_function_asks_of_which_kind_a_path_is() -> None:
    asking = [
        f"{name}: {ast.unparse(node)}"
        for name, path in modules().items()
        for node in nodes_of(path)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "isinstance"
        and {"Path", "ObjectPath"} & set(names_in(node.args[1]))
    ]

    assert asking == ["factmill.schemas.storage.paths: isinstance(path, ObjectPath)"]


def names_in(node: ast.expr) -> list[str]:
    return [name.id for name in ast.walk(node) if isinstance(name, ast.Name)]


def test_nothing_is_imported_under_two_names() -> None:
    for name in modules():
        library = LIBRARY_OF_ADAPTER.get(name)
        if not name.endswith(".__main__") and (not library or importlib.util.find_spec(library)):
            importlib.import_module(name)
    ours, names = set(modules().values()), defaultdict[Path, set[str]](set)
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and Path(file).resolve() in ours:
            names[Path(file).resolve()].add(name)

    assert {path for path, found in names.items() if len(found) > 1} == set()
    assert {name for found in names.values() for name in found} <= set(modules())


def _typed_names(path: Path) -> Iterator[str]:
    """The names in annotations of fields and of public functions."""
    for node in nodes_of(path):
        typed: list[ast.expr | None] = []
        if isinstance(node, ast.AnnAssign):
            typed = [node.annotation]
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and re.match(
            r"__|[^_]", node.name
        ):
            typed = [node.returns]
            typed += [one.annotation for one in ast.walk(node.args) if isinstance(one, ast.arg)]
        for name in (part for whole in typed if whole is not None for part in ast.walk(whole)):
            if isinstance(name, ast.Name):
                yield name.id


def test_type_hints_of_public_names_can_be_resolved() -> None:
    """Those of packages that are imported late, perhaps missing, or no packages cannot."""
    late = {
        "tokenizers": {"Tokenizer"},
        "opentelemetry.context": {"Context"},
        "opentelemetry.trace": {"Span"},
        "_typeshed": {"WriteableBuffer"},
    }
    for path in modules().values():
        for node in nodes_of(path):
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                for one in node.body:
                    assert isinstance(one, ast.ImportFrom)
                    hidden = {alias.name for alias in one.names} - late.get(one.module or "", set())
                    assert not hidden & set(_typed_names(path)), path


def test_the_package_is_that_of_this_project_and_of_no_other() -> None:
    package = importlib.import_module(PACKAGE)
    owners = importlib.metadata.packages_distributions()

    assert package.__file__ == str(ROOT / PACKAGE / "__init__.py")
    assert set(owners.get(PACKAGE, [])) <= {PACKAGE}
    assert not [folder for folder in FOLDERS if PACKAGE in owners.get(folder, [])]


def test_setup_lists_every_package() -> None:
    listed = next(
        ast.literal_eval(keyword.value)
        for node in ast.walk(ast.parse((ROOT / "setup.py").read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "packages"
    )

    assert sorted(listed) == sorted(
        name for name, path in modules().items() if path.name == "__init__.py"
    )


def test_every_folder_with_sources_is_a_package() -> None:
    for name, path in modules().items():
        assert (path.parent / "__init__.py").is_file(), name


def test_no_module_is_named_after_the_standard_library() -> None:
    for name, path in modules().items():
        assert path.stem not in sys.stdlib_module_names - {"__main__"}, name


def test_files_of_one_name_do_the_same_thing() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for name, path in modules().items():
        found[path.name].append(name)

    assert {name for name, all_of in found.items() if len(all_of) > 1} <= set(SAME_NAME)


@pytest.mark.parametrize("word", sorted(RETIRED_WORDS))
def test_retired_word_is_no_part_of_a_name(word: str) -> None:
    using = {
        f"{name}: {found}"
        for name, path in modules().items()
        for found in (*identifiers(path), path.stem, path.parent.name)
        if word in words(found)
    }

    assert using == set(), RETIRED_WORDS[word]


@pytest.mark.parametrize("retired", sorted(RETIRED_NAMES))
def test_retired_name_is_given_to_nothing(retired: str) -> None:
    using = {
        name
        for name, path in modules().items()
        for found in (*identifiers(path), path.stem, path.parent.name)
        if found.lower().strip("_") == retired and found != "__slots__"
    }

    assert using == set(), RETIRED_NAMES[retired]


@pytest.mark.parametrize("word", sorted(RETIRED_IN_PROSE))
def test_retired_word_stands_nowhere_in_code_and_documents(word: str) -> None:
    allowed = [(start, said) for one, start, said, _ in ALLOWED_IN_PROSE if one == word]
    found = [
        f"{name}:{number}: {line.strip()}"
        for name, number, line in lines_with(word)
        if name != HERE
        and not any(name.startswith(start) and re.search(said, line) for start, said in allowed)
    ]

    assert found == [], RETIRED_IN_PROSE[word]


def test_a_class_name_stands_for_one_class() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for name, path in modules().items():
        for node in nodes_of(path):
            if isinstance(node, ast.ClassDef):
                found[node.name.strip("_")].append(name)

    assert {name: within for name, within in found.items() if len(within) > 1} == {}


def test_words_of_a_name_are_found_in_every_spelling() -> None:
    assert words("_ROW_bytes2") == ["row", "bytes", "2"]
    assert words("HTMLRowOf") == ["html", "row", "of"]
