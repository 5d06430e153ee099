"""Sentence boundaries on a treebank: ours against blingfire, pysbd and spaCy's sentencizer.

    python -m tests.benchmarks.bench_sentences TREEBANK.conllu [--rounds 3]

A boundary is the end of a sentence within a paragraph; ends of paragraphs do not count. Even and
odd documents are scored separately, because a rule must help on both.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import blingfire
import spacy

from factmill.models.text.sentences import split_sentences
from factmill.models.text.span import Span

Splitter = Callable[[str], list[Span]]


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str
    ends: frozenset[int]


def read_treebank(path: Path) -> list[list[Paragraph]]:
    """The paragraphs of each document, from CoNLL-U."""
    documents: list[list[list[str]]] = []
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        lines = block.split("\n")
        if any(line.startswith("# newdoc") for line in lines):
            documents.append([])
        if any(line.startswith(("# newdoc", "# newpar")) for line in lines):
            documents[-1].append([])
        text = next(line.removeprefix("# text = ") for line in lines if line.startswith("# text ="))
        glued = "SpaceAfter=No" in lines[-1]
        documents[-1][-1].append(text.strip() + ("" if glued else " "))
    return [[_paragraph(sentences) for sentences in paragraphs] for paragraphs in documents]


def _paragraph(sentences: list[str]) -> Paragraph:
    texts = list(accumulate(sentences))
    return Paragraph(texts[-1].strip(), frozenset(len(text.rstrip()) for text in texts[:-1]))


def bare_blingfire(text: str) -> list[Span]:
    return list(blingfire.text_to_sentences_and_offsets(text)[1])


def pysbd_splitter() -> Splitter:
    try:
        import pysbd
    except ModuleNotFoundError:
        raise SystemExit("bench_sentences needs pysbd: pip install pysbd") from None
    segmenter = pysbd.Segmenter(language="en", clean=False, char_span=True)
    return lambda text: [
        (span.start, span.start + len(span.sent.rstrip())) for span in segmenter.segment(text)
    ]


def spacy_splitter() -> Splitter:
    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    return lambda text: [(s.start_char, s.end_char) for s in pipeline(text).sents]


def score(split: Splitter, paragraphs: list[Paragraph]) -> tuple[float, float, float]:
    """Precision, recall and F1 of the boundaries."""
    hits = found = gold = 0
    for paragraph in paragraphs:
        ends = {end for _, end in split(paragraph.text)} - {len(paragraph.text)}
        hits += len(ends & paragraph.ends)
        found += len(ends)
        gold += len(paragraph.ends)
    return hits / found, hits / gold, 2 * hits / (found + gold)


def seconds(split: Splitter, paragraphs: list[Paragraph], rounds: int) -> float:
    def timings() -> Iterator[float]:
        for _ in range(rounds):
            began = time.process_time()
            for paragraph in paragraphs:
                split(paragraph.text)
            yield time.process_time() - began

    return min(timings())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("treebank", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    documents = read_treebank(options.treebank)
    parts = {
        name: [paragraph for document in part for paragraph in document]
        for name, part in (("even", documents[::2]), ("odd", documents[1::2]), ("all", documents))
    }
    splitters: dict[str, Splitter] = {
        "ours": split_sentences,
        "blingfire": bare_blingfire,
        "pysbd": pysbd_splitter(),
        "sentencizer": spacy_splitter(),
    }
    characters = sum(len(paragraph.text) for paragraph in parts["all"])
    for name, split in splitters.items():
        for part, paragraphs in parts.items():
            precision, recall, f1 = score(split, paragraphs)
            print(f"{name:12} {part:5} precision {precision:.3f} recall {recall:.3f} F1 {f1:.4f}")
        cost = seconds(split, parts["all"], options.rounds) / characters * 1e6
        print(f"{name:12} {cost:.3f} ms of CPU for 1,000 characters", flush=True)


if __name__ == "__main__":
    main()
