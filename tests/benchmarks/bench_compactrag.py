"""CompactRAG's 2Wiki run again, with our retrieval instead of its own.

    python -m tests.benchmarks.bench_compactrag base RECORDED_QA.jsonl INPUT.jsonl
    factmill build STORE --input INPUT.jsonl --near-duplicates off
    python -m tests.benchmarks.bench_compactrag replay STORE RECORDED_ANSWERS.jsonl

`base` makes a page of each QA pair that an LLM wrote for a passage. `replay` asks the recorded
sub-questions, as they were rewritten, and prints for how many questions the gold answer stands in
the pairs found: three for each sub-question, as in the recorded run.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from factmill.models.answering.answer_words import holds_answer
from factmill.runtime.index import open_index

_PAIRS = 3


def write_base(recorded: Path, target: Path) -> int:
    """The QA pairs as input of a build, each once; how many there are."""
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
    """Print the share of questions whose gold answer was found, by us and in the recorded run."""
    index = open_index(store)
    questions = [json.loads(line) for line in recorded.read_text(encoding="utf-8").splitlines()]
    ours = theirs = asked = 0
    for question in questions:
        gold, subs = question["gold_answer"], question["sub"]
        texts = [sub["rewrited"] or sub["q"] for sub in subs]
        found = index.search_many(texts, _PAIRS)
        asked += len(texts)
        ours += any(_holds(hit.text, gold) for hits in found for hit in hits)
        theirs += any(_holds(_retrieved(sub), gold) for sub in subs)
    count = len(questions)
    print(f"{count} questions, {asked / count:.2f} sub-questions each")
    print(f"gold answer in {_PAIRS} pairs a sub-question: {ours / count:.3f}")
    print(f"recorded run: {theirs / count:.3f}")


def _retrieved(sub: dict[str, Any]) -> str:
    return str(sub.get("retrieved") or "")


def _holds(text: str, gold: str) -> bool:
    return holds_answer(text, gold)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=("base", "replay"))
    parser.add_argument("source")
    parser.add_argument("other", type=Path)
    options = parser.parse_args()
    if options.step == "base":
        print(f"{write_base(Path(options.source), options.other)} pairs")
    else:
        replay(options.source, options.other)


if __name__ == "__main__":
    main()
