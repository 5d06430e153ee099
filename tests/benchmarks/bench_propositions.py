"""The heuristic reader's propositions against people's, and the time of making them.

    python -m tests.benchmarks.bench_propositions DATA [--show]

DATA is the folder of the evaluation data; tests/human_propositions.py compares propositions. A
document is read as one segment without a title, one sentence per line. A proposition belongs to the
sentence that contains its evidence. Even and odd documents are also scored separately, because a
rule must help on both. --show prints unmatched propositions of the even half.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from factmill.models.readers.heuristic.reader import HeuristicReader
from factmill.models.readers.reading import PageContext
from factmill.schemas.errors import Rejected
from factmill.schemas.records import Segment
from tests.human_propositions import HumanSentence, Score, human_documents, score, words_of

Document = list[HumanSentence]
# A system finds the propositions of each sentence of a document.
System = Callable[[Document], list[list[str]]]


def by_rule(document: Document) -> list[list[str]]:
    text = "\n".join(sentence.text.replace("\n", " ") for sentence in document)
    found: list[list[str]] = [[] for _ in document]
    try:
        segment = Segment("s", "p", 0, "text", text, "", None, None)
        reading = HeuristicReader().read(segment, PageContext(""))
    except Rejected:
        return found
    for statement in reading.statements:
        found[text.count("\n", 0, statement.start)].append(statement.text)
    return found


def whole_sentences(document: Document) -> list[list[str]]:
    return [[sentence.text] for sentence in document]


def by_rule_and_whole(document: Document) -> list[list[str]]:
    return [
        found + [sentence.text] * (len(found) > 1)
        for sentence, found in zip(document, by_rule(document), strict=True)
    ]


SYSTEMS: dict[str, System] = {
    "heuristic reader": by_rule,
    "and whole sentences": by_rule_and_whole,
    "whole sentences": whole_sentences,
}


def total(documents: list[Document], system: System) -> Score:
    return sum(
        (
            score([words_of(text) for text in found], sentence.reference)
            for document in documents
            for sentence, found in zip(document, system(document), strict=True)
            if sentence.rated
        ),
        Score(),
    )


def among_people(documents: list[Document]) -> Score:
    """The other raters' propositions against the reference rater's."""
    return sum(
        (
            score(list(other), sentence.reference)
            for document in documents
            for sentence in document
            if sentence.rated
            for other in sentence.others
        ),
        Score(),
    )


def show(documents: list[Document]) -> None:
    for document in documents:
        for sentence, found in zip(document, by_rule(document), strict=True):
            if sentence.rated:
                print(f"\n{sentence.text}")
                for text in found:
                    hit = score([words_of(text)], sentence.reference).matches
                    print(f"  {'=' if hit else '-'} {text}")
                for human in sentence.reference:
                    if not score([human], tuple(map(words_of, found))).matches:
                        ordered = sorted(human, key=lambda word: sentence.text.lower().find(word))
                        print(f"      missed: {' '.join(ordered)}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    documents = human_documents(options.data)
    halves = {"even": documents[::2], "odd": documents[1::2], "all": documents}
    if options.show:
        show(halves["even"])
        return
    counted = {
        half: sum(sentence.rated for document in part for sentence in document)
        for half, part in halves.items()
    }
    for half, part in halves.items():
        rows = {name: total(part, system) for name, system in SYSTEMS.items()}
        rows["other raters"] = among_people(part)
        for name, row in rows.items():
            raters = row.human / rows["heuristic reader"].human
            print(
                f"{half:5}{name:21} precision {row.precision:.3f} recall {row.recall:.3f} "
                f"F1 {row.f1:.3f}, {row.found / raters / counted[half]:.2f} propositions a sentence"
            )
        print(f"{half:5}the reference has {rows['heuristic reader'].human / counted[half]:.2f}")


if __name__ == "__main__":
    main()
