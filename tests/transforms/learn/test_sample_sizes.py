from __future__ import annotations

from pathlib import Path

import pytest

from factmill.schemas.layout import BuildDir
from factmill.transforms.encode.unit_texts import unit_texts
from factmill.transforms.learn.sample_sizes import SampleSizes, sample_sizes, sizes_of
from factmill.transforms.learn.training_sample import MEASURED_UNITS
from tests.runtime.tiny_build import SITES, write_tables


def _texts(sizes: SampleSizes) -> int:
    """The most texts that are encoded for a sample without labelled questions: each question has
    two sources."""
    return 3 * sizes.questions + sizes.units


@pytest.mark.parametrize("texts", [30_000, 74_226, 200_000, 10**6, 10**8])
def test_sizes_of_a_sample_are_a_share_of_the_build(texts: int) -> None:
    assert _texts(sizes_of(texts, texts // 7)) <= texts / 6


@pytest.mark.parametrize("texts", [0, 1, 100, 6_000, 20_000])
def test_sizes_of_a_small_build_are_enough_for_a_head_and_take_less_than_a_minute(
    texts: int,
) -> None:
    sizes = sizes_of(texts, texts // 7)
    # At some 6 ms a text on two cores, beside a quarter of a minute for the rest.
    assert _texts(sizes) * 0.006 < 45
    assert sizes.questions >= 800
    assert sizes.labelled_pages >= 1


@pytest.mark.parametrize("texts", [0, 5_000, 50_000, 500_000, 10**9])
def test_sizes_of_a_sample_have_room_for_what_is_measured_and_end_somewhere(texts: int) -> None:
    sizes = sizes_of(texts, texts // 7)
    assert sizes.units >= MEASURED_UNITS
    assert (sizes.questions, sizes.units) <= (8_000, 20_000)


def test_sizes_of_labelled_pages_have_as_many_units_as_the_others() -> None:
    sizes = sizes_of(660_000, 66_000)
    assert sizes.labelled_pages * 10 == sizes.units == 20_000


def test_sample_sizes_count_the_texts_of_a_build(tmp_path: Path) -> None:
    build = BuildDir(tmp_path)
    write_tables(build, SITES)
    texts = sum(1 for shard in range(2) for _ in unit_texts(build, shard))
    assert sample_sizes(build, 2) == sizes_of(texts, len(SITES))
