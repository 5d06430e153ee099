"""Trains the span scorer (`models/answering/span_scoring/`) and writes it into the package.

    python -m tests.benchmarks.train_span_scorer DATA [--written FILE.jsonl] [--pairs 3500]
        [--others 0.5] [--layers 6] [--epochs 2] [--start FOLDER [--average]] [--rate 1.8e-4]
        [--into FOLDER]

DATA is the folder of the evaluation data: QA pairs of `compactrag/`, without passages that
`multihop/` has, too, its annotated training questions (few of which name what `multihop/` asks
about), and training questions of `retrieval/`. `--start` continues from the scorer in a folder;
`--average` keeps the mean of its weights and the new ones.
`--written` names questions that were written for segments, by default those of
`written_questions.jsonl`; those for yes or no, with the words that settle them, are in
`written_closed_questions.jsonl`, those for tables in `written_table_questions.jsonl`. Segments are
of WCXB's pages (CC BY 4.0), of article-extraction-benchmark (MIT), invented, or passages of
`retrieval/`; the questions are the project's own. Upper layers of the packaged encoder are tuned;
every sixteenth passage is held out, and figures of it are printed and stand in the card.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

import numpy as np
from tokenizers import Tokenizer

from factmill.models.answering.span_models.extraction_training import answer_example
from factmill.models.answering.span_models.span_examples import SpanExample, SpanTraining
from factmill.models.answering.span_models.span_model import SpanCard, SpanModel
from factmill.models.answering.span_models.span_training import tune
from factmill.models.answering.span_scoring.segment_input import MAX_INPUT_TOKENS, segment_input
from factmill.models.answering.span_scoring.span_scorer import FOLDER, SpanScorer, write_scorer
from factmill.models.answering.words.answer_words import answer_f1, same_answer
from factmill.models.encoding.packaged_encoder import packaged_encoder
from factmill.schemas.libraries import installed
from factmill.schemas.storage.paths import parse_storage_path
from tests.benchmarks.scorer_examples import (
    ScorerExample,
    annotated_examples,
    pairs_asked,
    questions_asked,
    readings_of,
    table_examples,
    written_examples,
)

WRITTEN = Path(__file__).with_name("written_questions.jsonl")
CLOSED = Path(__file__).with_name("written_closed_questions.jsonl")
TABLES = Path(__file__).with_name("written_table_questions.jsonl")
_SEED = 23
_HELD_OUT_ONE_IN, _MAX_HELD_OUT = 16, 150


def examples_of(examples: Sequence[ScorerExample], tokenizer: Tokenizer) -> list[SpanExample]:
    """Examples of those whose answer is not cut off. No answer is the first token."""
    found = (
        answer_example(
            segment_input(tokenizer, one.question, one.title, one.segment), one.answer, one.start
        )
        for one in examples
    )
    return [example for example in found if example is not None]


def figures(model: SpanModel, examples: Sequence[ScorerExample]) -> dict[str, float]:
    """F1 and exact match of the likeliest span where the segment answers; the shares of segments
    that are rightly said to answer, or not to."""
    scorer = SpanScorer(model)
    f1 = exact = said = answered = silent = 0.0
    for one in examples:
        found = scorer.score(one.question, one.title, one.segment)
        best = found.best(1)
        text = one.segment[best[0].start : best[0].end] if best else ""
        answers = bool(best) and best[0].odds > 0
        if one.answer:
            answered += 1
            said += answers
            f1 += answer_f1(text, one.answer)
            exact += same_answer(text, one.answer)
        else:
            silent += not answers
    without = len(examples) - answered
    return {
        "answered": answered,
        "without": float(without),
        "f1": round(f1 / max(1.0, answered), 4),
        "exact_match": round(exact / max(1.0, answered), 4),
        "said_where_answered": round(said / max(1.0, answered), 4),
        "silent_where_not": round(silent / max(1, without), 4),
    }


def is_held_out(example: ScorerExample) -> bool:
    """By the title, so that no passage is in both; annotated questions, which have none, by the
    question: some of their QA pairs are in both."""
    return crc32((example.title or example.question).encode()) % _HELD_OUT_ONE_IN == 0


def all_examples(options: argparse.Namespace) -> dict[str, list[ScorerExample]]:
    """The examples by the kind of file they are from."""
    data: Path = options.data
    shuffle = random.Random(_SEED)
    with (data / "multihop" / "corpus.jsonl").open(encoding="utf-8") as lines:
        shared = {json.loads(line)["title"] for line in lines}
    files = [
        data / "compactrag" / name for name in ("gpt-4-2wiki-qa.jsonl", "llama8b-2wiki-qa.jsonl")
    ]
    pairs = list(pairs_asked(files, shared))
    pairs = shuffle.sample(pairs, min(len(pairs), options.pairs))
    passages = data / "retrieval" / "passages.parquet"
    questions = list(questions_asked(data / "retrieval" / "questions.train.jsonl", passages))
    written = list(written_examples(options.written, passages))
    return {
        "pairs": readings_of(pairs, [], options.others, shuffle),
        "annotated": list(
            annotated_examples(data / "compactrag" / "qa" / "train.json", options.others, shuffle)
        ),
        "questions": readings_of(questions, [], min(1.0, 1.4 * options.others), shuffle),
        "written": readings_of([], written, options.others, shuffle),
        "closed": list(written_examples(CLOSED, passages)),
        "tables": list(table_examples(TABLES, options.others, shuffle)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--written", type=Path, default=WRITTEN)
    parser.add_argument("--pairs", type=int, default=3500)
    parser.add_argument("--others", type=float, default=0.5)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--start", type=Path)
    parser.add_argument("--average", action="store_true")
    parser.add_argument("--rate", type=float, default=1.8e-4)
    parser.add_argument("--most", type=int, default=0, help="examples; 0 stands for all")
    parser.add_argument("--into", type=Path, default=FOLDER)
    options = parser.parse_args()
    if options.average and not options.start:
        parser.error("--average needs --start")
    encoder = packaged_encoder()
    assert encoder is not None, "the packaged encoder is not installed"
    by_kind = all_examples(options)
    fitted: list[ScorerExample] = []
    held_out: dict[str, list[ScorerExample]] = {}
    for name, rows in by_kind.items():
        held_out[name] = [one for one in rows if is_held_out(one)][:_MAX_HELD_OUT]
        kept = [one for one in rows if not is_held_out(one)]
        fitted += kept
        print(f"{name}: {len(kept)} fitted, {len(held_out[name])} held out", flush=True)
    random.Random(_SEED).shuffle(fitted)
    fitted = fitted[: options.most or None]
    examples = examples_of(fitted, encoder.new_tokenizer())
    tokens = sum(len(one.tokens) for one in examples) / len(examples)
    print(f"{len(examples)} examples of {tokens:.0f} tokens", flush=True)
    config = SpanTraining(
        tuned_layers=options.layers, epochs=options.epochs, batch=12,
        learning_rate=options.rate, seed=_SEED,
    )  # fmt: skip
    before = SpanModel(parse_storage_path(str(options.start)), encoder) if options.start else None
    began = time.process_time()
    start = before.tuned_weights if before else None
    weights = tune(encoder.bert, examples, 0, config, start)
    if start and options.average:
        half = np.float32(0.5)
        weights = {name: half * (start.get(name, one) + one) for name, one in weights.items()}
    print(f"{time.process_time() - began:.0f} s of processor time", flush=True)
    card = SpanCard(
        encoder=encoder.fingerprint,
        tuned_layers=options.layers,
        labels=[],
        training={
            "data": {name: len(rows) for name, rows in by_kind.items()},
            "fitted": len(examples), "longest": MAX_INPUT_TOKENS, "epochs": options.epochs,
            "before": before.card.training if before else {},
            "licence": "QA pairs of CompactRAG: MIT; training questions: MIT, Apache-2.0, "
            "CC BY-SA; segments of written questions: CC BY 4.0, MIT, CC BY-SA, or invented",
        },
        held_out={},
        made_with=[installed("tokenizers", 2), installed("torch", 2)],
    )  # fmt: skip
    options.into.mkdir(parents=True, exist_ok=True)
    model = write_scorer(options.into, card, weights, encoder)
    found = {}
    for name, rows in held_out.items():
        if rows:
            found[name] = figures(model, rows)
            print(name, found[name], flush=True)
    flat = {f"{name}_{what}": value for name, of in found.items() for what, value in of.items()}
    write_scorer(options.into, card, weights, encoder, flat)


if __name__ == "__main__":
    main()
