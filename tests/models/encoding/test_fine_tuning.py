"""Training for real, on the CPU, of a tiny BERT on made-up pairs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from factmill.models.encoding.encoder import Encoder
from factmill.models.encoding.fine_tuning import (
    EncoderReport,
    EncoderTraining,
    Example,
    batch_loss,
    rate_factor,
    split_examples,
    train_encoder,
)
from factmill.schemas.errors import OptionError
from tests.models.encoding.tiny_encoder import HIDDEN, tiny_encoder

SIZE = 8
WORDS = [f"{letter}{n}" for letter in "abxy" for n in range(SIZE)]
# "a3 b5" is answered by "x3 y5": the words of a question tell those of its unit.
EXAMPLES = [
    Example(f"a{i} b{j}", f"x{i} y{j}", (f"x{i} y{(j + 1) % SIZE}", f"x{(i + 1) % SIZE} y{j}"))
    for i in range(SIZE)
    for j in range(SIZE)
]
TRAINING = EncoderTraining(epochs=30, batch=16, learning_rate=3e-3)


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    """For so small a model threads cost more than they give."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Encoder:
    return Encoder(tiny_encoder(tmp_path_factory.mktemp("model"), WORDS))


@pytest.fixture(scope="module")
def trained(
    original: Encoder, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, EncoderReport]:
    """The tuned encoder's folder and its report."""
    folder = tmp_path_factory.mktemp("build") / "30_models" / "encoder"
    return folder, train_encoder(EXAMPLES, original, folder, TRAINING)


def test_train_encoder_loss_falls_and_held_out_units_rank_better(
    trained: tuple[Path, EncoderReport],
) -> None:
    _, report = trained
    assert np.mean(report.losses[-10:]) < np.mean(report.losses[:10]) / 2
    assert report.kept
    assert report.before < 0.5
    assert report.after > 0.7


def test_train_encoder_folder_is_an_encoder_of_its_own(
    original: Encoder, trained: tuple[Path, EncoderReport]
) -> None:
    folder, _ = trained
    tuned = Encoder(str(folder))
    tuned.check()
    vectors = tuned.encode(["a1 b2", "x1 y2", "x2 y1"])
    assert vectors.shape == (3, HIDDEN)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]
    assert tuned.fingerprint != original.fingerprint
    assert (folder / "model.safetensors").is_file()
    assert not [path for path in folder.rglob("*") if path.suffix in {".bin", ".pt", ".pkl"}]
    assert [path.name for path in folder.parent.iterdir()] == ["encoder"]


def test_train_encoder_weights_can_be_read_by_other_users(
    trained: tuple[Path, EncoderReport],
) -> None:
    folder, _ = trained
    modes = {path.stat().st_mode for path in folder.rglob("*") if path.is_file()}
    assert len(modes) == 1


def test_train_encoder_leaves_the_original_and_the_generator_as_they_were(
    original: Encoder, tmp_path: Path
) -> None:
    vectors, state = original.encode(["a1 b2"]), torch.random.get_rng_state()
    train_encoder(EXAMPLES, original, tmp_path / "encoder", replace(TRAINING, max_steps=3))
    assert (original.encode(["a1 b2"]) == vectors).all()
    assert torch.equal(torch.random.get_rng_state(), state)


def test_train_encoder_equal_seeds_give_equal_weights_and_others_do_not(
    original: Encoder, trained: tuple[Path, EncoderReport], tmp_path: Path
) -> None:
    folder, report = trained
    again = train_encoder(EXAMPLES, original, tmp_path / "again", TRAINING)
    assert again == report
    assert Encoder(str(tmp_path / "again")).fingerprint == Encoder(str(folder)).fingerprint
    other = replace(TRAINING, seed=18, max_steps=5)
    losses = train_encoder(EXAMPLES, original, tmp_path / "other", other).losses
    assert losses != report.losses[:5]


def test_train_encoder_steps_are_bounded(original: Encoder, tmp_path: Path) -> None:
    few = replace(TRAINING, max_steps=4)
    assert len(train_encoder(EXAMPLES, original, tmp_path / "e", few).losses) == 4


def test_train_encoder_that_ranks_no_better_is_not_kept(original: Encoder, tmp_path: Path) -> None:
    report = train_encoder(
        EXAMPLES, original, tmp_path / "e", replace(TRAINING, epochs=1, learning_rate=0.0)
    )
    assert (report.kept, report.after) == (False, report.before)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("count", [0, 1, 2])
def test_train_encoder_of_next_to_no_examples_keeps_the_original(
    original: Encoder, tmp_path: Path, count: int
) -> None:
    report = train_encoder(EXAMPLES[:count], original, tmp_path / "e", TRAINING)
    assert not report.kept
    assert not (tmp_path / "e").exists()


def test_train_encoder_replaces_what_an_earlier_run_left(original: Encoder, tmp_path: Path) -> None:
    folder = tmp_path / "encoder"
    folder.mkdir()
    (folder / "left.txt").write_text("x")
    assert train_encoder(EXAMPLES, original, folder, replace(TRAINING, epochs=8)).kept
    assert not (folder / "left.txt").exists()


def test_train_encoder_of_a_missing_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError):
        train_encoder(EXAMPLES, Encoder(str(tmp_path / "none")), tmp_path / "e", TRAINING)


def test_train_encoder_code_of_a_hostile_folder_never_runs(
    original: Encoder, tmp_path: Path
) -> None:
    hostile, trace = tmp_path / "hostile", tmp_path / "trace"
    hostile.mkdir()
    for file in Path(original.path).iterdir():
        if file.is_file():
            (hostile / file.name).write_bytes(file.read_bytes())
    (hostile / "evil.py").write_text(f"open({str(trace)!r}, 'w')\nclass Evil: pass\n")
    modules = [{"idx": 0, "name": "0", "path": "", "type": "evil.Evil"}]
    (hostile / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(OptionError):
        train_encoder(EXAMPLES, Encoder(str(hostile)), tmp_path / "e", TRAINING)
    assert not trace.exists()


def test_split_examples_holds_out_an_eighth_of_the_questions_with_all_their_examples() -> None:
    examples = [Example(f"q{n % 40}", f"u{n}") for n in range(120)]
    fitted, held_out = split_examples(examples, seed=1)
    assert len({example.query for example in held_out}) == 5
    assert not {example.query for example in held_out} & {example.query for example in fitted}
    assert sorted([*fitted, *held_out], key=str) == sorted(examples, key=str)
    assert split_examples(examples[::-1], seed=1)[1] == held_out[::-1]


def test_batch_loss_is_the_cross_entropy_of_what_is_not_excluded() -> None:
    queries = torch.nn.functional.normalize(torch.tensor([[1.0, 0.2], [0.1, 1.0]]), dim=1)
    units = torch.nn.functional.normalize(torch.tensor([[1.0, 0], [0, 1.0], [1.0, 1.0]]), dim=1)
    excluded = torch.tensor([[False, False, True], [False, False, False]])
    scores = (queries @ units.T).double().numpy() / 0.5
    expected = [
        -scores[0, 0] + np.log(np.exp(scores[0, :2]).sum()),
        -scores[1, 1] + np.log(np.exp(scores[1]).sum()),
    ]
    loss = batch_loss(queries, units, torch.tensor([0, 1]), excluded, 0.5)
    assert float(loss) == pytest.approx(np.mean(expected), rel=1e-5)


@given(st.integers(1, 500), st.floats(0, 1))
def test_rate_factor_rises_then_falls_and_is_never_nothing(steps: int, warm_up: float) -> None:
    factors = [rate_factor(step, steps, warm_up) for step in range(steps)]
    top = factors.index(max(factors))
    assert factors[:top] == sorted(factors[:top])
    assert factors[top:] == sorted(factors[top:], reverse=True)
    assert min(factors) > 0
    assert max(factors) <= 1
