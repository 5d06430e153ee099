"""Precision of the heuristic reader, rule by rule, on units that were judged by reading.

    python -m tests.benchmarks.bench_facts [--show] [--write FILE]

labelled_facts.jsonl has units of real pages. Each has the excerpt that it was read from, its
source, the rules that made it, and whether it is right: it states what the page states, and can be
understood alone, with the title and heading beside it. The reader reads the excerpts again, with
the surrounding text of their segment where the file has it. Units that it no longer makes do not
count. Units that nobody judged are counted as unjudged; --write puts them into a file for judging.
`held_out` units were judged at first sight, after the rules were finished; some faults of the last
2,328 of them were repaired later. The last 9,448 units were judged by language models with a guide.
The judge of statements has learned from all but the last 348, so `train_unit_judge` prints its own
figures.

The excerpts come from the CRAG sample (CC BY-NC 4.0), article-extraction-benchmark (MIT), WCXB
(CC BY 4.0), PropSegmEnt's Wikipedia part and Wikipedia pages of WikiTableQuestions (CC BY-SA 4.0),
and from public question sets with Wikipedia passages (MIT, Apache-2.0, CC BY-SA).
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from factmill.models.readers.heuristic.reader import HeuristicReader
from factmill.models.readers.reading import PageContext, Reading
from factmill.models.text.sentences import split_sentences
from factmill.schemas.errors import Rejected
from factmill.schemas.records import Segment, SegmentKind

LABELLED = Path(__file__).parent / "labelled_facts.jsonl"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The reader's input. `before` and `after` are the surrounding text of the segment, None if it
    was not kept. `judged`: a web page of uncertain kind, whose statements are judged.
    """

    source: str
    title: str
    heading: str
    kind: SegmentKind
    text: str
    page_kind: str = ""
    before: str | None = None
    after: str | None = None
    judged: bool = False

    @property
    def segment(self) -> Segment:
        text = f"{self.before or ''}{self.text}{self.after or ''}"
        return Segment("s", "p", 0, self.kind, text, self.heading, None, None)

    def evidence_of(self, unit: str) -> tuple[int, int]:
        """The span in the segment of the sentence that a unit was read from."""
        said = set(unit.split())
        offset = len(self.before or "")
        start, end = max(
            split_sentences(self.text),
            key=lambda span: len(said.intersection(self.text[slice(*span)].split())),
            default=(0, len(self.text)),
        )
        return offset + start, offset + end


@dataclass(frozen=True, slots=True)
class Judged:
    """A unit with a person's judgement; `answer` is "" for a proposition."""

    excerpt: Excerpt
    unit: str
    answer: str
    right: bool
    reason: str
    held_out: bool
    rules: tuple[str, ...] = ()


@dataclass(slots=True)
class Tally:
    """The judged units that the reader still makes."""

    right: int = 0
    wrong: int = 0

    @property
    def precision(self) -> float:
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 1.0


def judged_units(path: Path = LABELLED) -> list[Judged]:
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        excerpt = Excerpt(
            row["source"], row["title"], row["heading"], row["kind"], row["excerpt"],
            row.get("page_kind", ""), row.get("before"), row.get("after"),
            row.get("judged", False),
        )  # fmt: skip
        found.append(
            Judged(
                excerpt, row["unit"], row.get("answer", ""), row["right"], row["reason"],
                row["held_out"], tuple(row["rule"].split("+")),
            )
        )  # fmt: skip
    return found


@cache
def made_of(excerpt: Excerpt) -> tuple[tuple[str, str, str], ...]:
    """Unit, answer and rules of everything that the reader makes of an excerpt."""
    segment = excerpt.segment
    try:
        page = PageContext(excerpt.title, excerpt.page_kind, excerpt.judged)
        reading = HeuristicReader().read(segment, page)
    except Rejected:
        reading = Reading()
    begin = len(excerpt.before or "")
    own = range(begin, begin + len(excerpt.text))
    statements = [
        (one.text, "", "+".join(one.rules)) for one in reading.statements if one.start in own
    ]
    questions = [
        (one.text, segment.text[one.start : one.end], one.rule)
        for one in reading.questions
        if one.start in own
    ]
    return (*statements, *questions)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Tallies by kind of unit and by rule, units that are no longer made, and unjudged units."""

    rules: dict[tuple[str, str], Tally]
    wrong: list[Judged]
    gone: int
    unjudged: list[tuple[Excerpt, str, str, str]]

    def precision(self, kind: str) -> float:
        tallies = [tally for (of, _), tally in self.rules.items() if of == kind]
        right = sum(tally.right for tally in tallies)
        return right / max(1, right + sum(tally.wrong for tally in tallies))


def compare(judged: Sequence[Judged]) -> Outcome:
    """Compare the units that the reader makes of the excerpts with the judgements."""
    by_excerpt: dict[Excerpt, dict[tuple[str, str], Judged]] = defaultdict(dict)
    for one in judged:
        by_excerpt[one.excerpt][one.unit, one.answer] = one
    rules: dict[tuple[str, str], Tally] = defaultdict(Tally)
    wrong: list[Judged] = []
    gone = 0
    unjudged = []
    for excerpt, labels in by_excerpt.items():
        made = {(unit, answer): rule for unit, answer, rule in made_of(excerpt)}
        gone += len(labels.keys() - made.keys())
        for (unit, answer), rule in made.items():
            label = labels.get((unit, answer))
            if label is None:
                unjudged.append((excerpt, unit, answer, rule))
                continue
            tally = rules["pair" if answer else "proposition", rule]
            tally.right += label.right
            tally.wrong += not label.right
            wrong += [] if label.right else [label]
    return Outcome(dict(rules), wrong, gone, unjudged)


def report(name: str, outcome: Outcome) -> None:
    print(f"{name}: {outcome.gone} no longer made, {len(outcome.unjudged)} unjudged")
    for kind in ("proposition", "pair"):
        print(f"  {kind:12}{outcome.precision(kind):.3f}")
        for (of, rule), tally in sorted(outcome.rules.items()):
            if of == kind:
                print(f"    {rule:36}{tally.right:5} right {tally.wrong:4} wrong")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--show", action="store_true", help="print the wrong ones")
    parser.add_argument("--write", type=Path, help="a file for the units to be judged")
    options = parser.parse_args()
    judged = judged_units()
    report("held out", compare([one for one in judged if one.held_out]))
    outcome = compare(judged)
    report("all", outcome)
    if options.show:
        for one in outcome.wrong:
            print(f"{one.excerpt.title} | {one.unit} {one.answer} ({one.reason})")
    if options.write:
        lines = [
            json.dumps({**asdict(excerpt), "unit": unit, "answer": answer, "rule": rule})
            for excerpt, unit, answer, rule in outcome.unjudged
        ]
        options.write.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
