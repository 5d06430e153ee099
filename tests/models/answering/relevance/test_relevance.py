"""Relevance of retrieved documents: features, training, and the scorer of the package."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from factmill.models.answering.relevance.judged_search import (
    JudgedSearch,
    with_noise,
    without_help,
)
from factmill.models.answering.relevance.learned_relevance import (
    LearnedRelevance,
    RelevanceWeights,
)
from factmill.models.answering.relevance.relevance import RetrievedDocument, default_relevance
from factmill.models.answering.relevance.relevance_features import (
    FEATURES,
    SCORES,
    relevance_features,
)
from factmill.models.answering.relevance.relevance_training import train_relevance

QUESTION = "When was the Skell Mill built?"
MILL = RetrievedDocument(
    "Skell Mill", "Skell Mill was built in 1742 by Ada Brock.", 0.8, 1,
    "Skell Mill was built in 1742.", 0.75,
)  # fmt: skip
RIVER = RetrievedDocument(
    "Skell", "The Skell flows past a mill.", 0.6, 2, "The Skell flows past a mill.", 0.5
)
KELP = RetrievedDocument("Kelp", "Kelp grows under water.", 0.5, 3, "Kelp grows under water.", 0.4)


def column(name: str, *documents: RetrievedDocument) -> list[float]:
    found = relevance_features(QUESTION, documents)[:, FEATURES.index(name)]
    return [round(value, 4) for value in found.tolist()]


def searches(count: int) -> list[JudgedSearch]:
    """Each about a mill of its own."""
    names = [f"M{chr(97 + number // 20)}{chr(97 + number % 20)}l" for number in range(count)]
    return [
        JudgedSearch(
            QUESTION.replace("Skell", name),
            tuple(
                replace(one, **{
                    part: getattr(one, part).replace("Skell", name)
                    for part in ("title", "text", "unit")
                })
                for one in (MILL, RIVER, KELP)
            ),
            (True, False, False),
        )
        for name in names
    ]  # fmt: skip


def test_words_that_all_documents_have_count_less_than_those_of_few() -> None:
    covered = column("covered", MILL, RIVER, KELP)

    assert covered[0] == 1.0 > covered[1] > covered[2] == 0.0


def test_title_that_the_question_names_is_told_from_others() -> None:
    assert column("title_named", MILL, RIVER, KELP) == [1.0, 1.0, 0.0]
    assert column("names_in_title", MILL, KELP)[1] == 0.0


def test_kind_of_answer_is_looked_for_in_unit_and_text() -> None:
    assert column("kind_fits_unit", MILL, RIVER) == [1.0, 0.0]
    assert column("kind_date", MILL, RIVER) == [1.0, 0.0]
    assert column("kind_number", MILL, RIVER) == [0.0, 0.0]


def test_scores_are_told_beside_those_of_the_other_documents() -> None:
    assert column("below_best", MILL, RIVER, KELP) == [0.0, 0.2, 0.3]
    assert column("above_next", MILL, RIVER, KELP) == [0.2, 0.1, 0.0]
    assert column("best_above_next", MILL, RIVER, KELP) == [0.2, 0.2, 0.2]


@pytest.mark.parametrize("count", [0, 1])
def test_search_with_hardly_a_document_has_finite_features(count: int) -> None:
    found = relevance_features("?", [MILL][:count])

    assert found.shape == (count, len(FEATURES))
    assert np.isfinite(found).all()


def test_noise_takes_half_of_the_places_and_keeps_their_scores() -> None:
    whole = searches(6)
    for before, after in zip(whole, with_noise(whole), strict=True):
        changed = [a.text != b.text for a, b in zip(before.documents, after.documents, strict=True)]

        assert sum(changed) <= 1
        assert [one.score for one in after.documents] == [0.8, 0.6, 0.5]
        assert not any(helps and new for helps, new in zip(after.relevant, changed, strict=True))


def test_search_without_help_has_new_ranks_and_nothing_relevant() -> None:
    rest = without_help(searches(1)[0])

    assert [document.rank for document in rest.documents] == [1, 2]
    assert rest.relevant == (False, False)


def test_training_finds_what_helps_in_searches_it_has_not_seen() -> None:
    weights = train_relevance(searches(60), "encoder-a")
    score_columns = [FEATURES.index(name) for name in SCORES]

    features = np.vstack([one.features() for one in searches(3)])
    other = features.copy()
    other[:, score_columns] += 1
    without = weights.without_scores.chances
    np.testing.assert_array_equal(without(features), without(other))
    for encoder in ("encoder-a", "encoder-b"):
        good, near, bad = LearnedRelevance(weights, encoder).relevance(
            QUESTION, [MILL, RIVER, KELP]
        )
        assert good > 0.5 > near > 0
        assert bad < 0.5


def test_weights_are_read_as_they_were_written() -> None:
    weights = train_relevance(searches(10), "encoder-a")
    again = RelevanceWeights.of(weights.tensors())

    assert again.encoder == "encoder-a"
    np.testing.assert_array_equal(again.with_scores.hidden, weights.with_scores.hidden)


def test_shipped_scorer_keeps_the_page_and_leaves_out_noise() -> None:
    scorer = default_relevance()

    good, _, bad = scorer.relevance(QUESTION, [MILL, RIVER, KELP]).tolist()

    assert good > 0.5 > bad
    assert scorer.relevance(QUESTION, []).shape == (0,)
