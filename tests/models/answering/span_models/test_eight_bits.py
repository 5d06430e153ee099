from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from factmill.models.answering.span_models.eight_bits import SCALE, from_eight_bits, in_eight_bits
from factmill.models.answering.span_models.span_model import WEIGHTS, SpanModel
from factmill.schemas.errors import CorruptStore
from tests.models.answering.tiny_span_model import (
    published_tiny_encoder,
    random_weights,
    write_span_model,
)


def test_a_matrix_comes_back_but_for_half_a_step_of_its_row() -> None:
    values = np.random.default_rng(1).standard_normal((32, 48)).astype(np.float32)
    values[3] *= 100
    small = in_eight_bits({"m": values})

    back = from_eight_bits(small["m"].astype(np.int8), small["m" + SCALE].astype(np.float32))
    steps = np.abs(values).max(axis=1) / 127
    assert (np.abs(back - values) <= 0.501 * steps[:, None]).all()
    assert small["m"].nbytes == values.nbytes // 4


def test_vectors_and_matrices_of_few_rows_stay_halves() -> None:
    small = in_eight_bits({"v": np.ones(64, np.float32), "head": np.ones((2, 64), np.float32)})

    assert {name: values.dtype for name, values in small.items()} == {
        "v": np.dtype(np.float16),
        "head": np.dtype(np.float16),
    }


def test_a_row_of_zeros_stays_zeros() -> None:
    small = in_eight_bits({"m": np.zeros((16, 4), np.float32)})

    assert not from_eight_bits(small["m"].astype(np.int8), small["m" + SCALE]).any()  # type: ignore[arg-type]


def test_a_span_model_reads_eight_bits_and_refuses_scales_that_do_not_fit(tmp_path: Path) -> None:
    encoder = published_tiny_encoder(tmp_path)
    weights = random_weights(encoder, 0)
    tokens = np.array([2, 5, 9, 3], dtype=np.int64)
    model = write_span_model(tmp_path / "model", encoder, weights, [])
    halves = model(tokens)
    small = in_eight_bits(weights)
    assert any(name.endswith(SCALE) for name in small)
    save_file(small, tmp_path / "model" / WEIGHTS)
    found = SpanModel(tmp_path / "model", encoder)(tokens)
    np.testing.assert_allclose(found.start, halves.start, atol=0.3)

    broken = load_file(tmp_path / "model" / WEIGHTS)
    name = next(one for one in broken if one.endswith(SCALE))
    broken[name] = broken[name][:-1]
    save_file(broken, tmp_path / "model" / WEIGHTS)
    with pytest.raises(CorruptStore, match="scales"):
        SpanModel(tmp_path / "model", encoder)(tokens)
