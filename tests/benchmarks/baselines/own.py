"""factmill's own index, through what the runtime offers to everyone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from models.encoder import Encoder, Floats
from runtime import open_index
from schemas.errors import FactmillError
from schemas.layout import INDEX
from tests.benchmarks.baselines.judging import Found
from tests.benchmarks.baselines.method import EQUATION, Built, Data, Method, Way
from tests.benchmarks.baselines.units import Integers

_PAGES = 100
# Tables of texts and ids: mapped, and read where a hit is.
_TEXTS = ".arrow"


@contextmanager
def encoded_before(vectors: dict[str, Floats]) -> Iterator[None]:
    """Let every encoder know these texts, so that encoding takes no time."""
    encode = Encoder.encode

    def look_up(_: Encoder, texts: Sequence[str]) -> Floats:
        return np.stack([vectors[text] for text in texts])

    Encoder.encode = look_up  # type: ignore[method-assign]
    try:
        yield
    finally:
        Encoder.encode = encode  # type: ignore[method-assign]


def _own(data: Data) -> Built:
    if data.store is None:
        raise FactmillError("its index holds the whole store: run without --rows")
    index = open_index(data.store)
    texts = [question.text for question in data.questions]
    vectors = dict(zip(texts, data.vectors, strict=True))
    pages = {page.page_id: number for number, page in enumerate(data.units.pages)}

    def search(numbers: Integers) -> list[Found]:
        with encoded_before(vectors):
            hits = index.search_many([texts[n] for n in numbers], _PAGES)
        return [
            # The order is the runtime's, whatever its scores.
            Found(np.array([pages[hit.page_id] for hit in of_query], np.int64),
                  -np.arange(len(of_query), dtype=np.float32))
            for of_query in hits
        ]  # fmt: skip

    def size() -> int:
        files = (index.build.root / INDEX).rglob("*")
        return sum(
            file.stat().st_size for file in files if file.is_file() and file.suffix != _TEXTS
        )

    way = Way(
        "float query", EQUATION, "pages", f"all but the encoder, texts of {_PAGES} pages", search
    )
    return Built(size, [way])


OWN_METHODS = (
    Method("factmill", "factmill's runtime", _own, (FactmillError, RuntimeError, MemoryError)),
)
