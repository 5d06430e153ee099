"""Time and memory of the calculator on hostile expressions.

    python -m tests.benchmarks.bench_calculator [--count 10000] [--seed 1]

Prints the slowest expressions, percentiles of the milliseconds, and the growth of peak memory. The
first time includes loading the units.
"""

from __future__ import annotations

import argparse
import random
import resource
import time

from factmill.models.answering.calculator.calculator import calculate
from factmill.models.answering.calculator.calculator_tokens import BadExpression
from tests.models.answering.made_expressions import hostile


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    taken: list[tuple[float, str]] = []
    for _ in range(options.count):
        expression = hostile(rng)
        start = time.perf_counter()
        try:
            calculate(expression)
        except BadExpression:
            taken.append((1000 * (time.perf_counter() - start), expression))
        else:
            print(f"computed: {expression[:80]!r}")
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    taken.sort(reverse=True)
    for milliseconds, expression in taken[:5]:
        print(f"{milliseconds:8.2f} ms  {expression[:70]!r}")
    for share in (0.5, 0.99, 0.999):
        print(f"{share:.1%}: {taken[int((1 - share) * (len(taken) - 1))][0]:.3f} ms")
    print(f"{len(taken):,} refused; peak memory grew by {grown / 1024:.0f} MB")


if __name__ == "__main__":
    main()
