"""Questions of a build's own QA pairs: one of each page, and their gold pages are there."""

from __future__ import annotations

from pathlib import Path

from factmill.pipelines.own_questions import own_questions
from factmill.pipelines.relevance_rankings import rankings_of
from tests.runtime.tiny_build import tiny_build, tiny_index


def test_own_questions_are_of_different_pages_which_are_gold(tmp_path: Path) -> None:
    index = tiny_index(tiny_build(tmp_path / "store"))
    pages = {page for page, _, _ in index.page_names()}

    asked = own_questions(index, 5)
    rankings = rankings_of(index.without_pairs(), asked)

    assert len({question.gold_ids for question in asked}) == len(asked) > 1
    assert all(question.gold_ids <= pages and question.answers for question in asked)
    assert [ranking.gold.sum() for ranking in rankings] == [1] * len(asked)
    assert own_questions(index, 1) == asked[:1]
