"""What a search finds, computed from the tables alone: every page is scored."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from factmill.runtime.search.fusion import LONG, WEIGHT
from factmill.schemas.layout import BuildDir
from factmill.schemas.tables import VECTORS
from factmill.transforms.encode.unit_texts import unit_texts
from tests.runtime.search.references import bm25, most
from tests.runtime.tiny_build import FakeEncoder, random_head


def table_rows(build: BuildDir, table: str) -> list[dict[str, Any]]:
    return [
        row for shard in range(2) for row in pq.read_table(build.part(table, shard)).to_pylist()
    ]


def _scores_of_codes(build: BuildDir, query: str) -> dict[str, float]:
    head = random_head()
    vector = FakeEncoder().encode([query])[0].astype(np.float64)
    vector = head.queries.weight.astype(np.float64) @ vector + head.queries.bias
    scores = {}
    for row in table_rows(build, VECTORS):
        bits = "".join(f"{byte:08b}" for byte in row["code"])
        signs = np.array([1 if bit == "1" else -1 for bit in bits])
        scores[row["unit_id"]] = float(vector @ signs)
    return scores


def _scores_of_floats(build: BuildDir, query: str) -> dict[str, float]:
    vector = FakeEncoder().encode([query])[0].astype(np.float64)
    return {
        row["unit_id"]: float(vector @ np.array(row["embedding"], np.float64))
        for row in table_rows(build, VECTORS)
    }


def scores_of_words(build: BuildDir, query: str) -> dict[str, float]:
    """What the words of each page's best segment add to its score, by page id."""
    units = [unit for shard in range(2) for unit in unit_texts(build, shard)]
    segments = [unit for unit in units if unit.kind == "segment"]
    texts = [unit.text for unit in segments]
    best: dict[str, float] = {}
    for unit, score in zip(segments, bm25(texts, query), strict=True):
        best[unit.page_id] = max(score, best.get(unit.page_id, 0.0))
    weight = WEIGHT * min(1.0, LONG / max(most(texts, query), 1e-9))
    return {page: weight * score for page, score in best.items()}


def brute_force(
    build: BuildDir, query: str, rerank: bool = False, lexical: bool = False
) -> list[tuple[str, str, float]]:
    """Every page with the segment to show and its score, best first, from the tables alone."""
    scores = (_scores_of_floats if rerank else _scores_of_codes)(build, query)
    of_words = scores_of_words(build, query) if lexical else {}
    rows: dict[str, list[float]] = {}
    for row in table_rows(build, "20_propositions") + table_rows(build, "21_qa_pairs"):
        rows.setdefault(row["segment_id"], []).append(scores[row["unit_id"]])
    texts: dict[str, list[str]] = {}
    tables: dict[str, list[str]] = {}
    for row in sorted(table_rows(build, "11_segments"), key=lambda row: row["ordinal"]):
        kind = texts if row["kind"] == "text" else tables
        kind.setdefault(row["page_id"], []).append(row["segment_id"])
        rows.setdefault(row["segment_id"], []).append(scores[row["segment_id"]])
    found = []
    for page in texts.keys() | tables.keys():
        documents = [[table] for table in tables.get(page, [])]
        text = texts.get(page, [])
        documents += [text[max(0, i - 1) : i + 2] for i in range(len(text))]
        values = []
        for document in documents:
            own = [scores[segment] for segment in document]
            members = [row for segment in document for row in rows[segment]]
            weights = [math.exp(member / 0.08) for member in members]
            total = sum(w * m for w, m in zip(weights, members, strict=True))
            values.append(0.3 * sum(own) / len(own) + 0.7 * total / sum(weights))
        shown = max(texts.get(page, []) + tables.get(page, []), key=lambda s: max(rows[s]))
        found.append((page, shown, max(values) + of_words.get(page, 0.0)))
    return sorted(found, key=lambda found: -found[2])
