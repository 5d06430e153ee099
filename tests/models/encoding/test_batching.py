"""Batches, threads and devices of encoding, with a model that counts characters."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from factmill.models.encoding import batching as encoding
from factmill.models.encoding.batching import batches_by_length, encode_texts
from factmill.models.encoding.device import best_device


class CountingModel:
    """A text's vector points where its number of characters says; ten are a token."""

    device = torch.device("cpu")
    max_seq_length = 256

    def __init__(self) -> None:
        self.threads: list[tuple[int, int]] = []
        self.batches: list[list[int]] = []  # tokens of each text

    def preprocess(self, texts: list[str]) -> dict[str, Any]:
        if "broken" in texts:
            raise ValueError("a broken text")
        counts = [1 + len(text) // 10 for text in texts]
        mask = torch.arange(max(counts)) < torch.tensor(counts)[:, None]
        lengths = torch.tensor([len(text) for text in texts], dtype=torch.float64)
        return {"lengths": lengths, "attention_mask": mask.long()}

    def __call__(self, features: dict[str, Any]) -> dict[str, Any]:
        self.threads.append((threading.get_ident(), torch.get_num_threads()))
        self.batches.append(features["attention_mask"].sum(1).tolist())
        angles = features["lengths"] / 100
        return {"sentence_embedding": 3 * torch.stack([angles.cos(), angles.sin()], dim=1)}


@pytest.fixture
def three_threads() -> Any:
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


def expected(texts: list[str]) -> Any:
    angles = np.array([len(text) for text in texts]) / 100
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


@pytest.mark.usefixtures("three_threads")
def test_encode_texts_many_batches_run_on_threads_of_one_core_each() -> None:
    model = CountingModel()
    texts = ["x" * (7 * n % 300) for n in range(600)]
    np.testing.assert_allclose(encode_texts(model, texts), expected(texts), atol=1e-5)
    assert {cores for _, cores in model.threads} == {1}
    assert threading.get_ident() not in {thread for thread, _ in model.threads}
    assert torch.get_num_threads() == 3


@given(st.lists(st.integers(0, 900), min_size=1))
def test_encode_texts_on_a_processor_no_padding_and_no_tiny_batch(lengths: list[int]) -> None:
    model = CountingModel()
    texts = ["x" * length for length in lengths]
    np.testing.assert_allclose(encode_texts(model, texts), expected(texts), atol=1e-5)
    for batch in model.batches:
        assert len(set(batch)) == 1
        assert sum(batch) >= encoding._LEAST_TOKENS
        assert sum(batch) <= max(encoding._BATCH_TOKENS, batch[0], 2 * encoding._LEAST_TOKENS)


def test_encode_texts_at_the_same_time_leave_pytorch_its_threads() -> None:
    before = torch.get_num_threads()
    model, found = CountingModel(), []
    askers = [
        threading.Thread(target=lambda: found.append(encode_texts(model, ["x" * 70])))
        for _ in range(8)
    ]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert len(found) == 8
    assert {cores for _, cores in model.threads} == {1}
    seen: list[int] = []
    later = threading.Thread(target=lambda: seen.append(torch.get_num_threads()))
    later.start()
    later.join()
    assert seen == [before] == [torch.get_num_threads()]


@pytest.mark.usefixtures("three_threads")
def test_encode_texts_error_of_the_tokeniser_comes_through() -> None:
    with pytest.raises(ValueError, match="a broken text"):
        encode_texts(CountingModel(), ["x" * 200] * 300 + ["broken"])
    assert torch.get_num_threads() == 3


@pytest.mark.usefixtures("three_threads")
def test_encode_texts_on_a_gpu_one_thread_feeds_larger_batches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model, texts = CountingModel(), ["x" * 40] * 5000

    class Device:
        type = "cuda"

    calls: list[int] = []

    def fake_vectors(asked: Any, features: dict[str, Any]) -> Any:
        # Threads may still be at what a test before left to them.
        if asked is model:
            calls.append(len(features["lengths"]))
        return asked(features)["sentence_embedding"] / 3

    monkeypatch.setattr(model, "device", Device(), raising=False)
    monkeypatch.setattr(encoding, "vectors", fake_vectors)
    np.testing.assert_allclose(encode_texts(model, texts), expected(texts), atol=1e-5)
    assert len({thread for thread, _ in model.threads}) == 1
    assert sum(calls) == 5000
    assert max(calls) > 1000


@given(st.lists(st.integers(0, 20_000)), st.integers(1, 2000), st.integers(1, 512))
def test_batches_by_length_every_row_once_longest_first_within_the_tokens(
    lengths: list[int], tokens: int, most: int
) -> None:
    batches = batches_by_length(lengths, tokens, most)
    rows = [row for batch in batches for row in batch]
    assert sorted(rows) == list(range(len(lengths)))
    assert [lengths[row] for row in rows] == sorted(lengths, reverse=True)
    for batch in batches:
        each = min(lengths[batch[0]] // 4 + 3, most)
        assert batch
        assert len(batch) == 1 or len(batch) * each <= tokens


@pytest.mark.parametrize(
    ("cuda", "mps", "device"),
    [(True, True, "cuda"), (False, True, "mps"), (False, False, "cpu")],
)
def test_best_device_is_the_fastest_there_is(
    monkeypatch: pytest.MonkeyPatch, cuda: bool, mps: bool, device: str
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
    assert best_device() == device
