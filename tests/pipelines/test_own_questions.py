"""Questions of a build's own QA pairs: one of each page, their gold pages there, no pair seen."""

from __future__ import annotations

from factmill.pipelines.own_questions import own_questions
from factmill.pipelines.relevance_rankings import rankings_of
from factmill.runtime.opening import open_index
from tests.conftest import Museum


def test_own_questions_are_of_different_pages_and_find_them(built_museum: Museum) -> None:
    with open_index(built_museum.store.root) as index:
        asked = own_questions(index, 5)
        rankings = rankings_of(index.without_pairs(), asked)
        pages = {page for page, _, _ in index.page_names()}

        assert own_questions(index, 3) == asked[:3]
    assert len({question.gold_ids for question in asked}) == len(asked) == 5
    assert all(question.gold_ids <= pages and question.answers for question in asked)
    assert len(rankings) == 5
    assert all(ranking.gold.sum() == 1 for ranking in rankings)
