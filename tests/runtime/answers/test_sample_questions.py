"""The 60 questions about the sample crawl: they fit the crawl."""

from __future__ import annotations

import json
from collections import Counter

from factmill.runtime.evaluate import read_questions
from tests.conftest import SAMPLES

QUESTIONS = read_questions(SAMPLES / "questions_for_answers.jsonl")


def test_there_are_sixty_of_many_kinds_and_a_fifth_has_no_answer() -> None:
    kinds = Counter(question.dataset for question in QUESTIONS)

    assert len({question.id for question in QUESTIONS}) == len(QUESTIONS) == 60
    assert set(kinds) == {
        "fact", "date", "table", "negation", "list", "chain", "closed", "comparison",
        "unanswerable",
    }  # fmt: skip
    assert kinds["unanswerable"] == 12


def test_what_has_an_answer_names_pages_of_the_crawl() -> None:
    lines = (SAMPLES / "pages.jsonl").read_text(encoding="utf-8").splitlines()
    ids = {json.loads(line)["id"] for line in lines if line.endswith("}")}
    for question in QUESTIONS:
        assert bool(question.answers) == bool(question.gold_ids), question.id
        assert bool(question.answers) != (question.dataset == "unanswerable"), question.id
        for name in question.gold_ids:
            in_warc = name.startswith("<urn:uuid:")
            assert in_warc or name in ids or (SAMPLES / "html" / name).is_file(), name
