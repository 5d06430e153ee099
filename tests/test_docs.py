"""Python, SQL and commands that the documentation shows, run on the store of the sample crawl."""

from __future__ import annotations

import pydoc
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

import factmill
from factmill.pipelines.cli.arguments import parser
from factmill.pipelines.cli.main import main
from factmill.runtime.index import Index
from factmill.runtime.opening import open_index
from factmill.runtime.view_query import is_select
from factmill.runtime.views import connect
from factmill.schemas.layout import Store
from factmill.schemas.tables import TABLES, VECTORS, vectors_schema
from tests.conftest import ROOT
from tests.source_tree import LOG

# These need a server, another library, or a process that follows builds: tested elsewhere.
ELSEWHERE = ("localhost:8080", "follow_index", "adapters", "haystack")
# A type of Arrow in the words of docs/artifacts.md.
IN_WORDS = {pa.string(): "string", pa.int32(): "int32", pa.float32(): "float32"}
DOCUMENTS = ("README.md", "docs/answers.md", "docs/artifacts.md", "docs/service.md")
WITH_COMMANDS = ("README.md", "docs/answers.md", "docs/operations.md", "docs/service.md")
# What stands for a number, or for one of several words, in the commands that are shown.
PLACEHOLDERS = {"N": "1", "WHEN": "auto", "--strategy NAME": "--strategy hybrid"}


@pytest.fixture(scope="module")
def index(sample_store: Path) -> Iterator[Index]:
    with open_index(sample_store) as opened:
        yield opened


@pytest.mark.parametrize("name", DOCUMENTS)
def test_examples_in_python_run_one_after_the_other(
    name: str, index: Index, sample_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(factmill, "open_index", lambda _: index)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(), re.S)
    shown = [block for block in blocks if not any(word in block for word in ELSEWHERE)]
    assert shown
    names: dict[str, object] = {}
    for block in shown:
        exec(block.replace('"STORE', f'"{sample_store}'), names)


def _shown_commands(name: str) -> list[str]:
    """The commands `factmill ...` in code blocks and last columns of tables, without comments."""
    text = (ROOT / name).read_text()
    blocks = re.findall(r"^ *```(\w*)\n(.*?)^ *```", text, re.S | re.M)
    shell = "\n".join(block for language, block in blocks if not language)
    lines = re.sub(r" *\\\n *", " ", shell)
    found = re.findall(r"^(?:\$ )?(factmill [a-z].*)", lines, re.M)
    return found + re.findall(r"^\|.*\| `(factmill [^`]*)` \|$", text, re.M)


@pytest.mark.parametrize("name", WITH_COMMANDS)
def test_commands_that_are_shown_are_taken(name: str) -> None:
    commands = _shown_commands(name)
    assert commands
    for command in commands:
        plain = re.sub(r" \[(?:beam )?options\]|[][]|\.\.\.(?= |$)", "", command)
        for placeholder, value in PLACEHOLDERS.items():
            plain = re.sub(rf"(?<= ){placeholder}(?= |$)", value, plain)
        options, unknown = parser().parse_known_args(shlex.split(plain, comments=True)[1:])
        if unknown:
            assert "--runner" in plain, command
            assert options.command == "build", command


def test_commands_that_are_shown_find_something(
    sample_store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commands = [command for name in WITH_COMMANDS for command in _shown_commands(name)]
    asking = re.compile(r"factmill (search|answer|inspect) \S+ (--sql )?\"\w")
    split = [shlex.split(one, comments=True)[1:] for one in commands if asking.match(one)]
    asked = {(command, *rest) for command, _store, *rest in split}
    assert {command for command, *_ in asked} == {"search", "answer", "inspect"}
    for command, *rest in sorted(asked):
        assert main([command, str(sample_store), *rest]) == 0, rest
        assert capsys.readouterr().out.strip() not in {"", "I don't know"}, rest


def test_queries_that_are_shown_run(sample_store: Path) -> None:
    build = Store(sample_store).published()
    text = (ROOT / "docs/operations.md").read_text()
    queries = re.findall(r"`(select [^`]*)`", text)
    (block,) = re.findall(r"```sql\n(.*?)```", text, re.S)
    assert len(queries) == 9
    with connect(build) as connection:
        a_unit = connection.execute("select any_value(unit_id) from propositions").fetchone()
        assert a_unit
        for query in queries:
            query = query.replace("'ID'", f"'{a_unit[0]}'")
            assert is_select(connection, query), query
            connection.execute(query).fetchall()
    own = re.sub(r"STORE/builds/[A-Z]+", str(build.root), block)
    for query in own.split(";")[:-1]:
        duckdb.sql(query).fetchall()


def test_help_on_the_package_describes_what_it_offers() -> None:
    described = pydoc.render_doc(factmill, renderer=pydoc.plaintext)
    for line in ("class Hit(", "class Index(", "open_index(store"):
        assert f"\n    {line}" in described


@pytest.mark.parametrize("table", [*TABLES, VECTORS])
def test_each_column_is_documented_in_order_with_its_type(table: str) -> None:
    schema = TABLES.get(table) or vectors_schema(384, 384)
    sections = re.split("\n###? ", (ROOT / "docs/artifacts.md").read_text())
    (section,) = (one for one in sections if table in one.splitlines()[0])
    rows = re.findall(r"^\| (`[^|]*) \| ([^|]*) \|", section.split("| column |")[1], re.M)
    described = [(name, words) for names, words in rows for name in re.findall(r"`(.*?)`", names)]
    columns = [(field.name + "?" * field.nullable, field.type) for field in schema]
    assert [name for name, _ in described] == [name for name, _ in columns]
    for (name, words), (_, kind) in zip(described, columns, strict=True):
        if pa.types.is_timestamp(kind):
            assert words == "time", name
        elif kind in IN_WORDS:
            assert words == IN_WORDS[kind], name
        else:
            assert words.startswith(("list of", "fixed-size")), name


def test_each_entry_of_the_log_has_its_four_parts_and_one_line_in_the_index() -> None:
    before, *entries = (ROOT / LOG).read_text().split("\n## 20")
    headings = [entry.splitlines()[0].split(": ", 1)[1] for entry in entries]
    parts = ["Idea", "Command", "Result", "Conclusion"]
    for heading, entry in zip(headings, entries, strict=True):
        found = re.findall(rf"^\*\*({'|'.join(parts)})\.\*\*", entry, re.M)
        assert found == parts, heading
    lines = before.split("## Index by subject")[1].splitlines()
    questions = [re.sub(r"\? .*", "?", line[2:]) for line in lines if line.startswith("- ")]
    assert sorted(questions) == sorted(headings)
