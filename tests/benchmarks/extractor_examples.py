"""Makes training examples of the span extractor from questions with gold passages.

    python -m tests.benchmarks.extractor_examples QUESTIONS.jsonl PASSAGES.parquet OUT.jsonl

Each question with one gold passage that contains an answer gives a window of sentences around the
answer, below the title. One in six gives a window without the answer, which has no answer.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow.parquet as pq

from factmill.models.answering.sentences.sentence_spans import sentence_spans
from factmill.models.answering.words.content_words import stem_set

_MAX_CHARACTERS = 500
_MAX_ANSWER_CHARACTERS = 100
_SETS = ("nq_oracle", "squad_xquad")


def windows(
    question: dict[str, Any], title: str, text: str, shuffle: random.Random
) -> Iterator[dict[str, Any]]:
    """At most one example of the question."""
    sentences = list(sentence_spans(text))
    asked = stem_set(question["question"])
    found = [
        (len(asked & stem_set(text[start:end])), -match.start(), match)
        for answer in question["answers"]
        if len(answer) <= _MAX_ANSWER_CHARACTERS
        for match in re.finditer(rf"(?<!\w){re.escape(answer)}(?!\w)", text)
        for start, end in sentences
        if start <= match.start() and match.end() <= end
    ]
    if not found:
        return
    match = max(found, key=lambda one: one[:2])[2]
    holder = next(n for n, (_, end) in enumerate(sentences) if match.end() <= end)
    if shuffle.random() < 1 / 6:
        holders = {n for n, (a, b) in enumerate(sentences) if match.group() in text[a:b]}
        apart = [n for n in range(len(sentences)) if n not in holders]
        if apart:
            first = last = shuffle.choice(apart)
            first, last = _widened(sentences, first, last, holders, shuffle)
            body = text[sentences[first][0] : sentences[last][1]]
            yield _row(question, f"{title}\n{body}", "", 0)
        return
    first, last = _widened(sentences, holder, holder, set(), shuffle)
    start, end = sentences[first][0], sentences[last][1]
    context = f"{title}\n{text[start:end]}"
    yield _row(question, context, match.group(), len(title) + 1 + match.start() - start)


def _widened(
    sentences: Sequence[tuple[int, int]],
    first: int,
    last: int,
    closed: set[int],
    shuffle: random.Random,
) -> tuple[int, int]:
    """The first and last sentence of a window, widened to both sides."""
    while True:
        sides = [n for n in (first - 1, last + 1) if 0 <= n < len(sentences) and n not in closed]
        wider = [
            n
            for n in sides
            if sentences[max(last, n)][1] - sentences[min(first, n)][0] <= _MAX_CHARACTERS
        ]
        if not wider:
            return first, last
        chosen = shuffle.choice(wider)
        first, last = min(first, chosen), max(last, chosen)


def _row(question: dict[str, Any], context: str, answer: str, start: int) -> dict[str, Any]:
    answers = {"text": [answer], "answer_start": [start]} if answer else {}
    return {
        "id": question["id"],
        "question": question["question"],
        "context": context,
        "answers": answers or {"text": [], "answer_start": []},
    }


def main(questions: str, passages: str, out: str) -> None:
    """Write the examples."""
    table = pq.read_table(passages, columns=["id", "title", "text"])
    pages = {row["id"]: row for row in table.to_pylist()}
    shuffle = random.Random(17)
    count = 0
    with open(questions, encoding="utf-8") as lines, open(out, "w", encoding="utf-8") as target:
        for line in lines:
            question = json.loads(line)
            page = pages.get(question["gold_ids"][0])
            if question["dataset"] not in _SETS or len(question["gold_ids"]) > 1 or page is None:
                continue
            for row in windows(question, page["title"], page["text"], shuffle):
                target.write(json.dumps(row, ensure_ascii=False) + "\n")
                count += 1
    print(f"{count} examples")


if __name__ == "__main__":
    main(*sys.argv[1:])
