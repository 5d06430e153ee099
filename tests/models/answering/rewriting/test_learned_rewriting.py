"""The rewriter that was trained, and its training data."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.models.answering.rewriting.learned_rewriting import (
    LearnedRewriter,
    likeliest,
    rewriting_input,
)
from factmill.models.answering.rewriting.rewriting_training import (
    REWRITING,
    Rewriting,
    read_rewriting,
    rewriting_examples,
    rewriting_figures,
)
from factmill.models.answering.span_models.span_examples import SpanTraining
from factmill.models.answering.span_models.span_training import tune
from factmill.models.encoding.published_encoder import PublishedEncoder
from tests.models.answering.tiny_span_model import (
    random_weights,
    write_span_model,
)

ASKED = Rewriting("When did it open?", "museum", "When did museum open?")


def test_rewriting_input_has_the_first_token_of_each_word_and_the_one_after(
    encoder: PublishedEncoder,
) -> None:
    read = rewriting_input(encoder.new_tokenizer(), "did  it-open ?", "museum", 16)
    assert read is not None
    # [CLS] did it - open ? [SEP] museum [SEP]; "it-open" is one word
    assert len(read.tokens) == 9
    assert read.boundaries == [1, 2, 5, 6]
    assert rewriting_input(encoder.new_tokenizer(), "did it-open ?", "museum", 8) is None
    assert rewriting_input(encoder.new_tokenizer(), "", "museum", 16) is None


@given(st.integers(1, 6), st.integers(1, 3), st.integers(0, 99))
def test_likeliest_is_the_best_of_all_edits(words: int, labels: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    spans = random.standard_normal((words + 1, words + 1)).astype(np.float32)
    scores = random.standard_normal((words + 1, words + 1, labels)).astype(np.float32)
    shares = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)

    def value(edit: tuple[int, int, int]) -> float:
        first, end, _ = edit
        return float(spans[first, end] + np.log(shares[edit]))

    every = itertools.product(range(words + 1), range(words + 1), range(labels))
    best = max((edit for edit in every if edit[0] <= edit[1]), key=value)
    assert value(likeliest(spans, scores)) == pytest.approx(value(best), abs=1e-4)


def test_rewriter_that_was_trained_puts_the_answer_in(
    encoder: PublishedEncoder, tmp_path: Path
) -> None:
    rows = [
        Rewriting(f"{asks} {verb} {word} {what}?", name, f"{asks} {verb} {made} {what}?")
        for asks in ("when", "where", "who")
        for verb in ("did", "does")
        for what in ("open", "close")
        for name in ("museum", "ferry", "bridge")
        for word, made in (("it", name), ("he", f"the {name}"))
    ]
    fitted = [row for row in rows if row.question != "when did it open?"]
    examples, forms = rewriting_examples(fitted, encoder.new_tokenizer(), 16)
    assert sorted(forms) == ["the {A}", "{A}"]
    assert len(examples) == len(fitted) == 69
    config = SpanTraining(2, 10, batch=8, learning_rate=3e-3, head_rate=3e-2, paired=4)
    weights = tune(encoder.bert, examples, len(forms), config)
    model = write_span_model(tmp_path / "m", encoder, weights, forms, 4)
    rewriter = LearnedRewriter(model)
    assert rewriter("when did it open?", "museum") == "when did museum open?"
    assert rewriter("who does he close?", "ferry") == "who does the ferry close?"
    figures = rewriting_figures(model, [ASKED._replace(question="when did it open?")])
    assert figures == {"examples": 1.0, "identical": 0.0, "exact_match": 1.0}


def test_rewriter_leaves_a_question_that_is_too_long_as_it_is(
    encoder: PublishedEncoder, tmp_path: Path
) -> None:
    weights = random_weights(encoder, 1)
    rewriter = LearnedRewriter(write_span_model(tmp_path / "m", encoder, weights, ["{A}"]))
    assert "museum" in rewriter("when did it open?", "museum")
    long = "when did it open " * 5
    assert rewriter(long, "museum") == long
    longer = "when did it open " * 500
    assert rewriter(longer, "museum") == longer
    assert rewriter("when did it open?", "museum " * 500) == "when did it open?"


def test_rewriting_examples_leave_out_rare_forms_and_what_no_edit_explains(
    encoder: PublishedEncoder,
) -> None:
    rare = ASKED._replace(rewritten="When did old museum open?")
    elsewhere = ASKED._replace(rewritten="When did the ferry open?")
    rows = [*[ASKED] * 4, *[rare] * 3, elsewhere]
    examples, forms = rewriting_examples(rows, encoder.new_tokenizer(), 16)
    assert (len(examples), forms) == (4, ["{A}"])
    [example] = {(one.start, one.end, one.label) for one in examples}
    assert example == (3, 4, 0)
    assert list(examples[0].allowed) == [False, *[True] * 6, False, False]


@pytest.mark.parametrize(
    "row",
    [
        {"question": " When did it open?", "answer": "museum", "rewritten": ASKED.rewritten},
        {"input": "Q: When did it open? | prev_answer: museum", "output": ASKED.rewritten},
    ],
)
def test_read_rewriting_knows_both_formats(row: dict[str, str]) -> None:
    assert read_rewriting(row) == ASKED
    assert REWRITING.read(row) == ASKED


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"question": "When did it open?", "answer": "", "rewritten": "When?"},
        {"question": "When did it open?", "answer": 3, "rewritten": "When?"},
        {"input": "When did it open?", "output": "When?"},
        {"input": "Q: When? | prev_answer: museum", "output": None},
    ],
)
def test_read_rewriting_of_an_invalid_row_is_none(row: dict[str, object]) -> None:
    assert read_rewriting(row) is None
