from __future__ import annotations

from pathlib import Path

from factmill.schemas.layout import BuildDir
from factmill.schemas.records import Entity
from factmill.transforms.extract.page_segments import page_segments
from tests.runtime.tiny_build import SHARDS, SITES, write_tables


def test_page_segments_gives_every_segment_with_its_page_in_order(tmp_path: Path) -> None:
    build = BuildDir(tmp_path / "b")
    write_tables(build)

    pages = [page for shard in range(SHARDS) for page in page_segments(build, shard)]

    assert sorted(page.context.title for page in pages) == sorted(site.title for site in SITES)
    for page in pages:
        (site,) = (site for site in SITES if site.title == page.context.title)
        assert len(page.segments) == len(site.facts) + bool(site.table)
        assert [segment.ordinal for segment in page.segments] == list(range(len(page.segments)))
        assert len({segment.page_id for segment in page.segments}) == 1
    entities = [e for page in pages for segment in page.segments for e in segment.entities]
    assert entities
    assert all(isinstance(entity, Entity) for entity in entities)
