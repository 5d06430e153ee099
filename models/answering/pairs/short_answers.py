"""Answers of QA pairs, without what their question says already.

"Who was Ann Lee?"    a pair's "Ann Lee was a Danish director."    -> "a Danish director"
"""

from __future__ import annotations

from collections.abc import Sequence

from factmill.models.answering.answer_candidates import Candidate, Source, best_of_each
from factmill.models.answering.candidate_scores import without_itself
from factmill.models.answering.relations.relation_extractor import related
from factmill.models.answering.sentences.sentence_answers import answers_in_sentences
from factmill.models.answering.words.asked_for import AskedFor
from factmill.models.answering.words.content_words import stem_set
from factmill.models.answering.words.question_kinds import Kind


def shortened(
    question: str, asked: AskedFor, stored: Sequence[Candidate], sources: Sequence[Source]
) -> list[Candidate]:
    """Answers of pairs. Of one that is a sentence about what is asked about, what it says new."""
    found = []
    for answer in stored:
        source = sources[answer.source]
        short = None
        says = stem_set(answer.text)
        is_sentence = asked.stems <= says or (asked.names and asked.names <= says)
        if is_sentence and asked.kind is not Kind.REASON:
            sentence = Source(source.text[answer.start : answer.end], source.title, source.score)
            short = next(iter(_in_sentence(question, asked, sentence)), None)
        if short is not None:
            start, end = answer.start + short.start, answer.start + short.end
            answer = answer._replace(text=short.text, start=start, end=end)
        found.append(answer)
    return found


def _in_sentence(question: str, asked: AskedFor, sentence: Source) -> list[Candidate]:
    """Candidates within one sentence that answers the question, best first."""
    stated = best_of_each(without_itself(asked, list(related(question, [sentence]))))
    return stated or best_of_each(without_itself(asked, answers_in_sentences(asked, [sentence])))
