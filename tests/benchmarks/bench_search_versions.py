"""Query times of two checkouts, this one and an older one, measured in turns.

    python -m tests.benchmarks.bench_search_versions STORE QUESTIONS.jsonl OTHER [--python PYTHON]

A machine's speed changes from minute to minute, so separate runs cannot be compared. Here each
checkout has its own process on the same core, and they take turns: one pass over all queries each.
Processor time of everything except encoding counts: the fastest pass of each query, and the median
over queries.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

K = 20
_PASSES = 5
_PROGRAM = f"""
import json, os, sys, time
checkout, store, questions, count = sys.argv[1:]
sys.path.insert(0, checkout)
if os.path.isdir(os.path.join(checkout, "factmill")):
    from factmill.runtime import open_index
else:
    from runtime import open_index
import faiss
faiss.omp_set_num_threads(1)
with open(questions) as lines:
    texts = [json.loads(line)["question"] for line, _ in zip(lines, range(int(count)))]
index = open_index(store)
encoded = dict(zip(texts, index.encode(texts)))
index.encode = lambda queries: [encoded[query] for query in queries]
for lexical in sys.stdin:
    times = []
    for text in texts:
        began = time.process_time()
        index.search(text, {K}, lexical=lexical == "words\\n")
        times.append(1000 * (time.process_time() - began))
    print(json.dumps(times), flush=True)
"""


class TimedCheckout:
    """A process that times queries with the code of one checkout."""

    def __init__(self, python: str, checkout: Path, store: Path, questions: Path, count: int):
        arguments = [str(checkout), str(store), str(questions), str(count)]
        self._process = subprocess.Popen(
            [python, "-c", _PROGRAM, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )

    def times(self, kind: str) -> list[float]:
        """Milliseconds of each query, by `words` and codes or by `codes` alone."""
        assert self._process.stdin
        assert self._process.stdout
        print(kind, file=self._process.stdin, flush=True)
        found: list[float] = json.loads(self._process.stdout.readline())
        return found

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("other", type=Path, help="folder of the other checkout")
    parser.add_argument("--python", default=sys.executable, help="Python of the other checkout")
    parser.add_argument("--queries", type=int, default=200)
    options = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    here = Path(__file__).parents[2]
    asked = (options.store, options.questions, options.queries)
    other = TimedCheckout(options.python, options.other, *asked)
    this = TimedCheckout(sys.executable, here, *asked)
    for kind in ("words", "codes"):
        passes = [(other.times(kind), this.times(kind)) for _ in range(1 + _PASSES)][1:]
        old, new = (
            statistics.median(map(min, zip(*of_checkout, strict=True)))
            for of_checkout in zip(*passes, strict=True)
        )
        print(f"{kind:6} {old:.2f} ms by the other, {new:.2f} by this one: {new / old:.2f} times")
    other.close()
    this.close()


if __name__ == "__main__":
    main()
