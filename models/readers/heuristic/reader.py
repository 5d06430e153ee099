"""The reader that needs no network and no weights: rules for English, deterministic.

    sentence -> clauses, the page named in each -> taken apart into propositions -> questions
    table    -> a proposition a row, a QA pair a cell
    question -> paired with the sentence that follows it

Text in other languages yields its sentences as propositions, because no rule matches it.
"""

from __future__ import annotations

import re

from factmill.models.readers.heuristic.aligned_text import (
    AlignedText,
    realigned,
    unaligned,
    verbatim,
)
from factmill.models.readers.heuristic.clauses import split_clauses
from factmill.models.readers.heuristic.cloze import questions_from
from factmill.models.readers.heuristic.coreference import PronounResolver, page_subject
from factmill.models.readers.heuristic.decomposition import decompose
from factmill.models.readers.heuristic.table_rows import read_table
from factmill.models.readers.question_rules import question_faults, words
from factmill.models.readers.reading import AtomicQuestion, Reading, Statement
from factmill.models.text.sentences import split_sentences
from factmill.schemas.errors import Rejected
from factmill.schemas.fingerprint import code_fingerprint
from factmill.schemas.records import Segment

MIN_WORDS = 3
# Rules are made for sentences people write; longer ones are kept whole, unsplit and unquestioned.
MAX_RULE_CHARACTERS = 600
_SENTENCE_END = re.compile(r"[.!…][\"'”’)\]]*$")
_LETTER = re.compile(r"[^\W\d_]")


class HeuristicReader:
    """Reads a segment by rule. Stateless: one instance may read any number of segments."""

    fingerprint = "heuristic-" + code_fingerprint(
        (
            "models/readers/heuristic",
            "models/readers/reading.py",
            "models/readers/question_rules.py",
            "models/text/sentences.py",
        )
    )

    def read(self, segment: Segment, title: str) -> Reading:
        """Raises Rejected("no_units") when nothing in the segment states anything."""
        reading = (
            read_table(segment.text) if segment.kind == "table" else _read_text(segment.text, title)
        )
        if not reading.statements and not reading.questions:
            raise Rejected("no_units", "no sentence or table row that states anything")
        return reading


def _read_text(text: str, title: str) -> Reading:
    pronouns = PronounResolver(page_subject(title))
    statements: list[Statement] = []
    questions: list[AtomicQuestion] = []
    asked: tuple[int, int] | None = None
    for start, end in split_sentences(text):
        sentence = text[start:end]
        if sentence.endswith("?"):
            asked = (start, end)
            continue
        if not _states_something(sentence):
            continue
        first = len(statements)
        for statement, aligned in _statements(sentence, start, pronouns):
            questions.extend(_questions(statement, aligned, start, len(statements)))
            statements.append(statement)
        if asked:
            question = " ".join(text[slice(*asked)].split())
            if not question_faults(question):
                questions.append(AtomicQuestion(question, start, end, first))
            asked = None
    return Reading(tuple(statements), tuple(questions))


def _states_something(sentence: str) -> bool:
    """Headings, menu entries and numbers state nothing; a short sentence with a full stop may."""
    count = len(words(sentence))
    if count < MIN_WORDS or not _LETTER.search(sentence):
        return False
    return count > 2 * MIN_WORDS or _SENTENCE_END.search(sentence) is not None


def _statements(
    sentence: str, offset: int, pronouns: PronounResolver
) -> list[tuple[Statement, AlignedText]]:
    """The sentence's propositions, each with what it is made of."""
    if len(sentence) > MAX_RULE_CHARACTERS:
        aligned_texts = [unaligned(sentence)]
    else:
        aligned_texts = []
        for begin, end in split_clauses(sentence):
            clause = verbatim(sentence, begin, end)
            text = pronouns.resolve(_capitalized(clause.text))
            aligned_texts += decompose(realigned(clause, text))
    found = []
    for aligned in aligned_texts:
        start, end = aligned.evidence()
        text = _capitalized(aligned.text)
        if end < len(sentence):
            text = text.rstrip(" ,;:")
            text += "" if text[-1] in ".!?" else "."
        statement = Statement(_one_line(text), offset + start, offset + end)
        found.append((statement, aligned))
    return found


def _questions(
    statement: Statement, aligned: AlignedText, offset: int, index: int
) -> list[AtomicQuestion]:
    """Questions whose answers are verbatim in the sentence."""
    found = []
    for cloze in questions_from(statement.text):
        span = aligned.source(cloze.start, cloze.end)
        if span:
            start, end = span
            found.append(AtomicQuestion(cloze.question, offset + start, offset + end, index))
    return found


def _capitalized(text: str) -> str:
    return text[0].upper() + text[1:]


def _one_line(text: str) -> str:
    return " ".join(text.split())
