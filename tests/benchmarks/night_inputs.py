"""The inputs of two nights: passages, and the same with some edited, deleted and added."""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

EDIT = "It was looked over again this year."


def write_passages(options: argparse.Namespace, inputs: Path, change: bool) -> int:
    """Write the input of a night; returns how many passages were edited or added."""
    passages, spare = read_passages(options)
    schema = pq.read_schema(options.passages_file)
    different = changed(passages, spare, options.changed) if change else 0
    pq.write_table(pa.Table.from_pylist(passages, schema=schema), inputs)
    return different


def read_passages(options: argparse.Namespace) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The passages of the first night, and some that may be added."""
    table = pq.read_table(options.passages_file)
    first = table.slice(0, options.passages)
    spare = pq.read_table(options.more) if options.more else table.slice(options.passages)
    return first.to_pylist(), spare.slice(0, first.num_rows).to_pylist()


def changed(passages: list[dict[str, Any]], spare: list[dict[str, Any]], share: float) -> int:
    """Edit, delete and add items of `passages`; returns how many were edited or added."""
    chosen = random.Random(6)
    edited = max(1, round(0.6 * share * len(passages)))
    others = max(1, round(0.2 * share * len(passages)))
    for passage in chosen.sample(passages, edited):
        passage["text"] += f" {EDIT}"
    for passage in chosen.sample(passages, others):
        passages.remove(passage)
    ids = {passage["id"] for passage in passages}
    new = [passage for passage in spare if passage["id"] not in ids][:others]
    assert len(new) == others, "too few passages to add: name --more"
    passages += new
    return edited + others
