"""Checks that every unit of a store passes the validation that applies to all readers.

    python -m tests.benchmarks.bench_valid_units STORE [--show]

Counts, over the published build, propositions and pairs in which `fact_fault` and `pair_faults`
find a fault, and pairs whose question has another answer on the same page. Exits with 1 if there
are any. --show prints them.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from factmill.models.readers.fact_rules import fact_fault
from factmill.models.readers.question_rules import pair_faults
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.records import Proposition, QAPair
from factmill.transforms.extract.page_questions import SEVERAL_ANSWERS, contradicted
from factmill.transforms.tasks.shard_files import read_records


def faulty_units(build: BuildDir) -> Iterator[tuple[str, str]]:
    """Fault and text of every invalid unit."""
    for shard in range(len(list(build.shard("20_propositions", 0).parent.iterdir()))):
        for proposition in read_records(build.part("20_propositions", shard), Proposition):
            if fault := fact_fault(proposition.text):
                yield fault, proposition.text
        by_page: dict[str, list[QAPair]] = defaultdict(list)
        for pair in read_records(build.part("21_qa_pairs", shard), QAPair):
            by_page[pair.page_id].append(pair)
        for pairs in by_page.values():
            yield from faulty_pairs(pairs)


def faulty_pairs(pairs: list[QAPair]) -> Iterator[tuple[str, str]]:
    """Fault and text of the invalid pairs of one page."""
    several = contradicted(pairs)
    for pair in pairs:
        faults = pair_faults(pair.question, pair.answer)
        for fault in [*faults, *([SEVERAL_ANSWERS] if pair.unit_id in several else [])]:
            yield fault, f"{pair.question} {pair.answer}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("store", type=Path)
    parser.add_argument("--show", action="store_true", help="print the faulty units")
    options = parser.parse_args()
    build = Store(options.store).published()
    faulty = list(faulty_units(build))
    counts = Counter(fault for fault, _ in faulty)
    print(f"{sum(counts.values()):,} faulty units", dict(counts.most_common()))
    if options.show:
        for fault, text in faulty:
            print(f"{fault:20}{text}")
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main())
