"""Training of the model of a page's kind: a logistic regression over its signs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import scipy.sparse
from sklearn.feature_selection import chi2
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from factmill.models.arrays import Floats
from factmill.models.pages.kind_model import MAX_DEVIATIONS, PAGE_KINDS, KindModel, is_markup
from factmill.models.text.sites import site_of
from tests.benchmarks.page_models.prepared_pages import PreparedPage

# A word of fewer sites says more about these sites than about a kind.
_MIN_SITES = 6
_MAX_WORDS = 700
_MAX_READ = 500  # of labels
_WORD_SCALE, _NUMBER_SCALE = 0.7, 0.5
_STRENGTH = 0.3  # of the weights against the penalty on them
_FOLDS = 4


def train_kinds(pages: Sequence[PreparedPage]) -> KindModel:
    """A model of all these pages."""
    vocabulary = _vocabulary(pages)
    numbers = tuple(pages[0].signs.numbers)
    scaler = StandardScaler().fit(_numbers(pages, numbers))
    scaled = np.clip(scaler.transform(_numbers(pages, numbers)), -MAX_DEVIATIONS, MAX_DEVIATIONS)
    parts = [_word_matrix(pages, vocabulary) * _WORD_SCALE, scaled * _NUMBER_SCALE]
    inputs = scipy.sparse.hstack(parts).tocsr()
    fitted = LogisticRegression(C=_STRENGTH, max_iter=400).fit(inputs, _kinds(pages))
    weights = fitted.coef_.T.astype(np.float32)
    count = len(vocabulary)
    return KindModel(
        {word: row for row, word in enumerate(vocabulary)},
        numbers,
        scaler.mean_.astype(np.float32),
        scaler.scale_.astype(np.float32),
        weights[:count] * np.float32(_WORD_SCALE),
        weights[count:] * np.float32(_NUMBER_SCALE),
        fitted.intercept_.astype(np.float32),
    )


def unseen_kinds(pages: Sequence[PreparedPage]) -> list[Floats]:
    """The probabilities of kinds of each page, by a model that has not seen its site."""
    found: list[Floats] = [np.zeros(0, np.float32)] * len(pages)
    for fold in range(_FOLDS):
        model = train_kinds([page for page in pages if page.page.fold(_FOLDS) != fold])
        for index, page in enumerate(pages):
            if page.page.fold(_FOLDS) == fold:
                found[index] = model.guess(page.signs).probabilities
    return found


def save_kinds(model: KindModel, path: Path) -> None:
    """Write it as `KindModel.load` reads it; weights in half precision."""
    np.savez_compressed(
        path,
        words=np.array(list(model.words)),
        numbers=np.array(model.numbers),
        means=model.means,
        deviations=model.deviations,
        word_weights=model.word_weights.astype(np.float16),
        number_weights=model.number_weights,
        bias=model.bias,
    )


def _vocabulary(pages: Sequence[PreparedPage]) -> list[str]:
    """The words of several sites that tell most about kinds, by chi-squared: so many of the markup
    and so many of labels."""
    sites = defaultdict(set)
    for page in pages:
        site = site_of(page.page.url)
        for word in page.signs.words:
            sites[word].add(site)
    words = sorted(word for word, of in sites.items() if len(of) >= _MIN_SITES)
    tells = np.nan_to_num(chi2(_word_matrix(pages, words), _kinds(pages))[0])
    best = [words[index] for index in np.argsort(-tells, kind="stable")]
    markup = [word for word in best if is_markup(word)][:_MAX_WORDS]
    return sorted(markup + [word for word in best if not is_markup(word)][:_MAX_READ])


def _word_matrix(pages: Sequence[PreparedPage], words: Sequence[str]) -> scipy.sparse.csr_matrix:
    columns = {word: column for column, word in enumerate(words)}
    found = [
        (row, columns[word])
        for row, page in enumerate(pages)
        for word in page.signs.words
        if word in columns
    ]
    rows, at = zip(*found, strict=True)
    return scipy.sparse.csr_matrix((np.ones(len(rows)), (rows, at)), (len(pages), len(words)))


def _numbers(pages: Sequence[PreparedPage], names: Sequence[str]) -> Floats:
    return np.array([[page.signs.numbers[name] for name in names] for page in pages], np.float32)


def _kinds(pages: Sequence[PreparedPage]) -> list[int]:
    return [PAGE_KINDS.index(page.page.kind) for page in pages]
