"""The lexical tables of a few texts, as of a shard with these segments."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from factmill.transforms.index.lexical_shard import segment_words, tables_of


def lexical_tables(
    texts: Iterable[str], pages: Iterable[tuple[str, int]] = ()
) -> dict[str, pa.Table]:
    """By file name; `pages` has the title and the number of segments of each page."""
    return tables_of(segment_words(texts), pages)
