"""Reads text of languages that no rule is made for: sentences are stated as they stand, but for
those that lean on others (`leaning_sentences`) or state nothing.
"""

from __future__ import annotations

import re

from factmill.models.readers.fact_rules import fact_fault
from factmill.models.readers.heuristic.closed_classes import closed_classes
from factmill.models.readers.heuristic.english import reads_english
from factmill.models.readers.heuristic.leaning_sentences import leaning_fault
from factmill.models.readers.heuristic.statement_forms import short_fault, spaced_once
from factmill.models.readers.heuristic.statements import states_something
from factmill.models.readers.reading import Fault, Reading, Statement
from factmill.models.text.sentences import split_sentences

UNSUPPORTED_LANGUAGE = "unsupported_language"
# "Le leader français.", "Find out more."; languages of other scripts say more in a word.
_MIN_WORDS = 4
_LATIN = re.compile("[A-Za-zÀ-ɏ]")
# Questions, and exclamations, which praise or call to act.
_NO_STATEMENT = re.compile(r"(?:[?？؟!！][\"'”’»」』)]*|か。)$")


def read_whole_sentences(text: str) -> Reading:
    """The sentences that state something, and the faults; no questions."""
    statements: dict[str, Statement] = {}
    faults: list[Fault] = []
    language = closed_classes(text)
    for start, end in split_sentences(text):
        sentence = text[start:end]
        if not states_something(sentence, english=False) or _NO_STATEMENT.search(sentence):
            continue
        if len(sentence.split()) < _MIN_WORDS and _LATIN.match(sentence):
            continue
        if reads_english(sentence) and not states_something(sentence, english=True):
            continue  # "Looks like we're having trouble": the site's, not the page's
        stated = spaced_once(sentence)
        if fault := fact_fault(stated) or leaning_fault(stated, language):
            faults.append(short_fault(fault, stated))
        else:
            statements.setdefault(stated, Statement(stated, start, end, ("other_language",)))
    if statements:
        faults.append(Fault(UNSUPPORTED_LANGUAGE, "questions are asked of English text only"))
    return Reading(tuple(statements.values()), (), tuple(faults))
