from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from factmill.models.text.entities import EntityFinder
from factmill.schemas.layout import BuildDir
from factmill.transforms.clean import merge_shard as merging
from factmill.transforms.clean.compare_pages import compare_pages
from factmill.transforms.clean.extract_page import ExtractedPage, extract_page
from factmill.transforms.clean.merge_shard import merge_shard
from factmill.transforms.clean.spool import Spool
from factmill.transforms.inputs.raw_page import RawPage


def _merge(root: Path) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    build = BuildDir(root)
    with ExitStack() as stack:
        spool = Spool(build, 0, 1, stack)
        for number in range(12):
            text = "\n".join(
                f"Bridge {number} of Tarn Quay was mended by Agnes Teague in {1700 + year}."
                for year in range(20)
            )
            found = extract_page(RawPage(f"{number}", f"http://a.example/{number}", text=text))
            assert isinstance(found, ExtractedPage)
            spool.add_page(found, found.page.url)
        spool.flush()
    compare_pages(build, 1, None)
    counts = merge_shard(build, 0, EntityFinder())
    assert counts.records_out == counts.produced["10_pages"] == 12
    tables = [pq.read_table(build.part(name, 0)).to_pylist() for name in merging.CLEAN_TABLES]
    return tables[0], tables[1]


def test_merge_shard_written_in_small_groups_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = _merge(tmp_path / "whole")
    monkeypatch.setattr(merging, "_FLUSH_CHARACTERS", 700)
    monkeypatch.setattr(merging, "_RUN_CHARACTERS", 300)
    groups = _merge(tmp_path / "groups")
    assert groups == whole
    assert pq.read_metadata(BuildDir(tmp_path / "groups").part("11_segments", 0)).num_row_groups > 5
    assert all(row["entities"] for row in whole[1])
