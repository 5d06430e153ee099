"""HANRAG without a real LLM: its loop, its resistance to noise, and the cost of compound questions.

    python -m tests.benchmarks.bench_hanrag oracle STORE
    python -m tests.benchmarks.bench_hanrag noise STORE QUESTIONS.jsonl
    python -m tests.benchmarks.bench_hanrag times STORE COMPOUND.jsonl

`oracle` asks the chained questions that the build composed, whose steps and answers are stored. An
LLM that knows them takes the decisions, and answers from the passages it is shown. It prints how
often the loop took exactly the right steps, and how often the page with the answer was found,
beside CompactRAG with the same decomposition. `noise` replaces every second found page, of those
without the answer, by a random one, and prints the accuracy without noise and with it. `times` asks
the parts of compound questions one by one, then the compounds, and prints the ratio of the times.
`noise` and `times` use no LLM.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

from factmill.models.answering.rewriting.rewriting import filled
from factmill.pipelines.cli.argument_types import store
from factmill.pipelines.write_compound_benchmark import composed_questions
from factmill.runtime.answers.answer import Answer
from factmill.runtime.answers.answer_question import answer_async
from factmill.runtime.answers.evaluate_answers import answer_all, answer_figures
from factmill.runtime.evaluate import Question, read_questions
from factmill.runtime.index import Hit, Index
from factmill.runtime.opening import open_index
from factmill.schemas.layout import Store
from factmill.schemas.records import ComposedQuestion
from tests.runtime.answers.hanrag.oracle_llm import OracleLlm

_MAX_STEPS = 5
_SAMPLE = 200


def oracle(root: Store) -> None:
    """Print the steps that the loop took, and what it found."""
    chains = [one for one in composed_questions(root.published()) if one.kind == "chain"]
    random.Random(0).shuffle(chains)
    index = open_index(str(root.root))
    counts: Counter[str] = Counter()
    for chain in chains[:_SAMPLE]:
        counts["chains"] += 1
        counts["hops"] += len(chain.parts)
        _count(counts, chain, index)
    print(json.dumps(counts, indent=2))


def _count(counts: Counter[str], chain: ComposedQuestion, index: Index) -> None:
    hops = len(chain.parts)
    llm = _oracle(chain, "complex")
    found = asyncio.run(answer_async(chain.question, index, llm, "hanrag"))
    ended = [step.answer for step in found.steps if step.kind == "ending"]
    exact = llm.asked["refine"] == llm.asked["relevance"] == hops and ended.count("enough") == 1
    counts["loops with exactly the hops and one end"] += exact
    counts["loops above the cap"] += llm.asked["refine"] > _MAX_STEPS
    counts["calls"] += found.ledger.calls
    for name, one in (
        ("hanrag", found),
        (
            "compactrag",
            asyncio.run(answer_async(chain.question, index, _oracle(chain, ""), "compactrag")),
        ),
    ):
        gold = chain.parts[-1].page_id
        counts[f"{name}: page of the answer found"] += any(
            hit.page_id == gold
            for step in one.steps
            if step.kind == "sub-question"
            for hit in step.hits
        )
        counts[f"{name}: right"] += chain.answer.strip(" .") in one.text
        counts[f"{name}: answered without the LLM"] += bool(one.notice)


def _oracle(chain: ComposedQuestion, route: str) -> OracleLlm:
    """An LLM that knows the stored parts. For CompactRAG, every part but the first contains `[1]`
    instead of the answer to the part before it.
    """
    answers = {part.question: part.answer for part in chain.parts} | {chain.question: chain.answer}
    parts = []
    for number, part in enumerate(chain.parts, 1):
        before = chain.parts[number - 2].answer if number > 1 else ""
        text = part.question.replace(before, f"[{number - 1}]") if before else part.question
        assert filled(text, {str(number - 1): before}) == part.question
        needs = [str(number - 1)] if text != part.question else []
        parts.append({"id": str(number), "question": text, "needs": needs})
    return OracleLlm(route, answers, [part.question for part in chain.parts], parts)


def noise(root: Store, path: Path) -> None:
    """Print the figures without noise and with it."""
    questions = read_questions(path)[:_SAMPLE]
    index = open_index(str(root.root))
    _print("without noise", questions, _answers(questions, index))
    pool = [hit for text, _ in index.samples(300) for hit in index.search(text[:200], 1)]
    search = Index.search_pages
    rng = random.Random(0)
    gold = frozenset[str]()

    def noisy(self: Index, query: str, k: int, most: int) -> list[list[Hit]]:
        pages = search(self, query, k, most)
        others = [
            n for n, page in enumerate(pages) if not {page[0].page_id, page[0].source_id} & gold
        ]
        for n in rng.sample(others, min(len(others), len(pages) // 2)):
            drawn = rng.choice(pool)
            pages[n] = [drawn._replace(rank=pages[n][0].rank, score=pages[n][0].score)]
        return pages

    found = []
    with patch.object(Index, "search_pages", noisy):
        for question in questions:
            gold = question.gold_ids
            found += _answers([question], index)
    _print("half of the found pages replaced", questions, found)


def _answers(questions: Sequence[Question], index: Index) -> list[Answer]:
    return asyncio.run(
        answer_all(questions, lambda text, _: answer_async(text, index, strategy="hanrag"), 1)
    )


def _print(name: str, questions: Sequence[Question], found: Sequence[Answer]) -> None:
    figures = answer_figures(questions, found)["all"]
    print(f"{name:32}", {key: figures[key] for key in ("accuracy", "unknown", "truthfulness")})


def times(root: Store, path: Path) -> None:
    """Print the median seconds of parts and of compounds, and the ratio of a compound to the sum of
    its parts.
    """
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()][:_SAMPLE]
    index = open_index(str(root.root))
    asyncio.run(answer_async(rows[0]["question"], index, strategy="hanrag"))  # loads the models
    ratios, single, compound = [], [], []
    for row in rows:
        parts = [_seconds(part["question"], index) for part in row["questions"]]
        whole = _seconds(row["question"], index)
        ratios.append(whole / statistics.mean(parts))
        single += parts
        compound.append(whole)
    medians = [f"{1000 * statistics.median(one):.1f} ms" for one in (single, compound)]
    print(f"median of a part by itself {medians[0]}, of a compound {medians[1]}")
    print(f"median ratio {statistics.median(ratios):.2f}")


def _seconds(question: str, index: Index) -> float:
    start = time.perf_counter()
    asyncio.run(answer_async(question, index, strategy="hanrag"))
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=("oracle", "noise", "times"))
    parser.add_argument("store", type=store)
    parser.add_argument("questions", type=Path, nargs="?")
    options = parser.parse_args()
    if options.step == "oracle":
        oracle(options.store)
    elif options.questions is None:
        parser.error("give QUESTIONS.jsonl")
    else:
        {"noise": noise, "times": times}[options.step](options.store, options.questions)


if __name__ == "__main__":
    main()
