"""The reader that needs no network and no weights: rules for English, deterministic.

    sentence -> its subject named -> split into clauses -> propositions -> questions by verb frame
    table    -> a proposition a row, a QA pair a cell
    question -> paired with the sentence that follows it

Text in other languages yields its sentences as propositions, because no rule matches it.
"""

from __future__ import annotations

import re

from models.readers.heuristic.clauses import split_clauses
from models.readers.heuristic.cloze import questions_from
from models.readers.heuristic.subject import Resolver, page_subject
from models.readers.heuristic.table_rows import read_table
from models.readers.reading import Question, Reading, Statement
from models.readers.rules import question_faults, words
from models.sentences import split_sentences
from schemas.errors import Rejected
from schemas.fingerprint import code_fingerprint
from schemas.records import Segment

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
            "models/readers/rules.py",
            "models/sentences.py",
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
    resolver = Resolver(page_subject(title))
    statements: list[Statement] = []
    questions: list[Question] = []
    asked: tuple[int, int] | None = None
    for start, end in split_sentences(text):
        sentence = text[start:end]
        if sentence.endswith("?"):
            asked = (start, end)
            continue
        if not _states_something(sentence):
            continue
        first = len(statements)
        for statement, lead in _statements(sentence, start, resolver):
            questions.extend(_questions(statement, lead, text, len(statements)))
            statements.append(statement)
        if asked:
            question = " ".join(text[slice(*asked)].split())
            if not question_faults(question):
                questions.append(Question(question, start, end, first))
            asked = None
    return Reading(tuple(statements), tuple(questions))


def _states_something(sentence: str) -> bool:
    """Headings, menu entries and numbers state nothing; a short sentence with a full stop may."""
    count = len(words(sentence))
    if count < MIN_WORDS or not _LETTER.search(sentence):
        return False
    return count > 2 * MIN_WORDS or _SENTENCE_END.search(sentence) is not None


def _statements(sentence: str, offset: int, resolver: Resolver) -> list[tuple[Statement, int]]:
    """The sentence's propositions, each with the number of characters its text has in common with
    the end of its evidence (the part that was not rewritten)."""
    if len(sentence) > MAX_RULE_CHARACTERS:
        return [(Statement(_one_line(sentence), offset, offset + len(sentence)), 0)]
    found = []
    for clause in split_clauses(sentence):
        part = sentence[clause.start : clause.end]
        if clause.subject:
            named = resolver.resolve(sentence[: clause.end])
            subject = clause.subject
            if named[: len(subject)] != subject:  # the first part's pronoun was resolved
                subject = named[: len(named) - len(sentence[: clause.end]) + len(subject)]
            text = f"{subject} {part}"
        else:
            text = resolver.resolve(part[0].upper() + part[1:])
        common = _common_tail(text, part)
        if clause.end < len(sentence):
            text = text.rstrip(" ,;") + "."
        start = offset + clause.start
        found.append((Statement(_one_line(text), start, start + len(part)), common))
    return found


def _questions(statement: Statement, common: int, text: str, index: int) -> list[Question]:
    """Questions whose answers lie in the part of the statement that is verbatim in the segment."""
    evidence = text[statement.start : statement.end]
    found = []
    for cloze in questions_from(statement.text):
        answer = statement.text[cloze.start : cloze.end]
        position = evidence.rfind(answer, max(0, len(evidence) - common))
        if position >= 0:
            start = statement.start + position
            found.append(Question(cloze.question, start, start + len(answer), index))
    return found


def _common_tail(a: str, b: str) -> int:
    count = 0
    while count < min(len(a), len(b)) and a[-1 - count] == b[-1 - count]:
        count += 1
    return count


def _one_line(text: str) -> str:
    return " ".join(text.split())
