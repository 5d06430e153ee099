"""Repeats CompactRAG's run on 2WikiMultihopQA with our retrieval instead of its own.

    python -m tests.benchmarks.bench_compactrag base RECORDED_QA.jsonl INPUT.jsonl
    factmill build STORE --input INPUT.jsonl --near-duplicates off
    python -m tests.benchmarks.bench_compactrag replay STORE RECORDED_ANSWERS.jsonl
    python -m tests.benchmarks.bench_compactrag answers STORE RECORDED_ANSWERS.jsonl

`base` makes a page of each QA pair that an LLM wrote for a passage. `replay` searches for the
sub-questions as they were rewritten in the recorded run, takes three pairs for each, and prints for
how many questions one of them contains the gold answer. `answers` runs the strategy `compactrag`
with an LLM that returns the recorded decomposition; factmill extracts the answers of sub-questions
and puts them into later ones. It prints the same share, and calls and tokens.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections.abc import Sequence
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any

from factmill.models.answering.decomposing.relation_steps import with_relation_steps
from factmill.models.answering.decomposing.subquestions import (
    BadDecomposition,
    read_decomposition,
    single,
)
from factmill.models.answering.words.answer_words import holds_answer
from factmill.models.llm.completion import Completion, Message, Usage
from factmill.models.llm.usage_estimates import estimated_tokens
from factmill.runtime.answers.answer_question import answer_async
from factmill.runtime.answers.answer_tools import AnswerTools
from factmill.runtime.answers.compactrag import DECOMPOSE, FACT_PAGES
from factmill.runtime.answers.hops import Hop, answer_hops
from factmill.runtime.answers.question_limits import QuestionLimits
from factmill.runtime.answers.session import Session
from factmill.runtime.index import Index
from factmill.runtime.opening import open_index

_PAIRS = 3


def write_base(recorded: Path, target: Path) -> int:
    """Write the distinct QA pairs as input of a build; returns their number."""
    written: set[tuple[str, str]] = set()
    with recorded.open(encoding="utf-8") as lines, target.open("w", encoding="utf-8") as out:
        for number, line in enumerate(lines):
            row = json.loads(line)
            for pair in row["qa"] or ():
                text = f"{pair['question']} {pair['answer']}"
                if pair.get("answer") and (row["title"], text) not in written:
                    written.add((row["title"], text))
                    page = {"id": f"{number}-{len(written)}", "title": row["title"], "text": text}
                    out.write(json.dumps(page, ensure_ascii=False) + "\n")
    return len(written)


def replay(store: str, recorded: Path) -> None:
    """Print for how many questions the gold answer was found, now and in the recorded run."""
    index = open_index(store)
    questions = [json.loads(line) for line in recorded.read_text(encoding="utf-8").splitlines()]
    ours = theirs = asked = 0
    for question in questions:
        gold, subs = question["gold_answer"], sub_questions(question)
        texts = [sub.get("rewrited") or sub["q"] for sub in subs]
        found = index.search_many(texts, _PAIRS)
        asked += len(texts)
        ours += any(holds_answer(hit.text, gold) for hits in found for hit in hits)
        theirs += any(holds_answer(_retrieved(sub), gold) for sub in subs)
    count = len(questions)
    print(f"{count} questions, {asked / count:.2f} sub-questions each")
    print(f"gold answer in {_PAIRS} pairs a sub-question: {ours / count:.3f}")
    print(f"recorded run: {theirs / count:.3f}")


class RecordedLlm:
    """An LLM that returns the recorded decomposition of a question, and its recorded answer, citing
    the first passage. Tokens are estimated.
    """

    def __init__(self, question: dict[str, Any]) -> None:
        self._question = question

    async def complete(
        self,
        messages: Sequence[Message],
        _max_tokens: int,
        _schema: dict[str, Any] | None = None,
        _deadline: float | None = None,
        step: str = "",
    ) -> Completion:
        said: dict[str, Any] = {
            "reasoning": "", "answer": str(self._question["pred_answer"]), "citations": [1],
        }  # fmt: skip
        if step == DECOMPOSE:
            said = decomposition(self._question)
        text = json.dumps(said)
        prompt = sum(estimated_tokens(message.content) for message in messages)
        return Completion(text, False, Usage(1, prompt, estimated_tokens(text)))


def sub_questions(question: dict[str, Any]) -> list[dict[str, Any]]:
    """The recorded sub-questions. Some replies of the LLM are stored unparsed, as one list of keys
    and values.
    """
    subs = question["sub"]
    if all(isinstance(sub, dict) for sub in subs):
        return list(subs)
    pairs = list(pairwise(subs))
    texts = [value for key, value in pairs if key == "q"]
    refs = [value for key, value in pairs if key == "ref"]
    return [{"q": text, "ref": ref} for text, ref in zip_longest(texts, refs[: len(texts)])]


def decomposition(question: dict[str, Any]) -> dict[str, Any]:
    """The recorded sub-questions in the format of our step. They say "this person" instead of the
    id of the answer that they need.
    """
    asked = [
        {"id": str(number), "question": sub["q"], "needs": re.findall(r"\d+", str(sub["ref"]))}
        for number, sub in enumerate(sub_questions(question))
    ]
    return {"questions": asked}


async def answers(store: str, recorded: Path) -> None:
    """Print what the strategy found, and what it cost."""
    index = open_index(store)
    questions = [json.loads(line) for line in recorded.read_text(encoding="utf-8").splitlines()]
    found = extracted = calls = tokens = fallen_back = 0
    for question in questions:
        gold = question["gold_answer"]
        hops = await _hops(question, index)
        found += any(holds_answer(fact.text, gold) for hop in hops for fact in hop.facts)
        extracted += any(holds_answer(one.text, gold) for hop in hops for one in hop.candidates[:1])
        answer = await answer_async(
            question["question"], index, RecordedLlm(question), "compactrag"
        )
        calls += answer.ledger.calls
        tokens += answer.ledger.tokens
        fallen_back += answer.strategy != "compactrag"
    count = len(questions)
    print(f"gold answer in {_PAIRS} pairs a sub-question: {found / count:.3f}")
    print(f"gold answer extracted from a sub-question: {extracted / count:.3f}")
    print(f"calls {calls / count:.2f}, tokens {tokens / count:.0f}, not answered {fallen_back}")


async def _hops(question: dict[str, Any], index: Index) -> list[Hop]:
    try:
        asked = read_decomposition(decomposition(question))
    except BadDecomposition:
        asked = single(question["question"])
    session = Session(question["question"], index, AnswerTools(), QuestionLimits())
    steps = with_relation_steps(asked, question["question"])
    return list(
        (await answer_hops(session, steps, _PAIRS, FACT_PAGES, scores_spans=False)).values()
    )


def _retrieved(sub: dict[str, Any]) -> str:
    return str(sub.get("retrieved") or "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=("base", "replay", "answers"))
    parser.add_argument("source")
    parser.add_argument("other", type=Path)
    options = parser.parse_args()
    if options.step == "base":
        print(f"{write_base(Path(options.source), options.other)} pairs")
    elif options.step == "replay":
        replay(options.source, options.other)
    else:
        asyncio.run(answers(options.source, options.other))


if __name__ == "__main__":
    main()
