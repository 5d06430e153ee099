"""The scorer of a build: the one that it learned, the package's, or a named error."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save

from factmill.models.links.build_scorer import (
    CARD,
    WEIGHTS,
    LinkScorerCard,
    build_scorer,
    link_scorer_card,
    write_scorer,
)
from factmill.models.links.link_scorer import FEATURES, LinkScorer, default_scorer
from factmill.schemas.errors import CorruptStore
from factmill.schemas.layout import BuildDir

SCORER = LinkScorer(
    np.ones((len(FEATURES), 2), np.float32), np.zeros(2, np.float32), np.ones(2, np.float32),
    np.array([0.5], np.float32),
)  # fmt: skip
FIGURES = {"package": {"all": {"recall@5": 0.5}}, "trained": {"all": {"recall@5": 0.75}}}
LINK_CARD = LinkScorerCard(list(FEATURES), "encoder", "b", True, {"file": "q.jsonl"}, FIGURES, [])


@pytest.fixture
def build(tmp_path: Path) -> BuildDir:
    build = BuildDir(tmp_path / "b")
    write_scorer(build, LINK_CARD, SCORER)
    return build


def test_build_scorer_that_was_written_is_read(build: BuildDir) -> None:
    found = build_scorer(build, "encoder")
    for name, tensor in SCORER.tensors().items():
        np.testing.assert_array_equal(found.tensors()[name], tensor)
    assert link_scorer_card(build) == LINK_CARD


def test_build_scorer_where_none_was_trained_or_none_is_better_is_the_package_s(
    tmp_path: Path,
) -> None:
    build = BuildDir(tmp_path / "b")
    assert build_scorer(build, "encoder") is default_scorer()
    assert link_scorer_card(build) is None
    write_scorer(build, replace(LINK_CARD, better=False), None)
    assert build_scorer(build, "another encoder") is default_scorer()
    assert not (build.link_scorer / WEIGHTS).exists()


def test_build_scorer_of_another_encoder_is_an_error(build: BuildDir) -> None:
    with pytest.raises(CorruptStore, match="trained for another encoder"):
        build_scorer(build, "another encoder")


@pytest.mark.parametrize(
    "change",
    [
        {"out": np.ones(3, np.float32)},
        {"hidden": np.ones((len(FEATURES) + 1, 2), np.float32)},
        {"hidden": np.ones((len(FEATURES), 2), np.float64)},
        {"out_bias": np.array([np.nan], np.float32)},
        {"out": np.float32(1)},
        None,
    ],
)
def test_build_scorer_with_weights_that_do_not_fit_is_an_error(
    build: BuildDir, change: dict[str, Any] | None
) -> None:
    tensors = SCORER.tensors() | change if change else {}
    content = save({name: np.asarray(tensor) for name, tensor in tensors.items()})
    Path(str(build.link_scorer / WEIGHTS)).write_bytes(content)
    with pytest.raises(CorruptStore, match="not the weights of a link scorer"):
        build_scorer(build, "encoder")


@pytest.mark.parametrize("content", [b"", b"\xff" * 20, None, b"\0" * (1 << 20) + b"\0"])
def test_build_scorer_with_damaged_or_missing_weights_is_an_error(
    build: BuildDir, content: bytes | None
) -> None:
    path = Path(str(build.link_scorer / WEIGHTS))
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    with pytest.raises(CorruptStore, match="not the weights of a link scorer"):
        build_scorer(build, "encoder")


@pytest.mark.parametrize(
    "change",
    [
        {"format": 2}, {"features": [*FEATURES[1:], "fused"]}, {"better": "yes"}, {"more": 1},
        {"training": []}, {"held_out": []}, {"held_out": {"package": {"all": 0.5}}},
        {"held_out": {"package": {"all": {"recall@5": "0.5"}}}},
    ],
)  # fmt: skip
def test_build_scorer_with_an_invalid_card_is_an_error(
    build: BuildDir, change: dict[str, Any]
) -> None:
    path = Path(str(build.link_scorer / CARD))
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(CorruptStore, match="not the card of a link scorer"):
        build_scorer(build, "encoder")
