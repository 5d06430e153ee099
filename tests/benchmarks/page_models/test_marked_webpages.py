from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.benchmarks.page_models.marked_webpages import marked_webpages, mean_scores, word_score


def _write(folder: Path, name: str, url: str, kind: str) -> None:
    for part in ("ground-truth", "html"):
        (folder / part).mkdir(exist_ok=True)
    truth = {
        "url": url,
        "_internal": {"page_type": {"primary": kind}},
        "ground_truth": {"main_content": "Two lamps"},
    }
    (folder / "ground-truth" / f"{name}.json").write_text(json.dumps(truth))
    (folder / "html" / f"{name}.html.gz").write_bytes(gzip.compress(b"<p>Two lamps</p>"))


def test_marked_webpages_of_a_domain_are_in_one_half_and_one_fold(tmp_path: Path) -> None:
    _write(tmp_path, "1", "https://www.lamps.example/a", "category")
    _write(tmp_path, "2", "http://lamps.example/b?c", "forum")
    first, second = marked_webpages(tmp_path)
    assert (first.half, first.fold(4)) == (second.half, second.fold(4))
    assert [first.kind, second.kind] == ["collection", "forum"]
    assert first.html() == b"<p>Two lamps</p>"


def test_word_score_counts_words_whatever_their_case() -> None:
    score = word_score("One lamp, one light", "one LAMP and oil")
    assert (score.precision, score.recall) == (0.5, 0.5)
    assert word_score("", "").f1 == 1.0
    assert word_score("", "oil").f1 == 0.0
    (mean, count) = mean_scores([("a", score), ("b", word_score("x", "x"))])["all"]
    assert mean.f1 == pytest.approx(0.75)
    assert count == 2
