"""The reader against people: shared data, skipped where it is absent."""

import pytest

from tests.benchmarks.bench_propositions import by_rule, total, whole_sentences
from tests.conftest import DATA
from tests.human_propositions import Score, human_documents, score, words_of


def test_score_matches_one_to_one_and_the_most_similar_first() -> None:
    near, exact = words_of("a b c d e"), words_of("a b c d")
    assert score([near, exact], (exact,)) == Score(1, 2, 1)
    assert score([exact, exact], (exact, near)) == Score(2, 2, 2)
    assert score([words_of("a b c")], (exact,)) == Score(0, 1, 1)  # 0.75
    assert score([], (exact,)) == Score(0, 0, 1)


def test_words_of_case_and_punctuation_do_not_count() -> None:
    assert words_of("The U.S., (1990–91)!") == {"the", "u", "s", "1990", "91"}


@pytest.mark.skipif(not (DATA / "propositions").is_dir(), reason="needs the evaluation data")
@pytest.mark.parametrize(("half", "precision", "recall"), [(0, 0.50, 0.12), (1, 0.31, 0.055)])
def test_reader_finds_what_people_find(half: int, precision: float, recall: float) -> None:
    documents = human_documents(DATA)[half::2]
    found = total(documents, by_rule)
    assert found.precision >= precision
    assert found.recall >= recall
    assert found.precision > total(documents, whole_sentences).precision
