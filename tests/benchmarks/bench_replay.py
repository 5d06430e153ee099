"""How many recorded answers of two LLMs pass our validation, and why others are refused.

Also prints the tokens of answers, beside what `models.readers.llm.estimate` expects.

    python -m tests.benchmarks.bench_replay DATA/compactrag [--samples 5] [--half odd|even]
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter, defaultdict
from pathlib import Path

from factmill.models.readers.llm.completion_parsing import parse_completion
from factmill.models.readers.llm.estimate import by_characters, expected_completion
from factmill.models.readers.llm.extracted_items import ExtractedItems, ExtractedPair
from factmill.models.readers.llm.validation import CheckedItems, check
from factmill.models.readers.reading import AtomicQuestion, Fault
from factmill.schemas.records import Segment
from tests.recorded_answers import Recorded, recorded

FILES = {"Llama-3.1-8B": "llama8b-2wiki-qa.jsonl", "GPT-4": "gpt-4-2wiki-qa.jsonl"}

EDGES = (0, 25, 50, 100, 200, 400, 800, 10_000)
USUAL_ANSWER_CHARACTERS = 20


def in_our_format(items: ExtractedItems) -> str:
    """The recorded answer as an LLM would have to write it for our stage."""
    pairs = [{"q": pair.question, "a": pair.answer} for pair in items.pairs]
    answer = {"s1": {"f": list(items.facts), "p": pairs}}
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))


def replay(rows: list[Recorded], samples: int) -> None:
    counts: dict[str, Counter[str]] = {"fact": Counter(), "pair": Counter()}
    refused: dict[str, list[str]] = defaultdict(list)
    sizes: list[tuple[int, int]] = []
    seconds = 0.0
    for row in rows:
        started = time.process_time()
        parsed = parse_completion(in_our_format(row.items), ["s1"])["s1"]
        segment = Segment("s", "p", 0, "text", row.passage, "", 0, len(row.passage))
        checked = check(segment, row.title, parsed.items)
        seconds += time.process_time() - started
        assert parsed.items == row.items
        for kind, made in (("fact", checked.facts), ("pair", checked.pairs)):
            for item in made:
                reason = item.reason if isinstance(item, Fault) else "kept"
                counts[kind][reason] += 1
                if isinstance(item, Fault):
                    refused[f"{kind} {reason}"].append(
                        f"{item.text}\n      in: {row.passage[:200]}"
                    )
        shortened = in_our_format(with_spans(row, checked))
        sizes.append((by_characters(row.passage), by_characters(shortened)))
    for kind, reasons in counts.items():
        total = sum(reasons.values())
        for reason, count in reasons.most_common():
            print(f"{kind:5} {reason:22} {count:6} {count / total:7.1%}")
    print(f"{1000 * seconds / len(rows):.2f} ms a segment")
    print_sizes(sizes)
    chance = random.Random(1)
    for reason, items in sorted(refused.items()):
        for text in chance.sample(items, min(samples, len(items))):
            print(f"  {reason}: {text}")


def with_spans(row: Recorded, checked: CheckedItems) -> ExtractedItems:
    """The recorded items in the format of our prompt, with answers as long as those kept of the
    passage.
    """
    spans = [pair.end - pair.start for pair in checked.pairs if isinstance(pair, AtomicQuestion)]
    usual = sum(spans) // len(spans) if spans else USUAL_ANSWER_CHARACTERS
    pairs = tuple(ExtractedPair(pair.question, "x" * usual) for pair in row.items.pairs)
    return ExtractedItems(row.items.facts, pairs)


def print_sizes(sizes: list[tuple[int, int]]) -> None:
    """Print the mean tokens of answers by tokens of text, and what `estimate` expects."""
    for low, high in zip(EDGES, EDGES[1:], strict=False):
        chosen = [(text, answer) for text, answer in sizes if low <= text < high]
        if chosen:
            texts, answers = (sum(part) / len(chosen) for part in zip(*chosen, strict=True))
            expected = sum(expected_completion(text) for text, _ in chosen) / len(chosen)
            print(
                f"text of {low}-{high} tokens: {len(chosen)} passages, mean {texts:.0f}, "
                f"answer {answers:.0f}, expected {expected:.0f}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--samples", type=int, default=0, help="refused items to print for a reason"
    )
    parser.add_argument("--half", choices=("even", "odd"), help="use every other passage only")
    args = parser.parse_args()
    for model, name in FILES.items():
        rows = list(recorded(args.folder / name))
        if args.half:
            rows = rows[args.half == "odd" :: 2]
        print(f"{model}: {len(rows)} passages")
        replay(rows, args.samples)


if __name__ == "__main__":
    main()
