from __future__ import annotations

from factmill.models.answering.tables.question_mentions import ReadQuestion
from factmill.models.answering.tables.question_words import QuestionWords
from factmill.models.answering.tables.typed_table import typed_table


def test_words_with_given_stems_are_understood() -> None:
    table = typed_table("| Town | Mills |\n| --- | --- |\n| Oss | 2 |\n| Fell | 3 |")
    assert table is not None
    read = ReadQuestion(QuestionWords.of("Where do the brewers brew?"), table, frozenset())
    assert read.asked.unread == {3, 4}
    read.understand_stems(frozenset(("brew",)))
    assert read.asked.unread == set()
