"""Options of learning, from the command line, on a few pages of the sample crawl."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds
import pytest

from factmill.models.codes.hash_head import HashHead
from factmill.models.links.build_scorer import link_scorer_card
from factmill.pipelines.cli.main import main
from factmill.pipelines.learn import has_many_examples
from factmill.pipelines.settings import BuildOptions, settings_for
from factmill.runtime import open_index
from factmill.runtime.verify.verify_build import verify_build
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.manifest import read_manifest
from factmill.transforms.inputs.discovery import InputFile
from tests.conftest import SAMPLES

SHARDS = 2
QUESTION = {"id": "1", "question": "Where is my suitcase kept?", "gold_ids": ["visitor-faq.html"]}
NAMES = ["the bridge", "the museum", "Saltmere", "the ferry", "the crane"]
ELSEWHERE = {"id": "2", "question": "What is nowhere?", "gold_ids": ["nowhere.html"]}


def _build(store: Store, encoder: str, *options: str) -> BuildDir:
    folder = store.root.parent
    code = main(
        [
            "build", str(store.root), "--input", str(folder / "pages"), "--code-bits", "64",
            "--shards", str(SHARDS), "--store-embeddings", "--encoder", encoder,
            "--train-questions", str(folder / "questions.jsonl"),
            "--train-rewriter", str(folder / "rewrites.jsonl"),
            "--train-links", str(folder / "questions.jsonl"), *options,
        ]
    )  # fmt: skip
    assert code == 0
    return store.published()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, small_encoder: str) -> Store:
    """Built with labelled questions and stored embeddings."""
    folder = tmp_path_factory.mktemp("learn")
    (folder / "pages").mkdir()
    for name in ("index.html", "visitor-faq.html"):
        shutil.copy(SAMPLES / "html" / "museum" / name, folder / "pages")
    lines = [json.dumps(question) + "\n" for question in (QUESTION, ELSEWHERE)]
    (folder / "questions.jsonl").write_text("".join(lines))
    rewrites = [
        json.dumps({"question": "Where is it?", "answer": name, "rewritten": f"Where is {name}?"})
        for name in NAMES
    ]
    (folder / "rewrites.jsonl").write_text("\n".join(rewrites))
    store = Store(folder / "store")
    _build(store, small_encoder)
    return store


def _report(build: BuildDir) -> dict[str, Any]:
    report: dict[str, Any] = json.loads((build.models / "hash_head.json").read_text())
    return report


def _units(build: BuildDir) -> list[str]:
    dataset = ds.dataset(build.root / "40_vectors", format="parquet", partitioning="hive")
    return sorted(dataset.to_table(columns=["unit_id"])["unit_id"].to_pylist())


def test_search_rerank_scores_by_the_stored_embeddings(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    query = "Where can visitors leave their luggage?"
    scores = []
    for options in (["--rerank"], ["--rerank", "--no-lexical"], ["--no-lexical"], []):
        assert main(["search", str(store.root), query, *options, "--json"]) == 0
        hits = json.loads(capsys.readouterr().out)["hits"]
        assert hits[0]["page_id"] == open_index(store.root).search(query, 1)[0].page_id
        scores.append(hits[0]["score"])
    assert len(set(scores)) == 4
    # A shared word adds to the score, whatever the rest is made of.
    assert scores[0] > scores[1]
    assert scores[3] > scores[2]


def test_build_trains_a_model_of_answers_that_queries_use(store: Store) -> None:
    build = store.published()
    about = _report(build)["answer_models"]["rewriter"]
    assert about["training"]["rows"] == len(NAMES)
    configuration = read_manifest(build).configuration
    assert configuration["train_rewriter"].endswith("rewrites.jsonl")
    assert configuration["train_links"].endswith("questions.jsonl")
    put_in = open_index(store.root).answer_models.put_in
    assert "Saltmere" in put_in("When was it built?", "Saltmere")
    assert verify_build(build, read_manifest(build)) == []


def test_build_refuses_a_scorer_of_links_of_too_few_questions_and_its_report_says_so(
    store: Store,
) -> None:
    build = store.published()
    card = link_scorer_card(build)
    assert card is not None
    assert (card.better, card.training["asked"]) == (False, 1)
    manifest = read_manifest(build)
    listed = {file.path for file in manifest.tables["30_models"].files}
    assert "30_models/link_scorer/card.json" in listed
    assert "learn_links" in manifest.timings
    report = (build.root / "70_report" / "report.html").read_text(encoding="utf-8")
    assert "the package&#39;s; no better learned" in report


def test_build_retrain_of_unchanged_input_learns_again_and_keeps_the_units(
    store: Store, small_encoder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = store.published()
    assert _report(before)["labelled_questions"] == 1
    assert "inherited_from" not in _report(before)
    assert read_manifest(before).configuration["store_embeddings"] is True

    assert _build(store, small_encoder) == before
    assert "nothing new" in capsys.readouterr().out
    # As if another corpus had taught it.
    learned = HashHead.load(before.hash_head)
    HashHead(learned.queries, learned.queries, learned.encoder, 1).save(before.hash_head)
    after = _build(store, small_encoder, "--retrain")

    assert after != before
    assert "inherited_from" not in _report(after)
    assert _report(after)["answer_models"]["rewriter"]["inherited_from"] == before.build_id
    assert "losses" in _report(after)
    assert HashHead.load(after.hash_head).trained_on != 1
    assert _units(after) == _units(before)
    manifest = read_manifest(after)
    assert manifest.parent == before.build_id
    # Vectors do not depend on the head.
    assert manifest.counts["encode"].produced["reused"] == len(_units(after))
    assert verify_build(after, manifest) == []
    assert not after.work.exists()


def test_examples_of_more_than_a_megabyte_are_worth_a_process_of_their_own(tmp_path: Path) -> None:
    options = BuildOptions(inputs=[str(SAMPLES / "pages.jsonl")])
    settings = settings_for(Store(tmp_path), options)
    assert not has_many_examples(settings)
    small, rest = (InputFile("r.jsonl", "", size, 0) for size in (600_000, 400_001))
    assert not has_many_examples(replace(settings, train_rewriter=small))
    assert has_many_examples(replace(settings, train_rewriter=small, train_extractor=rest))
