"""The evidence that the hybrid strategy shows an LLM: ten passages, tables, and a table's own
answer.

Passages are segments: first the best one of each page, then more of each. Tables are cut off after
4,000 characters in total (section 4.2 of the paper); those that answer by themselves come first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from factmill.models.answering.attributes.attributes import Attributes
from factmill.models.answering.tables.answers_in_tables import table_answers
from factmill.models.answering.tables.table_answers import TABLE_THRESHOLD
from factmill.models.answering.tables.table_evaluation import TableAnswer
from factmill.models.answering.words.content_words import stem_set
from factmill.runtime.answers.answer import RETRIEVE, AnswerStep, Citation, StepHit, cite
from factmill.runtime.answers.calculations import asks_for_numbers
from factmill.runtime.answers.combined_answers import TABLE
from factmill.runtime.answers.found_facts import source_of
from factmill.runtime.answers.freshness import fresh_hits
from factmill.runtime.answers.hops import pages_found
from factmill.runtime.answers.passages import ShownPassage, ShownPassages, of_segment
from factmill.runtime.answers.question_attributes import ATTRIBUTES_STEP
from factmill.runtime.answers.session import Session
from factmill.runtime.search.hits import Hit

# Pages, segments of each, and further tables of the best page.
_PAGES, _SEGMENTS, _TABLES = 10, 4, 20
_PASSAGES = 10
_TABLE_CHARACTERS = 4000
# The header, the line below it, and a row.
_LINES_WITH_A_ROW = 3
_PROMPT_TOKENS = 3000
# Tokens of prompts without passages and of replies; more if there is something to compute.
_BESIDE, _BESIDE_NUMBERS = 2200, 800


@dataclass(frozen=True, slots=True)
class ShownEvidence:
    """The evidence. `added_up` is the confident answer of one of the tables, `cells` are those that
    decide it.
    """

    passages: ShownPassages
    added_up: TableAnswer | None = None
    cells: tuple[Citation, ...] = ()

    def covers(self, question: str) -> bool:
        """Whether one passage has all content words of the question."""
        asked = stem_set(question)
        return any(asked <= stem_set(f"{one.title} {one.text}") for one in self.passages)


async def gather_evidence(
    session: Session, attributes: Attributes, facts: Sequence[ShownPassage] = ()
) -> ShownEvidence:
    """Search, drop pages that are too old, and choose what fits into a prompt. `facts` come
    first.
    """
    began = session.begin()
    found = await session.search_pages(session.question, _PAGES, _SEGMENTS, _TABLES)
    hits = await fresh_hits(session, attributes, in_turns(found))
    step = AnswerStep(
        RETRIEVE, RETRIEVE, session.question, needs=(ATTRIBUTES_STEP,), hits=pages_found(hits)
    )
    session.record(step, began)
    texts = [hit for hit in hits if hit.start is not None][:_PASSAGES]
    began = session.begin()
    asked = table_answers(session.question, [source_of(hit) for hit in hits])
    added_up, cells = _added_up(session, hits, asked, began)
    sure = {hits[number].segment_id: one.score for number, one in asked}
    tables = [hit for hit in hits if hit.start is None]
    tables.sort(key=lambda hit: -sure.get(hit.segment_id, 0.0))
    passages = ShownPassages()
    for fact in facts:
        passages.add(fact)
    room = _room(session)
    shown = [of_segment(hit) for hit in texts]
    taken = passages.add_fitting(shown, room * 2 // 3 if tables else room, session.count_tokens)
    passages.add_fitting(_cut(tables), room - taken, session.count_tokens)
    return ShownEvidence(passages, added_up, cells)


def _added_up(
    session: Session, hits: Sequence[Hit], asked: Sequence[tuple[int, TableAnswer]], began: float
) -> tuple[TableAnswer | None, tuple[Citation, ...]]:
    """The best of the tables' answers if it is sure, recorded as a step, and its cells."""
    number, best = max(asked, key=lambda one: one[1].score, default=(0, None))
    if best is None or best.score < TABLE_THRESHOLD:
        return None, ()
    step = AnswerStep(
        TABLE,
        TABLE,
        session.question,
        needs=(RETRIEVE,),
        hits=(StepHit.of(hits[number]),),
        answer=f"{best.derivation}: {best.text}",
    )
    session.record(step, began)
    return best, tuple(cite(hits[number], start, end) for start, end in best.cells)


def _room(session: Session) -> int:
    """Tokens for passages: if numbers are asked for, they are shown twice; the prompts around them
    and the replies need some too.
    """
    left = session.tokens_left() - _BESIDE
    if asks_for_numbers(session.question):
        left = (left - _BESIDE_NUMBERS) // 2
    return max(0, min(_PROMPT_TOKENS, left))


def in_turns(hits: Sequence[Hit]) -> list[Hit]:
    """The first segment of each page, then the second of each, and so on."""
    by_page: dict[str, list[Hit]] = {}
    for hit in hits:
        by_page.setdefault(hit.page_id, []).append(hit)
    turns = zip_longest(*by_page.values())
    return [hit for turn in turns for hit in turn if hit is not None]


def _cut(tables: Iterable[Hit]) -> list[ShownPassage]:
    """Tables as passages, up to a number of characters; the last one is cut at a row."""
    shown: list[ShownPassage] = []
    left = _TABLE_CHARACTERS
    for hit in tables:
        passage = of_segment(hit)
        if len(passage.text) > left:
            cut = passage.text[:left].rpartition("\n")[0]
            if sum(line.startswith("|") for line in cut.split("\n")) < _LINES_WITH_A_ROW:
                break
            passage = replace(passage, text=cut, citation=cite(hit, 0, len(cut)))
        shown.append(passage)
        left -= len(passage.text)
    return shown
