from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.models.lexical.names_in_texts import NameSet, distinct_names
from factmill.models.lexical.page_names import name_hash
from factmill.runtime.lexical.bm25_scores import LexicalIndex
from factmill.runtime.lexical.lexical_shard import LexicalShard
from factmill.runtime.lexical.segment_links import ShardLinks
from factmill.schemas.errors import CorruptStore
from factmill.schemas.lexical_files import WORDS
from factmill.schemas.link_files import (
    LINK_ENDS,
    LINK_ENDS_SCHEMA,
    LINK_FILES,
    LINK_NAMES,
    LINK_NAMES_SCHEMA,
    LINK_WORDS,
    LINK_WORDS_SCHEMA,
    LINKS,
    LINKS_SCHEMA,
)
from factmill.transforms.index.link_shard import link_tables, read_links
from factmill.transforms.index.mapped_tables import write_all_mapped
from tests.lexical_tables import lexical_tables

_SCHEMAS = {
    LINK_NAMES: LINK_NAMES_SCHEMA,
    LINK_WORDS: LINK_WORDS_SCHEMA,
    LINKS: LINKS_SCHEMA,
    LINK_ENDS: LINK_ENDS_SCHEMA,
}
TITLES = ["Ada", "Brock", "Ada Brock", "Gannet Rock", "Rock"]
TEXTS = ["Gannet Rock by Ada Brock", "the rock", "nothing", "Brock, Ada: rock. Gannet Rock"]


def _write(folder: Path, texts: list[str], titles: list[str], all_titles: list[str]) -> None:
    """A shard with a page of one segment for each text."""
    tables = lexical_tables(texts, zip(titles, [1] * len(texts), strict=True))
    names = NameSet(distinct_names(np.array(list(map(name_hash, all_titles)), np.uint64)))
    links = read_links(pa.chunked_array([texts], pa.large_string()), np.arange(len(texts)), names)
    tables |= link_tables(links, len(texts), tables[WORDS]["hash"].to_numpy())
    write_all_mapped(folder, tables)


def _index(folders: list[Path], linked: bool = True) -> LexicalIndex:
    shards = [LexicalShard.open(folder) for folder in folders]
    return LexicalIndex(shards, [ShardLinks.open(shard) for shard in shards] if linked else [])


_TEXT = st.lists(st.sampled_from(["ada", "brock", "gannet", "rock", "x"]), max_size=9).map(" ".join)


@settings(max_examples=40)
@given(st.lists(_TEXT, min_size=5, max_size=5), st.data())
def test_named_by_links_are_the_pages_that_the_texts_name(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], data: st.DataObject
) -> None:
    root = tmp_path_factory.mktemp("links")
    _write(root / "0", texts[:2], TITLES[:2], TITLES)
    _write(root / "1", texts[2:], TITLES[2:], TITLES)
    folders = [root / "0", root / "1"]
    segments = np.array(data.draw(st.lists(st.integers(0, 4), unique=True).map(sorted)), np.int64)
    query = data.draw(_TEXT)
    by_links, by_texts = (
        _index(folders, linked).named(segments, texts.__getitem__, query)
        for linked in (True, False)
    )
    for name in ("texts", "first", "counts"):
        both = [
            sorted(zip(found.texts, found.first, getattr(found, name), strict=True))
            for found in (by_links, by_texts)
        ]
        assert both[0] == both[1]
    np.testing.assert_allclose(
        by_links.nats[np.lexsort((by_links.first, by_links.texts))],
        by_texts.nats[np.lexsort((by_texts.first, by_texts.texts))],
        rtol=1e-6,
    )


def _no_text(_segment: int) -> str:
    raise AssertionError


@pytest.mark.parametrize("name", LINK_FILES)
def test_links_damaged_are_a_corrupt_store(tmp_path: Path, name: str) -> None:
    _write(tmp_path, TEXTS, TITLES[:4], TITLES)
    (tmp_path / name).write_bytes((tmp_path / name).read_bytes()[:-40])
    with pytest.raises(CorruptStore, match=name):
        _index([tmp_path])
    (tmp_path / name).unlink()
    with pytest.raises(CorruptStore, match=name):
        _index([tmp_path])


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        (LINKS, lambda column: [99, *column[1:]], "a missing name"),
        (LINKS, lambda column: [-1, *column[1:]], "a missing name"),
        (LINK_ENDS, lambda column: [-1, *column[1:]], "a missing name"),
        (LINK_ENDS, lambda column: [9**9, *column[1:]], "a missing name"),
        (LINK_WORDS, lambda column: [99, *column[1:]], "missing words"),
        (LINK_WORDS, lambda column: [-1, *column[1:]], "missing words"),
        (LINK_NAMES, lambda column: [99, *column[1:]], "missing words"),
        (LINK_ENDS, lambda column: column[:-1], "3 segments, not 4"),
        (LINKS, lambda column: column[:-1], "its length is wrong"),
        (LINK_WORDS, lambda column: column[:-1], "its length is wrong"),
    ],
)
def test_links_that_lead_nowhere_are_a_corrupt_store(
    tmp_path: Path, name: str, change: Callable[[list[int]], list[int]], message: str
) -> None:
    _write(tmp_path, TEXTS, TITLES[:4], TITLES)
    before = pa.ipc.open_file(str(tmp_path / name)).read_all()
    columns = [column.to_pylist() for column in before.columns]
    columns[-1] = change(columns[-1])
    write_all_mapped(tmp_path, {name: pa.table(columns, schema=_SCHEMAS[name])})
    with pytest.raises(CorruptStore, match=message):
        _index([tmp_path]).named(np.arange(4), _no_text, "")


def test_links_to_a_name_that_no_page_has_are_left_out(tmp_path: Path) -> None:
    _write(tmp_path, TEXTS, ["Ada", "Brock", "Gannet", "Rock"], [*TITLES, "The Rock"])
    found = _index([tmp_path]).named(np.arange(1, 2), _no_text, "")
    assert found.first.tolist() == []
    found = _index([tmp_path]).named(np.arange(4), _no_text, "")
    assert sorted(found.first.tolist()) == [0, 1, 3]
