"""Human propositions (PropSegmEnt's Wikipedia documents), and a score for others.

A human proposition is a subset of its sentence's tokens. Propositions are compared as sets of
words: lower-case runs of letters and digits, which are the corpus's own tokens without punctuation.
Two match if their Jaccard similarity is at least 0.8; each matches at most one other, most similar
pairs first. The documents have no title, so a reader has no name to replace a pronoun with, and
only words of the sentence are compared.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Words = frozenset[str]
MATCH = 0.8
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class HumanSentence:
    """A sentence, the propositions of the reference rater, and those of each other rater. If the
    corpus names no reference rater, the sentence is read but not `rated`.
    """

    text: str
    rated: bool
    reference: tuple[Words, ...]
    others: tuple[tuple[Words, ...], ...]


@dataclass(frozen=True, slots=True)
class Score:
    """Counts that can be added; `human` is the number of propositions to find."""

    matches: int = 0
    found: int = 0
    human: int = 0

    def __add__(self, other: Score) -> Score:
        return Score(
            self.matches + other.matches, self.found + other.found, self.human + other.human
        )

    @property
    def precision(self) -> float:
        return self.matches / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        return self.matches / self.human if self.human else 0.0

    @property
    def f1(self) -> float:
        total = self.found + self.human
        return 2 * self.matches / total if total else 0.0


def words_of(text: str) -> Words:
    return frozenset(_WORD.findall(text.lower()))


def score(found: list[Words], human: tuple[Words, ...]) -> Score:
    """One-to-one matches of two sets of propositions of one sentence."""
    pairs = [
        (len(ours & theirs) / len(ours | theirs), i, j)
        for i, ours in enumerate(found)
        for j, theirs in enumerate(human)
        if ours | theirs
    ]
    taken_found: set[int] = set()
    taken_human: set[int] = set()
    for similarity, i, j in sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2])):
        if similarity >= MATCH and i not in taken_found and j not in taken_human:
            taken_found.add(i)
            taken_human.add(j)
    return Score(len(taken_found), len(found), len(human))


def human_documents(data: Path) -> list[list[HumanSentence]]:
    """The sentences of each Wikipedia document of the evaluation data, in order."""
    folder = data / "propositions"
    clusters = json.loads((folder / "document_clusters.dev.json").read_text(encoding="utf-8"))
    rated = {
        (entry["sentence_id"]["document_id"], int(entry["sentence_id"]["sentence_index"])): entry
        for entry in json.loads((folder / "propositions.dev.json").read_text(encoding="utf-8"))
    }
    return [
        [
            _sentence(sentence, rated.get((document["document_id"], index), {}))
            for index, sentence in enumerate(document["sentences"])
        ]
        for cluster in clusters
        for document in cluster["documents"]
    ]


def _sentence(sentence: dict[str, Any], entry: dict[str, Any]) -> HumanSentence:
    tokens = [token["text"] for token in sentence["tokens"]]
    responses = entry.get("segmentation_responses", [])
    reference = [response for response in responses if response["is_reference_response"]]
    return HumanSentence(
        sentence["sentence_text"],
        bool(reference),
        _propositions(reference[0], tokens) if reference else (),
        tuple(
            _propositions(response, tokens)
            for response in responses
            if not response["is_reference_response"]
        ),
    )


def _propositions(response: dict[str, Any], tokens: list[str]) -> tuple[Words, ...]:
    return tuple(
        words_of(" ".join(tokens[index] for index in proposition["token_indices"]))
        for proposition in response.get("propositions", [])
    )
