"""Milliseconds a query of an open index, one query at a time, by stage.

python -m tests.benchmarks.bench_search STORE QUESTIONS.jsonl [--queries 200]
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from runtime import open_index
from runtime.evaluate import read_questions


def milliseconds(run: Callable[[], object]) -> float:
    began = time.perf_counter()
    run()
    return 1000 * (time.perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--queries", type=int, default=200)
    options = parser.parse_args()
    questions = [question.text for question in read_questions(options.questions)]
    questions = questions[: options.queries]
    began = time.perf_counter()
    index = open_index(options.store)
    print(f"opening {1000 * (time.perf_counter() - began):.0f} ms")
    index.search(questions[0])
    encoding = [milliseconds(lambda q=q: index.encode([q])) for q in questions]  # type: ignore[misc]
    searching = [milliseconds(lambda q=q: index.search(q, 20)) for q in questions]  # type: ignore[misc]
    print(f"encoding {statistics.median(encoding):.1f} ms a query")
    print(f"encoding and searching {statistics.median(searching):.1f} ms a query")
    print(f"peak resident memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")


if __name__ == "__main__":
    main()
