from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from factmill.models.pages.kind_model import (
    MAX_DEVIATIONS,
    MIN_WORDS,
    PAGE_KINDS,
    KindModel,
    PageSigns,
    kind_model,
)
from tests.benchmarks.page_models.kind_training import save_kinds

WORDS = [f"c:word{n}" for n in range(MIN_WORDS)]


def _model() -> KindModel:
    """Each of its words is worth a half for forums, each link one against them."""
    forum = np.eye(len(PAGE_KINDS), dtype=np.float32)[[PAGE_KINDS.index("forum")]]
    return KindModel(
        {word: row for row, word in enumerate(WORDS)},
        ("tag_a",),
        np.array([4], np.float32),
        np.array([2], np.float32),
        np.repeat(forum / 2, len(WORDS), axis=0),
        -forum,
        np.zeros(len(PAGE_KINDS), np.float32),
    )


def _signs(words: list[str], links: float) -> PageSigns:
    return PageSigns(frozenset(words), {"tag_a": links, "tag_p": 1.0})


def test_kind_is_the_likeliest_by_the_sum_of_what_signs_are_worth() -> None:
    guess = _model().guess(_signs([*WORDS[:6], "c:other"], 6.0))
    lead = np.exp(6 / 2 - 1)  # six words; links one deviation above the mean
    assert guess.kind == "forum"
    assert guess.confidence == pytest.approx(lead / (lead + len(PAGE_KINDS) - 1))
    assert float(guess.probabilities.sum()) == pytest.approx(1)
    assert guess.words == 6


def test_kind_number_beyond_the_farthest_counts_as_the_farthest() -> None:
    model = _model()
    far, farther = (model.guess(_signs([], 4 + 2 * MAX_DEVIATIONS * n)) for n in (1, 9))
    assert far.probabilities.tolist() == farther.probabilities.tolist()


def test_kind_of_a_page_with_few_of_the_models_words_is_not_reliable() -> None:
    model = _model()
    assert model.guess(_signs(WORDS, 4.0)).is_reliable
    assert not model.guess(_signs(WORDS[1:], 4.0)).is_reliable


def test_kind_of_a_page_that_says_enough_by_labels_alone_is_not_reliable() -> None:
    model = _model()
    labels = [f"w:word{n}" for n in range(MIN_WORDS)]
    read = replace(model, words=dict(zip(labels, range(MIN_WORDS), strict=True)))
    assert read.guess(_signs(labels, 4.0)).words == 0
    assert read.guess(_signs(labels, 4.0)).kind == "forum"


def test_kind_model_saved_and_loaded_guesses_the_same(tmp_path: Path) -> None:
    save_kinds(_model(), tmp_path / "kinds.npz")
    signs = _signs(WORDS[:3], 3.0)
    loaded = KindModel.load(tmp_path / "kinds.npz").guess(signs)
    assert loaded.probabilities.tolist() == _model().guess(signs).probabilities.tolist()


def test_kind_model_that_ships_has_a_weight_for_every_sign_and_kind() -> None:
    model = kind_model()
    assert model.word_weights.shape == (len(model.words), len(PAGE_KINDS))
    assert model.number_weights.shape == (len(model.numbers), len(PAGE_KINDS))
