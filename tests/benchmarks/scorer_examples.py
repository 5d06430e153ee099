"""Questions with the segments of passages that answer them, and with segments that do not.

Five kinds of files give questions: the QA pairs that LLMs wrote for passages
(`compactrag/*-qa.jsonl`; their answers are sentences, and what these say new is the answer, if it
stands in the passage), questions with QA pairs and an annotated answer
(`compactrag/qa/train.json`), questions with gold passages (`retrieval/questions.train.jsonl`), and
questions that were written for segments, and for tables. Segments without the answer are others of
the passage, or those that share the rarest words with the question.
"""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import log
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from factmill.models.answering.sentences.sentence_spans import sentence_spans
from factmill.models.answering.sentences.spans import typed_spans
from factmill.models.answering.span_models.extracted import BLOCKS
from factmill.models.answering.span_models.extraction_training import read_extracted
from factmill.models.answering.span_scoring.row_lines import RowLines, row_lines
from factmill.models.answering.words.answer_words import answer_words, holds_answer
from factmill.models.answering.words.asked_for import asked_for
from factmill.models.answering.words.content_words import content_stems, stem_set
from factmill.models.answering.words.question_kinds import Kind
from factmill.models.text.markdown_tables import markdown_rows
from factmill.transforms.clean.chunks import chunk_sentences

_WORD = re.compile(r"[^\W_]+(?:['’.,-][^\W_]+)*")
# Answers longer than this are no spans that are asked for.
_MAX_WORDS = 12
# Words that an answer does not begin or end with.
_EDGE = frozenset(
    (
        "the a an of in on at by for to from with and or as is are was were be been being it its "
        "he she they his her their that which who this these those has have had also into about "
        "during because s did does do"
    ).split()
)
# Answers of these kinds end before a date.
_WITHOUT_DATE = {*Kind} - {Kind.DATE, Kind.NUMBER, Kind.THING, Kind.REASON, Kind.CLOSED}
# QA pairs of a context that are shown together.
_PAIRS_SHOWN = 3
# Rare words of a question that are looked up, and passages that each may have.
_LOOKED_UP, _MAX_WITH_WORD = 8, 400


class Passage(NamedTuple):
    """A text in segments, as a build makes them."""

    title: str
    segments: tuple[str, ...]


class ScorerExample(NamedTuple):
    """A question with a segment; the answer stands at `start`, and is empty where there is none."""

    question: str
    title: str
    segment: str
    answer: str
    start: int


class Asked(NamedTuple):
    """A question with its passage, and answers that may stand there."""

    question: str
    passage: Passage
    answers: tuple[str, ...]


def passage_of(title: str, text: str) -> Passage:
    """The segments of a passage."""
    text = text.strip()
    chunks = chunk_sentences(text, [(start, end) for start, end in sentence_spans(text)])
    return Passage(title, tuple(text[one.start : one.end] for one in chunks))


def pairs_asked(paths: Sequence[Path], without: set[str]) -> Iterator[Asked]:
    """The QA pairs of passages, but for titles in `without`; a question once."""
    seen = set()
    for path in paths:
        for row in _rows(path):
            if row["title"] in without or not row["qa"]:
                continue
            passage = passage_of(row["title"], row["passage"])
            for pair in row["qa"]:
                question, answer = pair.get("question"), pair.get("answer")
                if not isinstance(question, str) or not isinstance(answer, str):
                    continue
                key = (row["title"], stem_set(question))
                said = said_new(question, answer)
                if key not in seen and said:
                    seen.add(key)
                    yield Asked(question, passage, (said,))


def said_new(question: str, answer: str) -> str:
    """What an answer says that its question does not; "" if that is not one run of words."""
    words = list(_WORD.finditer(answer))
    if len(words) <= 4 and not stem_set(answer) & stem_set(question):
        return answer.strip(" .")
    asked_words = {word.lower() for word in _WORD.findall(question)} | stem_set(question)
    new = [
        number
        for number, word in enumerate(words)
        if word.group().lower() not in asked_words
        and word.group().lower() not in _EDGE
        and not stem_set(word.group()) & asked_words
    ]
    if not new:
        return ""
    # Words between two new ones belong to the answer if they are small or names.
    run = [new[0]]
    for number in new[1:]:
        between = [words[one].group().lower() for one in range(run[-1] + 1, number)]
        if any(one not in _EDGE for one in between):
            return ""
        run.append(number)
    if run[-1] - run[0] >= _MAX_WORDS:
        return ""
    return _without_apposition(question, answer[words[run[0]].start() : words[run[-1]].end()])


def _without_apposition(question: str, said: str) -> str:
    """A date for a question for one; anything else up to what only describes it."""
    kind = asked_for(question).kind
    if kind is Kind.DATE:
        dates = list(typed_spans(said, 0, len(said), kind))
        return said[slice(*dates[0])] if len(dates) == 1 else ""
    said = re.split(r",? (?:which|who|that|where|whose)\b|, an? ", said)[0]
    if kind in _WITHOUT_DATE:
        said = re.split(r" on (?=[\w ]*\d)| in (?=\d)", said)[0]
    return said


def questions_asked(questions: Path, passages: Path) -> Iterator[Asked]:
    """Questions with their gold passages."""
    texts = {row["id"]: row for row in pq.read_table(passages).to_pylist()}
    for row in _rows(questions):
        for gold in row["gold_ids"]:
            if gold in texts and row["answers"]:
                passage = passage_of(texts[gold]["title"], texts[gold]["text"])
                yield Asked(row["question"], passage, tuple(row["answers"]))


def written_examples(path: Path, passages: Path | None = None) -> Iterator[ScorerExample]:
    """Questions that were written for segments which answer them, or seem to and do not; the answer
    to one for yes or no is what settles it. Those that were written for a passage of `passages`
    name it; without that file they are left out."""
    texts = {row["id"]: row for row in pq.read_table(passages).to_pylist()} if passages else {}
    for row in _rows(path):
        if "segment" in row:
            for one in row["questions"]:
                yield ScorerExample(
                    one["question"], row["title"], row["segment"], one["answer"], one["start"]
                )
        elif row["passage"] in texts:
            found = texts[row["passage"]]
            passage = passage_of(found["title"], found["text"])
            for one in row["questions"]:
                example = _of_passage(one["question"], one["answer"], passage)
                if example is not None:
                    yield example


def _of_passage(question: str, answer: str, passage: Passage) -> ScorerExample | None:
    """The question with the segment that answers it, or else with the one that is most like it."""
    if answer:
        return answered(Asked(question, passage, (answer,)))
    stems = stem_set(question)
    nearest = max(passage.segments, key=lambda one: len(stems & stem_set(one)), default="")
    return ScorerExample(question, passage.title, nearest, "", 0) if nearest else None


def table_examples(path: Path, others: float, shuffle: random.Random) -> Iterator[ScorerExample]:
    """Questions that were written for tables, with the lines of rows that are read for them; those
    whose answer is not among these are left out. For a share `others`, also with the next table,
    which was often written for the same subject."""
    rows = list(_rows(path))
    for row, following in zip(rows, [*rows[1:], rows[0]], strict=True):
        for asked in row["questions"]:
            question, answer = asked["question"], asked["answer"]
            lines = row_lines(question, row["table"])
            if lines is None:
                continue
            start = _cell_start(lines, row["table"], asked["row"], answer)
            if start >= 0 or not answer:
                yield ScorerExample(question, row["title"], lines.text, answer, max(0, start))
            elsewhere = row_lines(question, following["table"])
            if elsewhere and shuffle.random() < others and not holds_answer(elsewhere.text, answer):
                yield ScorerExample(question, following["title"], elsewhere.text, "", 0)


def _cell_start(lines: RowLines, table: str, row: str, answer: str) -> int:
    """Where the cell of the table's row stands in the lines; -1 for nowhere."""
    for cells in markdown_rows(table)[1:]:
        if cells and cells[0].plain == row:
            found = [(cell.start, cell.end) for cell in cells if cell.plain == answer]
            for one in lines.cells:
                if one.of_table in found:
                    return one.start
    return -1


def annotated_examples(
    path: Path, others: float, shuffle: random.Random
) -> Iterator[ScorerExample]:
    """Annotated questions with the QA pair that answers them, among up to two others of their
    context; for a share `others`, also with up to three pairs that do not answer."""
    for one in map(read_extracted, json.loads(path.read_text(encoding="utf-8"))):
        if one is None or not one.answer or one.start < 0 or BLOCKS in one.answer:
            continue
        blocks = one.context.split(BLOCKS)
        holder = one.context[: one.start].count(BLOCKS)
        rest = [block for number, block in enumerate(blocks) if number != holder]
        shuffle.shuffle(rest)
        shown = rest[: _PAIRS_SHOWN - 1]
        before = shuffle.randrange(len(shown) + 1)
        start = one.start - sum(len(block) + len(BLOCKS) for block in blocks[:holder])
        start += sum(len(block) + len(BLOCKS) for block in shown[:before])
        segment = BLOCKS.join([*shown[:before], blocks[holder], *shown[before:]])
        yield ScorerExample(
            one.question, "", segment, segment[start : start + len(one.answer)], start
        )
        without = BLOCKS.join(rest[:_PAIRS_SHOWN])
        if rest and shuffle.random() < others and not holds_answer(without, one.answer):
            yield ScorerExample(one.question, "", without, "", 0)


def answered(asked: Asked) -> ScorerExample | None:
    """The question with the segment of its passage that answers it, by the words that both have."""
    stems = stem_set(asked.question)
    best: tuple[float, ScorerExample] | None = None
    for segment in asked.passage.segments:
        for answer in asked.answers:
            if len(answer.split()) > _MAX_WORDS or not answer_words(answer):
                continue
            pattern = rf"(?<!\w){re.escape(answer)}(?!\w)"
            for match in re.finditer(pattern, segment, re.IGNORECASE):
                around = segment[max(0, match.start() - 150) : match.end() + 150]
                shared = len(stems & stem_set(around)) + 0.01 * len(answer)
                if best is None or shared > best[0]:
                    example = ScorerExample(
                        asked.question, asked.passage.title, segment, match.group(), match.start()
                    )
                    best = shared, example
    return best[1] if best else None


class Nearby:
    """Segments that share rare words with a question."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        self._segments = list(
            dict.fromkeys((one.title, text) for one in passages for text in one.segments)
        )
        self._with_word: dict[str, list[int]] = defaultdict(list)
        for number, (title, text) in enumerate(self._segments):
            for word in {*content_stems(title), *content_stems(text)}:
                self._with_word[word].append(number)

    def near(self, question: str, answers: Sequence[str], most: int) -> list[tuple[str, str]]:
        """Titles and texts of those without the answers, nearest first."""
        scores: dict[int, float] = defaultdict(float)
        stems = stem_set(question) & self._with_word.keys()
        rare = sorted(stems, key=lambda word: len(self._with_word[word]))[:_LOOKED_UP]
        for word in rare:
            members = self._with_word[word]
            if len(members) <= _MAX_WITH_WORD:
                for number in members:
                    scores[number] += log(len(self._segments) / len(members))
        found = []
        for number in sorted(scores, key=lambda one: -scores[one])[: 3 * most + 5]:
            if not any(holds_answer(self._segments[number][1], one) for one in answers):
                found.append(self._segments[number])
        return found[:most]


def readings_of(
    asked: Sequence[Asked], written: Sequence[ScorerExample], others: float, shuffle: random.Random
) -> list[ScorerExample]:
    """The questions with their segments, and for a share `others`, one without an answer."""
    nearby = Nearby(
        [one.passage for one in asked] + [Passage(one.title, (one.segment,)) for one in written]
    )
    found: list[ScorerExample] = []
    for one in asked:
        example = answered(one)
        if example is None:
            continue
        found.append(example)
        if shuffle.random() < others:
            found.extend(_unanswered(one, example, nearby, shuffle))
    for example in written:
        found.append(example)
        if example.answer and shuffle.random() < others:
            near = nearby.near(example.question, [example.answer], 3)
            found.extend(
                ScorerExample(example.question, title, text, "", 0) for title, text in near[:1]
            )
    return found


def _unanswered(
    asked: Asked, example: ScorerExample, nearby: Nearby, shuffle: random.Random
) -> Iterator[ScorerExample]:
    rest = [
        one
        for one in asked.passage.segments
        if one != example.segment and not any(holds_answer(one, text) for text in asked.answers)
    ]
    near = nearby.near(asked.question, asked.answers, 6)
    if rest and (not near or shuffle.random() < 0.4):
        yield ScorerExample(asked.question, asked.passage.title, shuffle.choice(rest), "", 0)
    elif near:
        title, text = shuffle.choice(near)
        yield ScorerExample(asked.question, title, text, "", 0)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)
