"""Two small builds of one store; the first is the parent of the second."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq

from factmill.schemas.ids import page_id, shard_of
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.manifest import StageCounts, read_manifest
from factmill.schemas.records import Reject
from factmill.schemas.tables import REJECTS, to_table
from tests.runtime.tiny_build import SHARDS, SITES, Fact, Site, tiny_build, write_manifest

BRIDGES, LIGHTS, FERRY, MUSEUM, *OTHERS = SITES
NEW = Site("dock", "Dock", (Fact("The dock has 3 cranes.", "How many cranes?", "3"),))
EDITED = replace(LIGHTS, facts=(Fact("Gannet Rock was lit in 1895.", "When was it lit?", "1895"),))


def url_of(site: Site) -> str:
    return f"https://{site.name}.example/"


def compared_builds(root: Path) -> tuple[BuildDir, BuildDir]:
    """Two builds. In the second, the ferry's page is gone, the museum's is a near-duplicate of the
    bridges' page, that of lights is edited, and that of a dock is new.
    """
    before = tiny_build(root, SITES, name="before")
    after = tiny_build(root, [BRIDGES, EDITED, NEW, *OTHERS], name="after")
    url = url_of(MUSEUM)
    museum, bridges = page_id(url, "", ""), page_id(url_of(BRIDGES), "", "")
    add_reject(
        after,
        shard_of(url, SHARDS),
        Reject("clean", "near_duplicate", "m", url, "", "museum.example", museum, bridges),
    )
    manifest = write_manifest(after, parent=before.build_id)
    cleaned = manifest.counts["clean"]
    manifest.counts["clean"] = StageCounts(
        cleaned.records_in + 1,
        cleaned.records_out,
        cleaned.rejected | {"near_duplicate": 1},
        cleaned.produced | {"19_rejects": 2},
    )
    manifest.write(after)
    assert read_manifest(after).parent == before.build_id
    Store(root).publish(after)
    return before, after


def add_reject(build: BuildDir, shard: int, reject: Reject) -> None:
    """Add a row to the rejects of a shard."""
    path = build.part("19_rejects", shard)
    rows = pq.read_table(path, partitioning=None).to_pylist()
    records = [Reject(**row) for row in rows]
    pq.write_table(to_table([*records, reject], REJECTS), path, compression="zstd")
