from __future__ import annotations

import re
from pathlib import Path

import pytest

from factmill.runtime.mapped.open_files import IndexFiles
from factmill.schemas.errors import CorruptStore
from factmill.schemas.layout import INDEX
from factmill.transforms.index.mapped_tables import write_all_mapped
from tests.lexical_tables import lexical_tables
from tests.runtime.tiny_build import random_head, tiny_build


@pytest.mark.parametrize("change", [-1, 1])
def test_index_files_words_of_another_number_of_segments_are_a_corrupt_store(
    tmp_path: Path, change: int
) -> None:
    build = tiny_build(tmp_path / "store")
    folder = build.shard(INDEX, 1)
    segments = len(IndexFiles(build, [1], random_head()).shards[0].segments)
    write_all_mapped(folder, lexical_tables(["a word"] * (segments + change)))
    said = f"{re.escape(str(folder))}: words of {segments + change} segments, not {segments}"
    with pytest.raises(CorruptStore, match=said):
        IndexFiles(build, range(2), random_head())
    assert len(IndexFiles(build, [0], random_head()).shards) == 1
