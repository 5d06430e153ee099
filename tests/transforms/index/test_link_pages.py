from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factmill.models.lexical import names_in_texts
from factmill.models.lexical.bm25 import word_hash, words
from factmill.models.lexical.page_names import name_hash
from factmill.schemas.index_files import SEGMENTS_FILE
from factmill.schemas.layout import INDEX, BuildDir
from factmill.schemas.lexical_files import WORDS
from factmill.schemas.link_files import LINK_ENDS, LINK_FILES, LINK_NAMES, LINK_WORDS, LINKS
from factmill.transforms.index.index_shards import IndexShard
from factmill.transforms.index.link_pages import FindNames, LinkShard
from factmill.transforms.index.mapped_tables import read_mapped
from tests.runtime.tiny_build import (
    SHARDS,
    Fact,
    Site,
    random_head,
    write_manifest,
    write_tables,
    write_vectors,
)


def _site(title: str, *texts: str) -> Site:
    # The answer of a fact stands in it.
    facts = tuple(Fact(text, "What?", text.split()[0]) for text in texts)
    return Site(name_hash(title).to_bytes(8, "big").hex(), title, facts)


SITES = (
    _site("Ada Brock", "She kept the light of Gannet Rock.", "Gannet, and Gannet Rock again."),
    _site("Gannet Rock (light)", "Ada Brock lit it, not Brock."),
    _site("Gannet", "A bird of the rock."),
    _site("Brock", "Brock is not Ada. Rock and gannet."),
    _site("Rock", "Ada Brock Gannet Rock"),
    _site("The Light of Gannet Rock", "A film of Ada Brock."),
)


def _written(root: Path, sites: Sequence[Site], parent: BuildDir | None = None) -> BuildDir:
    build = BuildDir(root)
    write_tables(build, sites)
    write_vectors(build, random_head())
    for shard in range(SHARDS):
        IndexShard(build)(shard)
    _link(build, parent)
    return build


def _link(build: BuildDir, parent: BuildDir | None) -> None:
    FindNames(build, SHARDS, parent)(0)
    for shard in range(SHARDS):
        LinkShard(build, parent)(shard)


def _bytes(build: BuildDir) -> list[bytes]:
    return [
        (build.shard(INDEX, shard) / name).read_bytes()
        for shard in range(SHARDS)
        for name in LINK_FILES
    ]


def _linked(build: BuildDir) -> dict[str, list[str]]:
    """The names in each text, as phrases, in the order of the links."""
    phrases = {name_hash(site.title): " ".join(words(site.title)) for site in SITES}
    phrases[name_hash("Gannet Rock")] = "gannet rock"
    found = {}
    for shard in range(SHARDS):
        folder = build.shard(INDEX, shard)
        names = [phrases[name] for name in read_mapped(folder / LINK_NAMES)["name"].to_pylist()]
        links = read_mapped(folder / LINKS)["name"].to_pylist()
        ends = read_mapped(folder / LINK_ENDS)["stop"].to_pylist()
        texts = read_mapped(folder / SEGMENTS_FILE)["text"].to_pylist()
        for text, start, end in zip(texts, [0, *ends], ends, strict=False):
            found[text] = [names[link] for link in links[start:end]]
    return found


def test_links_of_segments_are_the_names_of_all_shards_the_longest_first(tmp_path: Path) -> None:
    assert _linked(_written(tmp_path / "b", SITES)) == {
        "She kept the light of Gannet Rock.": ["the light of gannet rock"],
        "Gannet, and Gannet Rock again.": ["gannet rock", "gannet"],
        "Ada Brock lit it, not Brock.": ["ada brock", "brock"],
        "A bird of the rock.": ["rock"],
        "Brock is not Ada. Rock and gannet.": ["brock", "rock", "gannet"],
        "Ada Brock Gannet Rock": ["ada brock", "gannet rock"],
        "A film of Ada Brock.": ["ada brock"],
    }


def test_links_have_the_words_of_each_name_once(tmp_path: Path) -> None:
    twice = _site("Rock and Rock", "Nothing."), _site("Other", "We say rock and rock.")
    build = _written(tmp_path / "b", twice)
    found = set()
    for shard in range(SHARDS):
        folder = build.shard(INDEX, shard)
        of_shard = read_mapped(folder / WORDS)["hash"].to_pylist()
        linked = read_mapped(folder / LINK_WORDS)["word"].to_pylist()
        found.add(tuple(of_shard[word] for word in linked))
    assert found == {(), tuple(sorted(map(word_hash, ["rock", "and"])))}


@given(
    before=st.lists(st.sampled_from(SITES), unique=True),
    after=st.lists(st.sampled_from(SITES), unique=True),
)
@settings(max_examples=12, suppress_health_check=list(HealthCheck))
def test_links_of_a_night_are_those_of_a_full_build(
    tmp_path_factory: pytest.TempPathFactory, before: list[Site], after: list[Site]
) -> None:
    tmp_path = tmp_path_factory.mktemp("nights")
    parent = _written(tmp_path / "parent", before)
    write_manifest(parent)
    build = _written(tmp_path / "b", after)
    full = _bytes(build)
    _link(build, parent)
    assert _bytes(build) == full


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts in which names are looked for."""
    found: list[str] = []

    def reading(text: str) -> list[str]:
        found.append(text)
        return words(text)

    monkeypatch.setattr(names_in_texts, "words", reading)
    return found


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (SITES, SITES, []),
        # A name came: read are the new page and what has all of its words.
        (
            SITES[1:],
            SITES,
            [
                *(fact.text for fact in SITES[0].facts),
                "Ada Brock lit it, not Brock.",
                "Brock is not Ada. Rock and gannet.",
                "Ada Brock Gannet Rock",
                "A film of Ada Brock.",
            ],
        ),
        # A name went: read is what had it.
        (SITES, SITES[:-1], ["She kept the light of Gannet Rock."]),
    ],
)
def test_links_of_a_night_read_only_segments_that_may_have_others(
    tmp_path: Path,
    read: list[str],
    before: Sequence[Site],
    after: Sequence[Site],
    expected: Iterable[str],
) -> None:
    parent = _written(tmp_path / "parent", before)
    write_manifest(parent)
    read.clear()
    _written(tmp_path / "b", after, parent)
    assert sorted(read) == sorted(expected)


@pytest.mark.parametrize("forged", [False, True])
def test_links_of_a_damaged_parent_are_all_read(
    tmp_path: Path, read: list[str], forged: bool
) -> None:
    parent = _written(tmp_path / "parent", SITES)
    write_manifest(parent)
    for shard in range(SHARDS):
        path = parent.shard(INDEX, shard) / LINKS
        path.write_bytes(path.read_bytes()[:-1] + b"?")
    if forged:
        write_manifest(parent)
    read.clear()
    build = _written(tmp_path / "b", SITES, parent)
    assert len(read) == sum(len(site.facts) for site in SITES)
    assert _bytes(build) == _bytes(_written(tmp_path / "c", SITES))


def test_links_of_no_segments_are_empty_tables(tmp_path: Path) -> None:
    build = _written(tmp_path / "b", ())
    assert [len(read_mapped(build.shard(INDEX, 0) / name)) for name in LINK_FILES] == [0] * 4


def test_names_of_many_pages_are_none() -> None:
    names = np.array([7] * 8 + [9] * 9 + [0], np.uint64)
    assert names_in_texts.distinct_names(names).tolist() == [7]
