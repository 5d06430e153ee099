"""Twenty kills, one in each stage of a night and a few more. tests/benchmarks/kill_builds.py does
any number."""

from __future__ import annotations

import random

import pytest

from tests.killing.dying import GROUP, Death
from tests.killing.nights import CHANGED, FIRST, SAME, Night, prepare, survive
from tests.killing.stages import BEGIN, END

# Every stage of a night after changes; those of other nights that differ most from these.
STAGES = {
    FIRST: ["clean-shards", "learn", "manifest"],
    CHANGED: None,
    SAME: ["clean-splits", "clean-shards", "extract"],
}
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Night]:
    found = prepare(tmp_path_factory.mktemp("nights"), tuple(STAGES))
    return {night.name: night for night in found}


@pytest.mark.parametrize("name", STAGES)
def test_build_killed_again_and_again_ends_as_if_undisturbed(
    nights: dict[str, Night], name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    night, moments = nights[name], random.Random(7)
    wanted = STAGES[name] or [stage.name for stage in night.stages if stage.name != END]
    # Just before any change of a file within the stage.
    deaths = [
        Death(stage.name, moments.randrange(stage.changes), 0.0, GROUP)
        for stage in night.stages
        if stage.name in wanted
    ]
    assert len(deaths) == len(wanted)
    assert survive(night, tmp_path_factory.mktemp("killed") / "store", deaths) == wanted


def test_there_are_twenty_of_them(nights: dict[str, Night]) -> None:
    stages = [stage.name for stage in nights[CHANGED].stages]
    assert stages[0] == BEGIN
    assert stages[-1] == END
    assert len(stages) - 1 + len(STAGES[FIRST] or ()) + len(STAGES[SAME] or ()) == 20
