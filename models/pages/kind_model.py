"""The kind of a page from its signs: a logistic regression in NumPy.

`tests/benchmarks/page_models` trains it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import get_args

import numpy as np

from factmill.models.arrays import Floats
from factmill.schemas.records import PageKind

WEIGHTS = Path(__file__).with_name("kind_model.npz")
PAGE_KINDS: tuple[PageKind, ...] = get_args(PageKind)
# Sources of words that readers see. Every page has some, so their number is not evidence that the
# guess is reliable.
_READ = ("w:", "W:")
# Numbers are in standard deviations, clipped to this.
MAX_DEVIATIONS = 3.0
# Pages with fewer weighted words, such as those of 2006 without class names and structured data,
# give too little evidence.
MIN_WORDS = 10


@dataclass(frozen=True, slots=True)
class PageSigns:
    """The words of a page, each with its source ("c:post", see `page_signs.py`), and numbers by
    name.
    """

    words: frozenset[str]
    numbers: dict[str, float]


def is_markup(sign: str) -> bool:
    """Whether a sign is of the page's markup or address, not of what it says."""
    return not sign.startswith(_READ)


@dataclass(frozen=True, slots=True)
class KindGuess:
    """The likeliest kind, its probability, and those of all `PAGE_KINDS`. `words` is the number of
    words of the page's markup with weights in the model.
    """

    kind: PageKind
    confidence: float
    probabilities: Floats
    words: int

    @property
    def is_reliable(self) -> bool:
        """Whether there is enough evidence to treat the page as one of this kind."""
        return self.words >= MIN_WORDS


@dataclass(frozen=True, slots=True)
class KindModel:
    """`words` has the row of each word in `word_weights`; `means` and `deviations` belong to the
    numbers, in the order of `numbers`.
    """

    words: dict[str, int]
    numbers: tuple[str, ...]
    means: Floats
    deviations: Floats
    word_weights: Floats
    number_weights: Floats
    bias: Floats

    @classmethod
    def load(cls, path: Path) -> KindModel:
        with np.load(path) as stored:
            words = {word: row for row, word in enumerate(stored["words"].tolist())}
            numbers = tuple(stored["numbers"].tolist())
            arrays = [
                stored[name].astype(np.float32)
                for name in ("means", "deviations", "word_weights", "number_weights", "bias")
            ]
        return cls(words, numbers, *arrays)

    def guess(self, signs: PageSigns) -> KindGuess:
        """The kind of a page with these signs."""
        found = signs.words & self.words.keys()
        rows = sorted(self.words[word] for word in found)
        numbers = np.array([signs.numbers[name] for name in self.numbers], np.float32)
        scaled = np.clip((numbers - self.means) / self.deviations, -MAX_DEVIATIONS, MAX_DEVIATIONS)
        logits = self.word_weights[rows].sum(axis=0) + scaled @ self.number_weights + self.bias
        likely = np.exp(logits - logits.max())
        probabilities = (likely / likely.sum()).astype(np.float32)
        best = int(np.argmax(probabilities))
        words = sum(map(is_markup, found))
        return KindGuess(PAGE_KINDS[best], float(probabilities[best]), probabilities, words)


@cache
def kind_model() -> KindModel:
    """The packaged model, loaded once per process."""
    return KindModel.load(WEIGHTS)
