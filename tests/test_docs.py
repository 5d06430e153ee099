"""Python that the documentation shows, run on the store of the sample crawl."""

from __future__ import annotations

import pydoc
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import factmill
from factmill.runtime.index import Index
from factmill.runtime.opening import open_index
from tests.conftest import ROOT

# These need a server, another library, or a process that follows builds: tested elsewhere.
ELSEWHERE = ("localhost:8080", "follow_index", "adapters", "haystack")
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
