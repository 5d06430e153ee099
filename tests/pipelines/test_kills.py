"""Kills where nights differ most. tests/benchmarks/kill_builds.py does every stage of every night,
and any number."""

from __future__ import annotations

import random

import pytest

from tests.killing.dying import GROUP, Death
from tests.killing.nights import CHANGED, FIRST, SAME, Night, prepare, survive
from tests.killing.stages import STAGES as ALL_STAGES

# Where much is left half done, or where CURRENT is about to move.
STAGES = {
    FIRST: ["manifest"],
    CHANGED: [
        "clean-splits", "clean-shards", "extract", "learn", "encode", "index", "verify",
        "manifest", "CURRENT",
    ],
    SAME: ["clean-shards"],
}  # fmt: skip
pytestmark = [pytest.mark.timeout(600), pytest.mark.several_machines]


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Night]:
    found = prepare(tmp_path_factory.mktemp("nights"), tuple(STAGES))
    return {night.name: night for night in found}


@pytest.mark.parametrize("name", STAGES)
def test_build_killed_again_and_again_ends_as_if_undisturbed(
    nights: dict[str, Night], name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    night, moments = nights[name], random.Random(7)
    # Just before any change of a file within the stage.
    deaths = [
        Death(stage.name, moments.randrange(stage.changes), 0.0, GROUP)
        for stage in night.stages
        if stage.name in STAGES[name]
    ]
    assert survive(night, tmp_path_factory.mktemp("killed") / "store", deaths) == STAGES[name]


def test_undisturbed_night_goes_through_every_stage_that_kills_name(
    nights: dict[str, Night],
) -> None:
    assert [stage.name for stage in nights[CHANGED].stages] == list(ALL_STAGES)
