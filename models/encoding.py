"""Running a sentence-transformers model over many texts, with every core or a GPU busy.

Texts of about the same length share a batch, so that little is padding. On a processor each core
runs batches of its own: a thread for each, and PyTorch's own threads off. Splitting every small
matrix among the cores, which is PyTorch's default, leaves them waiting for each other. Tokenising
the next batches overlaps with the model, on a GPU too. Knows nothing of where models come from.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from models.device import CPU
from schemas.telling import tell

Floats = npt.NDArray[np.float32]
Item = TypeVar("Item")
Result = TypeVar("Result")

# Tokens of a batch, padding included. About this many keep the activations of a small model in a
# core's cache: measured in docs/log.md. A GPU wants more to do at once.
_BATCH_TOKENS = 512
_BATCH_TOKENS_GPU = 16_384
# A model reads at most a few hundred tokens; the tokeniser need not see more than this.
_MAX_CHARACTERS = 10_000
_BATCHES_BETWEEN_RELEASES = 8


def encode_texts(model: Any, texts: Sequence[str]) -> Floats:
    """Unit-length vectors of the texts by a SentenceTransformer, in their order; not for no texts.

    Uses the model's device, and as many cores as PyTorch has threads.
    """
    import torch

    on_cpu = model.device.type == CPU
    tokens = _BATCH_TOKENS if on_cpu else _BATCH_TOKENS_GPU
    batches = batches_by_length([len(text) for text in texts], tokens, longest(model))
    features = (tokenised(model, [texts[i] for i in rows]) for rows in batches)

    def vectors_of(batch: dict[str, Any]) -> Floats:
        with torch.inference_mode():
            return cast(Floats, vectors(model, batch).cpu().numpy())

    threads = torch.get_num_threads() if on_cpu else 1
    few = len(batches) < max(2, threads)
    encoded: Iterator[Floats] = (
        map(vectors_of, features) if few else _in_threads(vectors_of, features, threads)
    )
    result: Floats | None = None
    filled = 0
    for done, (rows, values) in enumerate(zip(batches, encoded, strict=True), 1):
        if result is None:
            result = np.empty((len(texts), values.shape[1]), dtype=np.float32)
        result[rows] = values
        filled += len(rows)
        tell("encoding", filled, len(texts))
        if done % _BATCHES_BETWEEN_RELEASES == 0:
            _release_memory()
    _release_memory()
    assert result is not None  # there are texts
    return result


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
    return dict(model.preprocess([text[:_MAX_CHARACTERS] for text in texts]))


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
) -> Iterator[Result]:
    """`work` of each item, in order, on threads in which PyTorch uses one core each. A few items
    are drawn ahead."""
    import torch

    before = torch.get_num_threads()
    waiting: deque[Future[Result]] = deque()
    try:
        with ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            for item in items:
                waiting.append(pool.submit(work, item))
                if len(waiting) > 2 * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
    finally:
        # The setting is each thread's own, but the last one made counts for threads to come.
        torch.set_num_threads(before)


@cache
def _allocator() -> ctypes.CDLL | None:
    try:
        library = ctypes.CDLL(None)
        return library if hasattr(library, "malloc_trim") else None
    except OSError:
        return None


def _release_memory() -> None:
    """Give free memory back to the system. Batches of ever new shapes leave the C library's heap in
    pieces, which it keeps: half a gigabyte after a thousand batches."""
    library = _allocator()
    if library is not None:
        library.malloc_trim(0)
