"""Runs a sentence-transformers model over many texts, using every core or a GPU.

On a processor a text's vector is bit-identical whatever else is encoded: texts with one number of
tokens share a batch, so there is no padding; no matrix is so small that the library would take
other loops for it; and each core runs its own batches, one thread each, with PyTorch's own threads
off. That is also faster: by default PyTorch splits every small matrix among the cores, which then
wait for each other. On a GPU texts of similar length share a batch. Tokenising the next batches
overlaps with the model. Knows nothing of where models come from.
"""

from __future__ import annotations

import ctypes
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar, cast

import numpy as np

from factmill.models.arrays import Floats
from factmill.models.encoding.device import CPU
from factmill.schemas.progress_events import report_progress

Item = TypeVar("Item")
Result = TypeVar("Result")

# Tokens of a batch, padding included. About this many keep the activations of a small model in a
# core's cache: measured in docs/log.md. A GPU needs larger batches.
_BATCH_TOKENS = 512
_BATCH_TOKENS_GPU = 65_536
# Below this, MKL multiplies matrices with other loops, whose sums round differently (docs/log.md).
_LEAST_TOKENS = 16
# Texts to tokenise at a time, before their batches are run.
_TEXTS_COUNTED = 256
# A model reads at most a few hundred tokens; the tokeniser need not see more than this.
MAX_CHARACTERS = 10_000
_BATCHES_BETWEEN_RELEASES = 8


@dataclass(frozen=True, slots=True)
class Batch:
    """Tokenised texts; those of `rows` come first."""

    rows: list[int]
    features: dict[str, Any]


def encode_texts(model: Any, texts: Sequence[str]) -> Floats:
    """Unit-length vectors of the texts by a SentenceTransformer, in order. At least one text.

    Uses the model's device, and as many cores as PyTorch has threads.
    """
    import torch

    on_cpu = model.device.type == CPU
    threads = torch.get_num_threads() if on_cpu else 1
    batches = _equal_batches(model, texts) if on_cpu else _padded_batches(model, texts)

    def vectors_of(batch: Batch) -> Floats:
        with torch.inference_mode():
            return cast(Floats, vectors(model, batch.features).cpu().numpy())

    result: Floats | None = None
    filled = 0
    for done, (batch, values) in enumerate(_in_threads(vectors_of, batches, threads), 1):
        if result is None:
            result = np.empty((len(texts), values.shape[1]), dtype=np.float32)
        result[batch.rows] = values[: len(batch.rows)]
        filled += len(batch.rows)
        report_progress("encoding", filled, len(texts))
        if done % _BATCHES_BETWEEN_RELEASES == 0:
            _release_memory()
    _release_memory()
    assert result is not None  # there are texts
    return result


def _equal_batches(model: Any, texts: Sequence[str]) -> Iterator[Batch]:
    """Batches without padding, with enough tokens for the usual loops: too few texts are repeated.
    The longest come first, judged by their characters.
    """
    order = sorted(range(len(texts)), key=lambda row: len(texts[row]), reverse=True)
    waiting: dict[int, list[int]] = defaultdict(list)

    def batch(rows: list[int], length: int) -> Batch:
        copies = -(-_LEAST_TOKENS // (length * len(rows)))
        return Batch(rows, tokenised(model, [texts[row] for row in rows] * copies))

    for start in range(0, len(order), _TEXTS_COUNTED):
        block = order[start : start + _TEXTS_COUNTED]
        lengths = _token_counts(tokenised(model, [texts[row] for row in block]), len(block))
        for row, length in zip(block, lengths, strict=True):
            rows = waiting[length]
            rows.append(row)
            if (len(rows) + 1) * length > _BATCH_TOKENS:
                yield batch(waiting.pop(length), length)
    for length, rows in sorted(waiting.items(), reverse=True):
        yield batch(rows, length)


def _token_counts(features: dict[str, Any], texts: int) -> list[int]:
    """Tokens of each text; 1 for a model without padding."""
    mask = features.get("attention_mask")
    return [1] * texts if mask is None else [max(1, int(count)) for count in mask.sum(1)]


def _padded_batches(model: Any, texts: Sequence[str]) -> Iterator[Batch]:
    lengths = [len(text) for text in texts]
    for rows in batches_by_length(lengths, _BATCH_TOKENS_GPU, longest(model)):
        yield Batch(rows, tokenised(model, [texts[row] for row in rows]))


def longest(model: Any) -> int:
    """The maximum number of tokens that the model reads."""
    return int(model.max_seq_length or 512)


def batches_by_length(lengths: Sequence[int], tokens: int, most: int) -> list[list[int]]:
    """Rows of texts with these lengths in characters, in batches of about `tokens` tokens, longest
    texts first. No text counts as more than `most` tokens, and a batch holds at least one.
    """
    order = sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True)
    batches = []
    start = 0
    while start < len(order):
        # Four characters a token is typical; the longest text of a batch comes first.
        each = min(lengths[order[start]] // 4 + 3, most)
        stop = start + max(1, tokens // each)
        batches.append(order[start:stop])
        start = stop
    return batches


def tokenised(model: Any, texts: Sequence[str]) -> dict[str, Any]:
    """The model's input for these texts. Call it from one thread at a time: tokenisers keep
    state.
    """
    return dict(model.preprocess([text[:MAX_CHARACTERS] for text in texts]))


def vectors(model: Any, features: dict[str, Any]) -> Any:
    """Unit-length vectors of a tokenised batch, as a tensor on the model's device."""
    import torch

    features = {
        key: value.to(model.device) if hasattr(value, "to") else value
        for key, value in features.items()
    }
    return torch.nn.functional.normalize(model(features)["sentence_embedding"].float(), dim=1)


def _in_threads(
    work: Callable[[Item], Result], items: Iterable[Item], threads: int
) -> Iterator[tuple[Item, Result]]:
    """Each item with the result of `work`, in order. A few items are drawn ahead."""
    pool = _threads_of_one_core(threads)
    waiting: deque[tuple[Item, Future[Result]]] = deque()
    for item in items:
        waiting.append((item, pool.submit(work, item)))
        if len(waiting) > 2 * threads:
            first, result = waiting.popleft()
            yield first, result.result()
    while waiting:
        first, result = waiting.popleft()
        yield first, result.result()


_starting = threading.Lock()
_pools: dict[int, ThreadPoolExecutor] = {}


def _threads_of_one_core(count: int) -> ThreadPoolExecutor:
    """Threads in which PyTorch uses one core each, shared by all calls, including concurrent
    queries.
    """
    import torch

    with _starting:
        if count not in _pools:
            before = torch.get_num_threads()
            started = threading.Barrier(count)
            pool = ThreadPoolExecutor(count, "factmill-encode", _use_one_core)
            for waits in [pool.submit(started.wait) for _ in range(count)]:
                waits.result()
            # The setting is per thread, but new threads inherit the last one made.
            torch.set_num_threads(before)
            _pools[count] = pool
        return _pools[count]


def _use_one_core() -> None:
    import torch

    torch.set_num_threads(1)
    # After this call a thread keeps its setting; before, it would inherit the last one made.
    torch.get_num_threads()


@cache
def _allocator() -> ctypes.CDLL | None:
    try:
        library = ctypes.CDLL(None)
        return library if hasattr(library, "malloc_trim") else None
    except OSError:
        return None


def _release_memory() -> None:
    """Return free memory to the system. Batches of ever new shapes fragment the C library's heap,
    which keeps what is free: half a gigabyte after a thousand batches.
    """
    library = _allocator()
    if library is not None:
        library.malloc_trim(0)
