"""factmill's own index, through what the runtime offers to everyone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import numpy as np

from factmill.models.arrays import Floats, Integers
from factmill.models.encoding.encoder import Encoder
from factmill.runtime import open_index
from factmill.runtime.search.scoring import Scoring
from factmill.schemas.errors import FactmillError
from factmill.schemas.index_files import PAGES_FILE, ROWS_FILE, SEGMENTS_FILE
from factmill.schemas.layout import INDEX, Store
from factmill.schemas.lexical_files import LEXICAL_FILES
from factmill.schemas.storage.paths import files_below, version
from tests.benchmarks.baselines.judging import Found
from tests.benchmarks.baselines.method import EQUATION, Built, Data, Method, Way

# Pages that recall is judged by, and that a user asks for.
_PAGES, _USUAL_PAGES = 100, 20
# Texts, ids, and which row is of which page: mapped, and read where a hit is.
_TABLES = frozenset({ROWS_FILE, SEGMENTS_FILE, PAGES_FILE})


@contextmanager
def encoded_before(vectors: dict[str, Floats]) -> Iterator[None]:
    """Let every encoder know these texts, so that encoding takes no time. What it does beyond
    looking them up, the head's projection too, stays in the time."""
    encode = Encoder.encode

    def look_up(encoder: Encoder, texts: Sequence[str]) -> Floats:
        if all(text in vectors for text in texts):
            return np.stack([vectors[text] for text in texts])
        return encode(encoder, texts)

    Encoder.encode = look_up  # type: ignore[assignment, method-assign]
    try:
        yield
    finally:
        Encoder.encode = encode  # type: ignore[method-assign]


def _own(lexical: bool, data: Data) -> Built:
    store = data.store
    if store is None:
        raise FactmillError("its index holds the whole store: run without --rows")
    index = open_index(store)
    texts = [question.text for question in data.questions]
    vectors = dict(zip(texts, data.vectors, strict=True))
    pages = {page.page_id: number for number, page in enumerate(data.units.pages)}

    def search(count: int, numbers: Integers) -> list[Found]:
        with encoded_before(vectors):
            hits = index.search_many([texts[n] for n in numbers], count, Scoring(lexical=lexical))
        return [
            # The order is the runtime's, whatever its scores.
            Found(
                np.array([pages[hit.page_id] for hit in of_query], np.int64),
                -np.arange(len(of_query), dtype=np.float32),
            )
            for of_query in hits
        ]

    unread = _TABLES if lexical else _TABLES | frozenset(LEXICAL_FILES)

    def size() -> int:
        files = files_below(Store(store).published().root / INDEX)
        return sum(version(file)[0] for file in files if file.name not in unread)

    way = Way(
        "float query and words" if lexical else "float query",
        EQUATION,
        "pages",
        f"all but the encoder, texts of {_USUAL_PAGES} pages",
        partial(search, _PAGES),
        usual=partial(search, _USUAL_PAGES),
    )
    return Built(size, [way])


_RAISES = (FactmillError, RuntimeError, MemoryError)
OWN_METHODS = (
    Method("factmill_codes", "factmill, codes alone", partial(_own, False), _RAISES),
    Method("factmill", "factmill, default", partial(_own, True), _RAISES),
)
