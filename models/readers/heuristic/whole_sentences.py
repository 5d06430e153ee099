"""Reads text of languages that no rule is made for: sentences are stated as they stand."""

from __future__ import annotations

from factmill.models.readers.fact_rules import fact_fault
from factmill.models.readers.heuristic.english import reads_english
from factmill.models.readers.heuristic.other_speakers import other_speaker_fault
from factmill.models.readers.heuristic.statement_forms import one_line, short_fault
from factmill.models.readers.heuristic.statements import states_something
from factmill.models.readers.reading import Fault, Reading, Statement
from factmill.models.text.sentences import split_sentences

UNSUPPORTED_LANGUAGE = "unsupported_language"
_FEWEST_WORDS = 4


def read_whole_sentences(text: str) -> Reading:
    """The sentences that state something, and the faults; no questions."""
    statements: dict[str, Statement] = {}
    faults: list[Fault] = []
    for start, end in split_sentences(text):
        sentence = text[start:end]
        if not states_something(sentence, english=False) or sentence.endswith(("?", "？", "か。")):
            continue
        if sentence.isascii() and len(sentence.split()) < _FEWEST_WORDS:
            continue  # "Find out more."
        if reads_english(sentence) and not states_something(sentence, english=True):
            continue  # "Looks like we're having trouble": the site's, not the page's
        stated = one_line(sentence)
        if fault := fact_fault(stated) or other_speaker_fault(stated):
            faults.append(short_fault(fault, stated))
        else:
            statements.setdefault(stated, Statement(stated, start, end, ("other_language",)))
    if statements:
        faults.append(Fault(UNSUPPORTED_LANGUAGE, "questions are asked of English text only"))
    return Reading(tuple(statements.values()), (), tuple(faults))
