"""Fits the weights of span features (`models/answering/sentences/span_weights.py`) to questions.

    python -m tests.benchmarks.fit_span_weights STORE QUESTIONS.jsonl [STORE QUESTIONS.jsonl ...]
        [--write] [--half 0] [--whole STORE QUESTIONS.jsonl] [--scorer FOLDER] [--most N]

The candidates of a question are all spans of the sentences found for it, and "no answer". The loss
is the negative logarithm of the probability of the right ones, so the probability of an answer is
how likely it is right. If no span is right, "no answer" is. Each question has a copy without the
sentences that answer it, to learn when what is left is a trap. One half of the questions, by a hash
of their ids, is for fitting; those of `samples/` count three times, because they are few, and
typical of questions to a small corpus. The reliability table is measured on the other half. All
questions of a file after `--whole` are for fitting. Questions that are decomposed, and those for
yes or no, are left out, because no span answers them. With `--scorer`, the span scorer in a
folder is asked for each question, and the weights are those of `models/answering/span_scoring/`,
with those of `scored_confidence.py`, which says how much to trust what they choose.
"""

from __future__ import annotations

import argparse
import hashlib
import random
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np
import torch

from factmill.models.answering.answer_candidates import Candidate, Source
from factmill.models.answering.counterevidence.span_sureness import sureness
from factmill.models.answering.decomposing.local_decomposer import local_plan
from factmill.models.answering.sentences import span_weights
from factmill.models.answering.sentences.featured_spans import (
    SpanWithFeatures,
    spans_with_features,
)
from factmill.models.answering.sentences.matched_sentences import sentences_of
from factmill.models.answering.sentences.sentence_answers import scored_answers
from factmill.models.answering.sentences.span_features import FEATURES
from factmill.models.answering.span_models.many_scores import scores_of_many
from factmill.models.answering.span_models.span_model import SpanModel
from factmill.models.answering.span_scoring import (
    confidence_weights,
    scored_confidence,
    scored_weights,
)
from factmill.models.answering.span_scoring.scorer_features import SCORER_FEATURES, Scores
from factmill.models.answering.span_scoring.segment_input import segment_input, segments_to_score
from factmill.models.answering.span_scoring.segment_log_odds import SegmentScores
from factmill.models.answering.span_scoring.span_scorer import SEGMENTS_SCORED, scores_of_input
from factmill.models.answering.words.answer_words import answer_f1, answer_words, holds_answer
from factmill.models.answering.words.asked_for import AskedFor, asked_for
from factmill.models.answering.words.question_kinds import Kind
from factmill.models.encoding.packaged_encoder import packaged_encoder
from factmill.runtime.answers.found_facts import source_of
from factmill.runtime.answers.hops import PAGES, SEGMENTS
from factmill.runtime.evaluate import Question, read_questions
from factmill.runtime.index import Index
from factmill.runtime.opening import open_index
from factmill.schemas.storage.paths import parse_storage_path
from tests.benchmarks.logistic_fit import chances, logistic_fit

# A span with nearly all words of the answer, and few others, is right, too.
_NEARLY = 0.79
_STEPS, _DECAY = 200, 1.0
# The same towards the weights of the rules, where the scorer was asked: there are fewer questions.
_DECAY_TO_RULES = 20.0
# The weights of a question without its answer, and of one of the sample crawl.
_TAKEN_OUT, _SAMPLE = 0.5, 3.0
# An answer with so much of the gold's words counts as right when confidence is fitted.
_MOSTLY = 2 / 3
_SAID = scored_confidence.FEATURES.index("said")
_BINS = np.linspace(0.0, 1.0, 11)


class Spans(NamedTuple):
    """The spans of one question: features (n x FEATURES), right or not, words, the numbers of the
    sentences they stand in, and what is left of each for missing names."""

    question: Question
    features: np.ndarray
    right: np.ndarray
    texts: list[str]
    sentences: np.ndarray
    spans: list[SpanWithFeatures]
    sure: list[float]


class Found(NamedTuple):
    """A question with the segments that were found for it."""

    question: Question
    asked: AskedFor
    sources: list[Source]


def found_for(index: Index, question: Question) -> Found | None:
    """What is found for a question; None if no span answers it."""
    asked = asked_for(question.text)
    if asked.kind is Kind.CLOSED or len(local_plan(question.text).questions) > 1:
        return None
    pages = index.search_pages(question.text, PAGES, SEGMENTS)
    return Found(question, asked, [source_of(hit) for page in pages for hit in page])


def scores_for(model: SpanModel, found: Sequence[Found]) -> list[dict[int, SegmentScores]]:
    """What a scorer says of the segments of each question, all of them at once."""
    tokenizer = model.encoder.new_tokenizer()
    numbers = [segments_to_score(one.asked, one.sources, SEGMENTS_SCORED) for one in found]
    inputs = [
        segment_input(
            tokenizer, one.asked.text, one.sources[number].title, one.sources[number].text
        )
        for one, read in zip(found, numbers, strict=True)
        for number in read
    ]
    scores = iter(scores_of_many(model, [one.tokens for one in inputs]))
    read = iter(inputs)
    return [{number: scores_of_input(next(read), next(scores)) for number in of} for of in numbers]


def spans_of(found_segments: Found, scores: Scores | None = None) -> Spans | None:
    """The spans of a question; None if there are none."""
    question, asked, sources = found_segments
    found = spans_with_features(asked, sources, scores)
    if not found:
        return None
    texts = [candidate.text for candidate, _ in found]
    right = [any(answer_f1(text, gold) > _NEARLY for gold in question.answers) for text in texts]
    numbers = np.array([numbers for _, numbers in found], np.float32)
    starts = [_sentence(sources, candidate) for candidate, _ in found]
    numbered = {start: number for number, start in enumerate(dict.fromkeys(starts))}
    sentences = np.array([numbered[start] for start in starts])
    sure = sureness(asked, sources, found)
    return Spans(question, numbers, np.array(right), texts, sentences, found, sure)


def _sentence(sources: Sequence[Source], candidate: Candidate) -> tuple[int, int]:
    """The source of a candidate, and the start of its sentence."""
    starts = [one.start for one in sentences_of(sources[candidate.source].text)]
    return candidate.source, max(start for start in starts if start <= candidate.start)


def is_held_out(question: Question, half: int) -> bool:
    """Whether a question belongs to the half that is not for fitting."""
    return hashlib.sha256(question.id.encode()).digest()[0] % 2 != half


def without_answer(spans: Spans) -> Spans | None:
    """The question without the sentences that contain its answer: the others are similar, and
    wrong.
    """
    kept = ~np.isin(spans.sentences, spans.sentences[spans.right])
    if not spans.right.any() or not kept.any():
        return None
    numbers = kept.nonzero()[0].tolist()
    return Spans(
        spans.question,
        spans.features[kept],
        spans.right[kept],
        [spans.texts[one] for one in numbers],
        spans.sentences[kept],
        [spans.spans[one] for one in numbers],
        [spans.sure[one] for one in numbers],
    )


def fitted(members: Sequence[Spans], weights: Sequence[float]) -> np.ndarray:
    """The weights of the features with the least loss; `weights` are those of the questions. Where
    a scorer was asked, those of the other features stay near what they are without it."""
    features = torch.tensor(np.concatenate([one.features for one in members]), dtype=torch.float64)
    right = torch.tensor(np.concatenate([one.right for one in members]))
    counts = torch.tensor([len(one.right) for one in members])
    of_question = torch.repeat_interleave(torch.arange(len(members)), counts)
    shares = torch.tensor(weights, dtype=torch.float64)
    none = torch.zeros(len(members), dtype=torch.float64)
    answered = none.index_add(0, of_question, right.double()) > 0
    start = torch.zeros(features.shape[1], dtype=torch.float64)
    decay = torch.full_like(start, _DECAY)
    if len(start) > len(FEATURES):
        start[: len(FEATURES)] = torch.tensor([span_weights.WEIGHTS[name] for name in FEATURES])
        decay[: len(FEATURES)] = _DECAY_TO_RULES
    decay[0] = 0.0
    counted = start.clone().requires_grad_(True)
    steps = torch.optim.LBFGS([counted], max_iter=_STEPS, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        steps.zero_grad()
        odds = torch.exp((features @ counted).clamp(max=30.0))
        whole = 1.0 + none.index_add(0, of_question, odds)
        good = none.index_add(0, of_question, odds * right)
        share = torch.where(answered, good, torch.ones_like(good)) / whole
        value = -(shares * torch.log(share + 1e-12)).sum()
        value = value + (decay * (counted - start) ** 2).sum() / 2
        value.backward()  # type: ignore[no-untyped-call]
        return value

    steps.step(loss)  # type: ignore[no-untyped-call]
    return counted.detach().numpy()


def answered(spans: Spans, counted: np.ndarray) -> tuple[float, bool]:
    """The probability of the best answer, and whether it is right."""
    odds = np.exp(np.minimum(spans.features @ counted, 30.0))
    whole = 1.0 + odds.sum()
    together: dict[str, float] = {}
    for text, one in zip(spans.texts, odds, strict=True):
        key = " ".join(answer_words(text))
        together[key] = together.get(key, 0.0) + float(one / whole)
    best = max(together, key=lambda key: together[key])
    return together[best], any(holds_answer(best, gold) for gold in spans.question.answers)


def chosen(spans: Spans, counted: np.ndarray) -> tuple[list[float], bool]:
    """The numbers of the answer that the weights choose (`scored_confidence`), and whether it is
    right."""
    odds = np.exp(np.minimum(spans.features @ counted, 30.0)).tolist()
    candidate, numbers = max(
        scored_answers(spans.spans, spans.sure, odds), key=lambda one: one[1][_SAID]
    )
    return numbers, any(_is_right(candidate.text, gold) for gold in spans.question.answers)


def _is_right(text: str, gold: str) -> bool:
    return holds_answer(text, gold) or answer_f1(text, gold) >= _MOSTLY


def fitted_confidence(members: Sequence[Spans], weights: Sequence[float]) -> np.ndarray:
    """The weights of `scored_confidence`, fitted to what weights of spans choose that were fitted
    to the other half of the questions."""
    rows, right, shares = [], [], []
    for half in (0, 1):
        held = [is_held_out(one.question, half) for one in members]
        others = [n for n, is_held in enumerate(held) if not is_held]
        counted = fitted([members[n] for n in others], [weights[n] for n in others])
        for n in (n for n, is_held in enumerate(held) if is_held):
            numbers, is_right = chosen(members[n], counted)
            rows.append(numbers)
            right.append(float(is_right))
            shares.append(weights[n])
    return logistic_fit(np.array(rows), np.array(right), np.array(shares))


def print_reliability(name: str, rows: Sequence[tuple[float, bool]]) -> None:
    """Print, for bins of probabilities, how many answers there are and how many are right."""
    print(f"{name}: {len(rows)} questions")
    for low, high in zip(_BINS, _BINS[1:], strict=False):
        members = [one for one in rows if low <= one[0] < high or (high == 1.0 and one[0] == 1.0)]
        if members:
            said = sum(score for score, _ in members) / len(members)
            right = sum(one for _, one in members) / len(members)
            print(f"  {low:.1f}-{high:.1f}: {len(members):4} said {said:.3f} right {right:.3f}")


def written(what: str, names: Sequence[str], counted: np.ndarray) -> str:
    """The text of a module of weights."""
    rows = "\n".join(
        f'    "{name}": {weight:.3f},' for name, weight in zip(names, counted, strict=True)
    )
    return (
        f'"""What each {what} counts, by `fit_span_weights.py`."""'
        f"\n\nfrom __future__ import annotations\n\nWEIGHTS: dict[str, float] = {{\n{rows}\n}}\n"
    )


def scorer_in(folder: str) -> SpanModel:
    """The span model of the scorer in a folder."""
    encoder = packaged_encoder()
    assert encoder is not None, "the packaged encoder is not installed"
    return SpanModel(parse_storage_path(folder), encoder)


def all_spans(store: str, path: Path, model: SpanModel | None, most: int) -> list[Spans]:
    """The spans of `most` questions of a file, drawn at random; of all for 0."""
    index = open_index(store)
    questions = read_questions(path, needs_gold=False)
    if most and len(questions) > most:
        questions = random.Random(5).sample(questions, most)
    found = [one for one in (found_for(index, question) for question in questions) if one]
    scores = scores_for(model, found) if model else [None] * len(found)
    spans = [spans_of(one, read) for one, read in zip(found, scores, strict=True)]
    return [one for one in spans if one is not None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("inputs", nargs="+", metavar="STORE QUESTIONS")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--half", type=int, default=0)
    parser.add_argument("--scorer", help="the folder of a span scorer")
    parser.add_argument("--most", type=int, default=0, help="questions of a file; 0 for all")
    parser.add_argument("--whole", nargs=2, action="append", default=[], metavar="PATH")
    options = parser.parse_args()
    model = scorer_in(options.scorer) if options.scorer else None
    fit_to: list[Spans] = []
    weights: list[float] = []
    held_out: dict[str, list[Spans]] = {}
    halves = list(zip(options.inputs[::2], options.inputs[1::2], strict=True))
    for store, path in [*halves, *options.whole]:
        is_whole = [store, path] in options.whole
        for spans in all_spans(store, Path(path), model, options.most):
            if not is_whole and is_held_out(spans.question, options.half):
                held_out.setdefault(path, []).append(spans)
                continue
            weight = _SAMPLE if "samples" in path else 1.0
            fit_to.append(spans)
            weights.append(weight)
            if (alone := without_answer(spans)) is not None:
                fit_to.append(alone)
                weights.append(weight * _TAKEN_OUT)
    counted = fitted(fit_to, weights)
    print_reliability("fitted to", [answered(spans, counted) for spans in fit_to])
    for path, members in held_out.items():
        print_reliability(path, [answered(spans, counted) for spans in members])
    names = (*FEATURES, *SCORER_FEATURES)[: len(counted)]
    if options.write and not options.scorer:
        _write(span_weights, "feature of a span", names, counted)
    if options.scorer:
        trusted = fitted_confidence(fit_to, weights)
        for path, members in held_out.items():
            pairs = [chosen(one, counted) for one in members]
            told = chances(np.array([numbers for numbers, _ in pairs]), trusted).tolist()
            right = [is_right for _, is_right in pairs]
            print_reliability(f"{path}, confidence", list(zip(told, right, strict=True)))
        if options.write:
            _write(scored_weights, "feature of a span that the scorer has scored", names, counted)
            _write(
                confidence_weights, "number of an answer that was scored",
                scored_confidence.FEATURES, trusted,
            )  # fmt: skip


def _write(module: ModuleType, what: str, names: Sequence[str], counted: np.ndarray) -> None:
    assert module.__file__ is not None
    Path(module.__file__).write_text(written(what, names, counted), encoding="utf-8")


if __name__ == "__main__":
    main()
