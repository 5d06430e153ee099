"""Python that the documentation shows, run on the store of the sample crawl."""

from __future__ import annotations

import pydoc
import re
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import factmill
from factmill.runtime.index import Index
from factmill.runtime.opening import open_index
from factmill.schemas.tables import TABLES, VECTORS, vectors_schema
from tests.conftest import ROOT
from tests.source_tree import LOG

# These need a server, another library, or a process that follows builds: tested elsewhere.
ELSEWHERE = ("localhost:8080", "follow_index", "adapters", "haystack")
# A type of Arrow in the words of docs/artifacts.md.
IN_WORDS = {pa.string(): "string", pa.int32(): "int32", pa.float32(): "float32"}
DOCUMENTS = ("README.md", "docs/answers.md", "docs/artifacts.md", "docs/service.md")


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
