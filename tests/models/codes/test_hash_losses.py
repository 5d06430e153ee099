"""The losses of the hash head against loops over single numbers, in double precision."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from factmill.models.codes.hash_losses import (
    asymmetric_loss,
    asymmetric_terms,
    beta,
    candidate_loss,
    preservation_loss,
    ranking_loss,
    source_similarity,
)

Matrix = list[list[float]]


def dot(first: list[float], second: list[float]) -> float:
    return math.fsum(a * b for a, b in zip(first, second, strict=True))


def asymmetric_by_loops(
    surrogate: Matrix, codes: Matrix, similarity: Matrix, source: list[int], gamma: float
) -> float:
    """sum_ij (v_i . h_j - l S_ij)^2 + gamma sum_i |h_source(i) - v_i|^2."""
    total = 0.0
    for i, v in enumerate(surrogate):
        for j, h in enumerate(codes):
            total += (dot(v, h) - len(h) * similarity[i][j]) ** 2
        total += gamma * sum((a - b) ** 2 for a, b in zip(codes[source[i]], v, strict=True))
    return total


def ranking_by_loops(
    scores: Matrix, source: list[int], ignored: list[list[bool]], temperature: float
) -> float:
    """The mean of -log(e^(own / t) / sum over what is not ignored of e^(score / t))."""
    total = 0.0
    for row, own, skip in zip(scores, source, ignored, strict=True):
        weights = [math.exp((s - row[own]) / temperature) for s in row]
        total += math.log(sum(w for w, out in zip(weights, skip, strict=True) if not out))
    return total / len(scores)


def candidate_by_loops(
    surrogate: Matrix, codes: Matrix, source: list[int], ignored: list[list[bool]], margin: float
) -> float:
    excesses = []
    for v, own, skip in zip(surrogate, source, ignored, strict=True):
        for j, h in enumerate(codes):
            if j != own and not skip[j]:
                excess = margin - dot(v, codes[own]) / len(h) + dot(v, h) / len(h)
                excesses.append(max(0.0, excess))
    return sum(excesses) / max(1, len(excesses))


def softmax(values: list[float]) -> list[float]:
    weights = [math.exp(value - max(values)) for value in values]
    return [weight / sum(weights) for weight in weights]


def preservation_by_loops(scores: Matrix, cosines: Matrix, temperature: float) -> float:
    """The mean over queries of sum p log(p / q), p of the cosines, q of the scores."""
    total = 0.0
    for ours, theirs in zip(scores, cosines, strict=True):
        q = softmax([value / temperature for value in ours])
        p = softmax([value / temperature for value in theirs])
        total += sum(a * math.log(a / b) for a, b in zip(p, q, strict=True))
    return total / len(scores)


class LossInputs:
    """Everything that the losses take, at random and in double precision."""

    def __init__(self, queries: int, units: int, bits: int, seed: int) -> None:
        generator = np.random.default_rng(seed)
        self.surrogate = torch.from_numpy(np.tanh(generator.standard_normal((queries, bits))))
        self.codes = torch.from_numpy(generator.choice([-1.0, 1.0], (units, bits)))
        self.similarity = torch.from_numpy(generator.uniform(-1, 1, (queries, units)))
        self.source = torch.from_numpy(generator.integers(0, units, queries))
        self.scores = torch.from_numpy(generator.uniform(-1, 1, (queries, units)))
        self.cosines = torch.from_numpy(generator.uniform(-1, 1, (queries, units)))
        self.ignored = torch.from_numpy(generator.random((queries, units)) < 0.3)
        self.ignored[torch.arange(queries), self.source] = False


_BLOCKS = st.builds(
    LossInputs, st.integers(1, 6), st.integers(1, 5), st.integers(1, 6), st.integers(0, 2**32 - 1)
)
_GAMMAS = st.sampled_from([0.0, 0.5, 3.0, 500.0])


@pytest.mark.parametrize(("step", "sharpness"), [(0, 1.0), (10, math.sqrt(2)), (240, 5.0)])
def test_beta_at_a_step_follows_the_continuation(step: int, sharpness: float) -> None:
    assert beta(step) == pytest.approx(sharpness)


def test_source_similarity_is_one_at_the_source_and_a_balancing_share_elsewhere() -> None:
    similarity = source_similarity(torch.tensor([2, 0, 2]), 5)
    assert similarity.tolist() == [
        [-0.25, -0.25, 1.0, -0.25, -0.25],
        [1.0, -0.25, -0.25, -0.25, -0.25],
        [-0.25, -0.25, 1.0, -0.25, -0.25],
    ]


def test_source_similarity_of_a_single_unit_has_no_negatives() -> None:
    assert source_similarity(torch.tensor([0, 0]), 1).tolist() == [[1.0], [1.0]]


@settings(max_examples=60)
@given(_BLOCKS, _GAMMAS)
def test_asymmetric_loss_any_block_equals_loops(block: LossInputs, gamma: float) -> None:
    case = (block.surrogate, block.codes, block.similarity, block.source)
    expected = asymmetric_by_loops(*(part.tolist() for part in case), gamma)
    assert float(asymmetric_loss(*case, gamma)) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_asymmetric_loss_of_perfect_codes_is_zero() -> None:
    codes = torch.tensor([[1.0, -1.0, 1.0, 1.0], [-1.0, 1.0, -1.0, -1.0]])
    source = torch.tensor([0, 1, 1])
    case = (codes[source], codes, source_similarity(source, 2), source)
    assert float(asymmetric_loss(*case, gamma=10.0)) == 0.0


@settings(max_examples=60)
@given(_BLOCKS, _GAMMAS, st.integers(0, 2**32 - 1))
def test_asymmetric_terms_differ_between_codes_exactly_as_the_loss_does(
    block: LossInputs, gamma: float, seed: int
) -> None:
    rest = block.similarity, block.source, gamma
    gram, linear = asymmetric_terms(block.surrogate, *rest)

    def quadratic(codes: Tensor) -> float:
        rows = zip(codes.tolist(), linear.tolist(), strict=True)
        return sum(dot(h, [dot(row, h) for row in gram.tolist()]) - 2 * dot(h, b) for h, b in rows)

    other = np.random.default_rng(seed).choice([-1.0, 1.0], tuple(block.codes.shape))
    first, second = block.codes, torch.from_numpy(other)
    difference = asymmetric_loss(block.surrogate, first, *rest) - asymmetric_loss(
        block.surrogate, second, *rest
    )
    assert quadratic(first) - quadratic(second) == pytest.approx(float(difference), abs=1e-8)


@settings(max_examples=60)
@given(_BLOCKS, st.sampled_from([0.05, 1.0]))
def test_ranking_loss_any_block_equals_loops(block: LossInputs, temperature: float) -> None:
    case = (block.scores, block.source, block.ignored)
    expected = ranking_by_loops(*(part.tolist() for part in case), temperature)
    assert float(ranking_loss(*case, temperature)) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@settings(max_examples=60)
@given(_BLOCKS, st.sampled_from([0.0, 0.1, 1.0]))
def test_candidate_loss_any_block_equals_loops(block: LossInputs, margin: float) -> None:
    case = (block.surrogate, block.codes, block.source, block.ignored)
    expected = candidate_by_loops(*(part.tolist() for part in case), margin)
    assert float(candidate_loss(*case, margin)) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_candidate_loss_counts_neither_the_source_nor_what_is_ignored_and_keeps_the_mask() -> None:
    codes = torch.ones(3, 8)
    source = torch.tensor([1, 2])
    ignored = torch.tensor([[True, False, False], [False, True, False]])
    before = ignored.clone()
    # All codes are alike, so each pair that counts exceeds by the margin of 0.1.
    assert float(candidate_loss(torch.zeros(2, 8), codes, source, ignored)) == pytest.approx(0.1)
    assert torch.equal(ignored, before)
    everything = torch.ones(2, 3, dtype=torch.bool)
    assert float(candidate_loss(torch.zeros(2, 8), codes, source, everything)) == 0.0


def test_ranking_loss_of_ignored_scores_neither_changes_nor_has_a_gradient() -> None:
    block = LossInputs(queries=4, units=5, bits=8, seed=3)
    assert block.ignored.any()
    scores = block.scores.clone().requires_grad_()
    loss = ranking_loss(scores, block.source, block.ignored, 0.1)
    raised = torch.where(block.ignored, block.scores + 5.0, block.scores)
    changed = ranking_loss(raised, block.source, block.ignored, 0.1)
    assert float(changed) == pytest.approx(loss.item())
    loss.backward()
    assert scores.grad is not None
    assert not scores.grad[block.ignored].any()
    assert (scores.grad[torch.arange(4), block.source] < 0).all()


@settings(max_examples=60)
@given(_BLOCKS, st.sampled_from([0.05, 1.0]))
def test_preservation_loss_any_block_equals_loops(block: LossInputs, temperature: float) -> None:
    expected = preservation_by_loops(block.scores.tolist(), block.cosines.tolist(), temperature)
    loss = float(preservation_loss(block.scores, block.cosines, temperature))
    assert loss == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_preservation_loss_is_zero_for_equal_scores_only_and_knows_their_scale() -> None:
    cosines = LossInputs(queries=4, units=5, bits=8, seed=1).cosines
    assert float(preservation_loss(cosines, cosines, 0.05)) == pytest.approx(0.0, abs=1e-12)
    # The same order, so no loss of ranking would see it.
    doubled, halved = (
        float(preservation_loss(factor * cosines, cosines, 0.05)) for factor in (2.0, 0.5)
    )
    assert min(doubled, halved) > 0.01
