"""Running a sentence-transformers model over many texts, with every core or a GPU busy.

On a processor a text's vector is the same, to the last bit, whatever is encoded beside it: texts of
one number of tokens share a batch, so that nothing is padding, no matrix is so small that the
library takes other loops for it, and each core runs batches of its own: a thread for each, and
PyTorch's own threads off. That is also faster: splitting every small matrix among the cores, which
is PyTorch's default, leaves them waiting for each other. On a GPU texts of about the same length
share a batch. Tokenising the next batches overlaps with the model. Knows nothing of where models
come from.
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
import numpy.typing as npt

from factmill.models.encoding.device import CPU
from factmill.schemas.progress_events import report_progress

Floats = npt.NDArray[np.float32]
Item = TypeVar("Item")
Result = TypeVar("Result")

# Tokens of a batch, padding included. About this many keep the activations of a small model in a
# core's cache: measured in docs/log.md. A GPU wants more to do at once.
_BATCH_TOKENS = 512
_BATCH_TOKENS_GPU = 16_384
# Below this, MKL multiplies matrices by other loops, whose sums end in other bits (docs/log.md).
_LEAST_TOKENS = 16
# Texts whose tokens are counted at a time, before the batches that they fill are run.
_TEXTS_COUNTED = 256
# A model reads at most a few hundred tokens; the tokeniser need not see more than this.
MAX_CHARACTERS = 10_000
_BATCHES_BETWEEN_RELEASES = 8


@dataclass(frozen=True, slots=True)
class Batch:
    """Tokenised texts, those of `rows` first."""

    rows: list[int]
    features: dict[str, Any]


def encode_texts(model: Any, texts: Sequence[str]) -> Floats:
    """Unit-length vectors of the texts by a SentenceTransformer, in their order; not for no texts.

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
    """Batches without padding, of enough tokens for the usual loops: where texts are too few, they
    are there more than once. The longest come first, as far as characters tell."""
    order = sorted(range(len(texts)), key=lambda row: len(texts[row]), reverse=True)
    waiting: dict[int, list[int]] = defaultdict(list)

    def batch(rows: list[int], length: int) -> Batch:
        copies = -(-_LEAST_TOKENS // (length * len(rows)))
        return Batch(rows, tokenised(model, [texts[row] for row in rows] * copies))

    for start in range(0, len(order), _TEXTS_COUNTED):
        block = order[start : start + _TEXTS_COUNTED]
        lengths = token_counts(tokenised(model, [texts[row] for row in block]), len(block))
        for row, length in zip(block, lengths, strict=True):
            rows = waiting[length]
            rows.append(row)
            if (len(rows) + 1) * length > _BATCH_TOKENS:
                yield batch(waiting.pop(length), length)
    for length, rows in sorted(waiting.items(), reverse=True):
        yield batch(rows, length)


def token_counts(features: dict[str, Any], texts: int) -> list[int]:
    """Tokens of each text; 1 for a model that knows no padding."""
    mask = features.get("attention_mask")
    return [1] * texts if mask is None else [max(1, int(count)) for count in mask.sum(1)]


def _padded_batches(model: Any, texts: Sequence[str]) -> Iterator[Batch]:
    lengths = [len(text) for text in texts]
    for rows in batches_by_length(lengths, _BATCH_TOKENS_GPU, longest(model)):
        yield Batch(rows, tokenised(model, [texts[row] for row in rows]))


def longest(model: Any) -> int:
    """Tokens that the model reads of a text."""
    return int(model.max_seq_length or 512)


def batches_by_length(lengths: Sequence[int], tokens: int, most: int) -> list[list[int]]:
    """Rows of texts of so many characters, in batches of about so many tokens, the longest texts
    first. No text counts as more than `most` tokens, and a batch holds at least one."""
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
    """What the model takes for these texts. For one thread at a time: tokenisers keep state."""
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
    """Each item with `work` of it, in order. A few items are drawn ahead."""
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
    """Threads in which PyTorch uses one core each, the same for all calls: queries that are asked
    at the same time share them."""
    import torch

    with _starting:
        if count not in _pools:
            before = torch.get_num_threads()
            started = threading.Barrier(count)
            pool = ThreadPoolExecutor(count, "factmill-encode", _use_one_core)
            for waits in [pool.submit(started.wait) for _ in range(count)]:
                waits.result()
            # The setting is each thread's own, but the last one made counts for threads to come.
            torch.set_num_threads(before)
            _pools[count] = pool
        return _pools[count]


def _use_one_core() -> None:
    import torch

    torch.set_num_threads(1)
    # Asked once, a thread keeps what it has; before, it would take over what is set last.
    torch.get_num_threads()


@cache
def _allocator() -> ctypes.CDLL | None:
    try:
        library = ctypes.CDLL(None)
        return library if hasattr(library, "malloc_trim") else None
    except OSError:
        return None


def _release_memory() -> None:
    """Give free memory back to the system. Batches of ever new shapes break up the C library's
    heap, which keeps what is free: half a gigabyte after a thousand batches."""
    library = _allocator()
    if library is not None:
        library.malloc_trim(0)
