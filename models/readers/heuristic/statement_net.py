"""A small convolutional network that scores how a statement reads.

    word -> mean of its subwords' vectors, and marks of its spelling
         -> two convolutions over three words each -> mean and maximum -> score

It was trained to give the score that a linear model gives to the statement's states in the fourth
layer of a sentence encoder, where facts and the rest lie apart, at a hundredth of the time. The
judge (`unit_judge`) weighs the score beside the signs of the statement's form and context.
`statement_net.safetensors` has the vocabulary and the weights.
`python -m tests.benchmarks.train_unit_judge` trains it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load_file

from factmill.models.arrays import Floats
from factmill.models.readers.heuristic.subwords import SubwordNumbers, split_words, subwords_of

NETWORK = Path(__file__).with_name("statement_net.safetensors")
MAX_WORDS = 48
MARKS = 6
_MAX_LOG_ODDS = 6.0  # log-odds of the score, either way


def spelling_marks(words: Sequence[str]) -> Floats:
    """Marks of each word's spelling, shape (words, MARKS): capital, all capitals, number, no word,
    a word at all, the first word.
    """
    marks = np.zeros((len(words), MARKS), dtype=np.float32)
    for row, word in zip(marks, words, strict=True):
        first = word[0]
        row[0] = first.isupper()
        row[1] = len(word) > 1 and word.isupper()
        row[2] = first.isdigit()
        row[3] = not first.isalnum()
    marks[:, 4] = 1
    marks[:1, 5] = 1
    return marks


@dataclass(frozen=True, slots=True)
class StatementNet:
    """`vectors` has shape (subwords, size), int8, times `scale` of shape (size,). Convolutions have
    shape (3 * inputs, outputs): the word before, the word, the word behind.
    """

    vocabulary: SubwordNumbers
    vectors: npt.NDArray[np.int8]
    scale: Floats
    first: Floats
    first_bias: Floats
    second: Floats
    second_bias: Floats
    hidden: Floats
    hidden_bias: Floats
    out: Floats
    out_bias: Floats

    @classmethod
    def of(cls, tensors: Mapping[str, npt.NDArray[np.generic]]) -> StatementNet:
        """A network of stored tensors. Raises KeyError for a missing one."""
        subwords = tensors["vocabulary"].tobytes().decode("utf-8").split("\n")
        rest = {name: tensors[name] for name in cls.__slots__ if name != "vocabulary"}
        return cls({subword: number for number, subword in enumerate(subwords)}, **rest)  # type: ignore[arg-type]

    def score(self, text: str) -> float:
        """The score of a statement, in log-odds of three decimals; 0 without words."""
        words = split_words(text, MAX_WORDS)
        if not words:
            return 0.0
        rows = np.concatenate([self._word_vectors(words), spelling_marks(words)], axis=1)
        rows = _convolved(rows, self.first, self.first_bias)
        rows = _convolved(rows, self.second, self.second_bias)
        pooled = np.concatenate([rows.max(axis=0), rows.mean(axis=0)])
        units = np.maximum(pooled @ self.hidden + self.hidden_bias, 0)
        found = float(units @ self.out + self.out_bias[0])
        return round(min(_MAX_LOG_ODDS, max(-_MAX_LOG_ODDS, found)), 3)

    def _word_vectors(self, words: Sequence[str]) -> Floats:
        vectors = np.zeros((len(words), len(self.scale)), dtype=np.float32)
        for row, word in zip(vectors, words, strict=True):
            if subwords := subwords_of(word, self.vocabulary):
                row[:] = self.vectors[subwords].mean(axis=0)
        return vectors * self.scale


def _convolved(rows: Floats, weights: Floats, bias: Floats) -> Floats:
    """max(0, weights of each row and its neighbours + bias); beyond the ends are zeros."""
    none = np.zeros((1, rows.shape[1]), dtype=np.float32)
    around = np.concatenate([none, rows, none])
    beside = np.concatenate([around[:-2], rows, around[2:]], axis=1)
    found: Floats = np.maximum(beside @ weights + bias, 0)
    return found


@cache
def statement_net() -> StatementNet:
    """The packaged network, loaded once per process."""
    return StatementNet.of(load_file(NETWORK))
