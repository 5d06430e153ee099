from __future__ import annotations

from factmill.models.answering.tables.question_words import QuestionWords
from factmill.models.answering.tables.table_question import TableQuestion
from factmill.models.answering.tables.typed_table import typed_table


def test_words_with_given_stems_are_understood() -> None:
    table = typed_table("| Town | Mills |\n| --- | --- |\n| Oss | 2 |\n| Fell | 3 |")
    assert table is not None
    question = TableQuestion(QuestionWords.of("Where do the brewers brew?"), table, frozenset())
    assert question.asked.not_understood == {3, 4}
    question.understand_stems(frozenset(("brew",)))
    assert question.asked.not_understood == set()
