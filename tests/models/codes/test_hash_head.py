"""Hash codes: bit order, the asymmetric score, and files that are read whole or refused."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file

from factmill.models.arrays import Floats
from factmill.models.codes.code_search import search_codes
from factmill.models.codes.code_sweeps import code_errors
from factmill.models.codes.hash_head import Decoder, HashHead, Projection
from factmill.schemas.errors import CorruptStore
from tests.hash_heads import asymmetric_scores, symmetric_head


def random_head(bits: int = 16, dimension: int = 4, seed: int = 0) -> HashHead:
    generator = np.random.default_rng(seed)
    units, queries = (
        Projection(
            generator.standard_normal((bits, dimension)).astype(np.float32),
            generator.standard_normal(bits).astype(np.float32),
        )
        for _ in range(2)
    )
    return HashHead(units, queries, "encoder-of-the-test", 123)


def decoded_head(bits: int = 16, dimension: int = 4, seed: int = 0) -> HashHead:
    """A head with a decoder, around a mean that is not zero."""
    generator = np.random.default_rng(seed + 100)
    weight = generator.standard_normal((bits, dimension)) / np.sqrt(bits)
    mean = generator.standard_normal(dimension)
    decoder = Decoder(weight.astype(np.float32), mean.astype(np.float32))
    return replace(random_head(bits, dimension, seed), decoder=decoder)


def signs_of(code: bytes) -> list[int]:
    """The code's +-1 vector, most significant bit of the first byte first, by arithmetic."""
    return [1 if byte // 2 ** (7 - index) % 2 else -1 for byte in code for index in range(8)]


def test_head_with_bits_times_eight_knows_its_bits() -> None:
    assert random_head(bits=24).bits == 24


@pytest.mark.parametrize(
    ("weight", "bias"),
    [((12, 4), 12), ((0, 4), 0), ((16, 0), 16), ((16, 4), 15), ((16, 4), 8)],
    ids=["no whole bytes", "no bits", "no dimension", "bias too short", "bias half as long"],
)
def test_head_of_impossible_shape_is_refused(weight: tuple[int, int], bias: int) -> None:
    with pytest.raises(ValueError, match="projection of shape"):
        symmetric_head(np.ones(weight, np.float32), np.ones(bias, np.float32), "encoder", 1)


def test_project_vectors_equals_products_by_hand() -> None:
    head = random_head(bits=8, dimension=3)
    vectors = np.random.default_rng(1).standard_normal((5, 3)).astype(np.float32)
    expected = [
        [
            sum(float(w) * float(x) for w, x in zip(row, vector, strict=True)) + float(b)
            for row, b in zip(head.units.weight, head.units.bias, strict=True)
        ]
        for vector in vectors
    ]
    np.testing.assert_allclose(head.units(vectors), expected, rtol=1e-5, atol=1e-6)


def test_head_with_sides_of_two_shapes_is_refused() -> None:
    one = Projection(np.ones((16, 4), np.float32), np.ones(16, np.float32))
    other = Projection(np.ones((8, 4), np.float32), np.ones(8, np.float32))
    with pytest.raises(ValueError, match=r"\(16, 4\), queries \(8, 4\)"):
        HashHead(one, other, "encoder", 1)


@pytest.mark.parametrize(("bit", "code"), [(0, "8000"), (7, "0100"), (8, "0080"), (15, "0001")])
def test_codes_one_positive_bit_is_packed_most_significant_first(bit: int, code: str) -> None:
    head = symmetric_head(np.eye(16, dtype=np.float32), np.zeros(16, np.float32), "encoder", 1)
    vector = -np.ones((1, 16), dtype=np.float32)
    vector[0, bit] = 1.0
    codes = head.codes(vector)
    assert codes.dtype == np.uint8
    assert codes.tobytes().hex() == code


def test_codes_value_of_exactly_zero_is_a_zero_bit() -> None:
    head = symmetric_head(np.eye(8, dtype=np.float32), np.zeros(8, np.float32), "encoder", 1)
    assert head.codes(np.zeros((1, 8), np.float32)).tobytes() == b"\x00"


def test_codes_of_vectors_are_the_signs_of_their_projections() -> None:
    head = random_head(bits=40, dimension=6)
    vectors = np.random.default_rng(2).standard_normal((20, 6)).astype(np.float32)
    codes = head.codes(vectors)
    assert codes.shape == (20, 5)
    for code, values in zip(codes, head.units(vectors), strict=True):
        assert signs_of(code.tobytes()) == [1 if value > 0 else -1 for value in values]


def test_codes_of_no_vectors_are_no_rows() -> None:
    head, none = random_head(bits=16, dimension=4), np.empty((0, 4), np.float32)
    assert head.codes(none).shape == (0, 2)
    assert head.signs(none).shape == (0, 16)


@pytest.mark.parametrize("make", [random_head, decoded_head], ids=["plain", "with a decoder"])
def test_signs_are_those_that_the_packed_codes_stand_for(
    make: Callable[[int, int], HashHead],
) -> None:
    head = make(24, 6)
    vectors = np.random.default_rng(7).standard_normal((40, 6)).astype(np.float32)
    signs = head.signs(vectors)
    assert signs.dtype == np.float32
    expected = [signs_of(code.tobytes()) for code in head.codes(vectors)]
    np.testing.assert_array_equal(signs, expected)


def test_signs_of_fewer_steps_are_rougher_codes() -> None:
    head = decoded_head(bits=24, dimension=6)
    assert head.decoder is not None
    vectors = np.random.default_rng(3).standard_normal((40, 6)).astype(np.float32)
    centred, weight = vectors - head.decoder.mean, head.decoder.weight
    errors = [code_errors(centred, head.signs(vectors, n), weight).sum() for n in (0, 3, 48)]
    assert errors == sorted(errors, reverse=True)
    assert errors[0] > errors[2]
    start = np.where(head.units(vectors) > 0, 1, -1)
    np.testing.assert_array_equal(head.signs(vectors, 0), start)
    np.testing.assert_array_equal(head.signs(vectors, 48), head.signs(vectors))


def test_signs_value_of_exactly_zero_is_minus_one() -> None:
    head = symmetric_head(np.eye(8, dtype=np.float32), np.zeros(8, np.float32), "encoder", 1)
    assert head.signs(np.zeros((1, 8), np.float32)).tolist() == [[-1.0] * 8]


def test_codes_with_a_decoder_are_searched_from_the_signs_of_the_projection() -> None:
    head = decoded_head(bits=24, dimension=6)
    assert head.decoder is not None
    vectors = np.random.default_rng(3).standard_normal((40, 6)).astype(np.float32)
    start = np.where(head.units(vectors) > 0, np.float32(1), np.float32(-1))
    # The search begins at the signs; the code stands for what is added to the mean.
    centred, weight = vectors - head.decoder.mean, head.decoder.weight
    expected = search_codes(centred, start, weight, steps=2 * 24)
    codes = head.codes(vectors)
    assert codes.shape == (40, 3)
    assert codes.dtype == np.uint8
    got = np.array([signs_of(code.tobytes()) for code in codes], dtype=np.float32)
    np.testing.assert_array_equal(got, expected)
    assert not np.array_equal(expected, start)
    assert not np.array_equal(expected, search_codes(centred, start, weight, steps=24))
    before, after = (code_errors(centred, code, weight) for code in (start, got))
    assert (after <= before * (1 + 1e-5)).all()


def test_codes_with_a_decoder_of_zeros_are_the_signs_of_the_projection() -> None:
    plain = random_head()
    nothing = Decoder(np.zeros((16, 4), np.float32), np.zeros(4, np.float32))
    vectors = np.random.default_rng(4).standard_normal((20, 4)).astype(np.float32)
    np.testing.assert_array_equal(
        replace(plain, decoder=nothing).codes(vectors), plain.codes(vectors)
    )


def test_codes_with_a_decoder_do_not_depend_on_what_else_is_encoded() -> None:
    head = decoded_head()
    vectors = np.random.default_rng(5).standard_normal((30, 4)).astype(np.float32)
    before = vectors.copy()
    alone = np.concatenate([head.codes(vectors[row : row + 1]) for row in range(30)])
    np.testing.assert_array_equal(head.codes(vectors), alone)
    np.testing.assert_array_equal(vectors, before)
    assert head.codes(vectors[:0]).shape == (0, 2)


@pytest.mark.parametrize("shape", [(16, 5), (24, 4), (4, 16)])
def test_head_with_a_decoder_of_another_shape_is_refused(shape: tuple[int, int]) -> None:
    decoder = Decoder(np.ones(shape, np.float32), np.ones(shape[1], np.float32))
    with pytest.raises(ValueError, match=rf"decoder \({shape[0]}, {shape[1]}\)"):
        replace(random_head(bits=16, dimension=4), decoder=decoder)


@pytest.mark.parametrize("mean", [(3,), (16,), (1, 4), ()])
def test_decoder_with_a_mean_of_another_shape_is_refused(mean: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="decoder of shape"):
        Decoder(np.ones((16, 4), np.float32), np.ones(mean, np.float32))


@settings(max_examples=100)
@given(st.data())
def test_asymmetric_scores_any_query_and_codes_equal_explicit_dot_products(
    data: st.DataObject,
) -> None:
    size = data.draw(st.integers(1, 6), "bytes of a code")
    values = st.floats(-100, 100, width=32)
    query = data.draw(st.lists(values, min_size=8 * size, max_size=8 * size), "query")
    codes = data.draw(st.lists(st.binary(min_size=size, max_size=size), max_size=5), "codes")
    packed = np.frombuffer(b"".join(codes), dtype=np.uint8).reshape(-1, size)
    scores = asymmetric_scores(np.array(query, dtype=np.float32), packed)
    assert scores.shape == (len(codes),)
    for score, code in zip(scores, codes, strict=True):
        product = math.fsum(v * h for v, h in zip(query, signs_of(code), strict=True))
        assert float(score) == pytest.approx(product, rel=1e-5, abs=2e-2)


@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray])
def test_save_head_loads_back_equal(tmp_path: Path, layout: Callable[[Floats], Floats]) -> None:
    made = random_head()
    units = Projection(layout(made.units.weight), made.units.bias)
    queries = Projection(layout(made.queries.weight), made.queries.bias)
    head = HashHead(units, queries, "encoder-é", 4_000_000_000)
    path = tmp_path / "models" / "head.safetensors"
    head.save(path)
    loaded = HashHead.load(path)
    np.testing.assert_array_equal(loaded.units.weight, made.units.weight)
    np.testing.assert_array_equal(loaded.units.bias, made.units.bias)
    np.testing.assert_array_equal(loaded.queries.weight, made.queries.weight)
    np.testing.assert_array_equal(loaded.queries.bias, made.queries.bias)
    assert (loaded.encoder, loaded.trained_on) == ("encoder-é", 4_000_000_000)
    assert loaded.units.weight.dtype == loaded.units.bias.dtype == np.float32
    assert loaded.decoder is None


@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray])
def test_save_head_with_a_decoder_loads_back_with_it(
    tmp_path: Path, layout: Callable[[Floats], Floats]
) -> None:
    made = decoded_head()
    assert made.decoder is not None
    head = replace(made, decoder=Decoder(layout(made.decoder.weight), made.decoder.mean))
    head.save(tmp_path / "head")
    loaded = HashHead.load(tmp_path / "head")
    assert loaded.decoder is not None
    np.testing.assert_array_equal(loaded.decoder.weight, made.decoder.weight)
    np.testing.assert_array_equal(loaded.decoder.mean, made.decoder.mean)
    np.testing.assert_array_equal(loaded.units.weight, made.units.weight)
    vectors = np.random.default_rng(6).standard_normal((20, 4)).astype(np.float32)
    np.testing.assert_array_equal(loaded.codes(vectors), made.codes(vectors))


def test_save_head_over_another_leaves_only_the_new_file(tmp_path: Path) -> None:
    path = tmp_path / "head.safetensors"
    random_head(seed=1).save(path)
    random_head(seed=2).save(path)
    np.testing.assert_array_equal(
        HashHead.load(path).units.weight, random_head(seed=2).units.weight
    )
    assert [entry.name for entry in tmp_path.iterdir()] == ["head.safetensors"]


def test_save_equal_heads_gives_equal_bytes(tmp_path: Path) -> None:
    random_head().save(tmp_path / "a")
    random_head().save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def _file(
    weight: object, bias: object, about: object, decoder: object = None, mean: object = None
) -> Callable[[Path], None]:
    """Writes a well-formed safetensors file, which is not a hash head."""

    def write(path: Path) -> None:
        tensors = {"weight": weight, "bias": bias, "query_weight": weight, "query_bias": bias}
        tensors |= {"decoder": decoder, "mean": mean}
        metadata = None if about is None else {"factmill": json.dumps(about)}
        save_file({k: v for k, v in tensors.items() if v is not None}, path, metadata=metadata)

    return write


def _damaged(damage: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        random_head().save(path)
        path.write_bytes(damage(path.read_bytes()))

    return write


WEIGHT, BIAS = np.ones((16, 4), np.float32), np.ones(16, np.float32)
MEAN = np.ones(4, np.float32)
ABOUT = {"encoder": "e", "trained_on": 1}


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(lambda path: None, id="missing"),  # noqa: ARG005
        pytest.param(lambda path: path.mkdir(), id="folder"),
        pytest.param(lambda path: path.write_bytes(b""), id="empty"),
        pytest.param(lambda path: path.write_bytes(b"\x80\x04K\x01."), id="pickle"),
        pytest.param(lambda path: path.write_bytes(b"\xff" * 8 + b"{}"), id="endless header"),
        pytest.param(_damaged(lambda raw: raw[:-10]), id="end cut off"),
        pytest.param(_damaged(lambda raw: raw[:20]), id="header cut off"),
        pytest.param(_damaged(lambda raw: raw + b"more"), id="too long"),
        pytest.param(_damaged(lambda raw: raw[:20] + b"\xff" + raw[21:]), id="header damaged"),
        pytest.param(_file(WEIGHT, BIAS, None), id="no metadata"),
        pytest.param(_file(WEIGHT, None, ABOUT), id="no bias"),
        pytest.param(_file(None, BIAS, ABOUT), id="no weight"),
        pytest.param(_file(BIAS, BIAS, ABOUT), id="weight is a vector"),
        pytest.param(_file(WEIGHT, BIAS[:8], ABOUT), id="bias too short"),
        pytest.param(_file(WEIGHT[:12], BIAS[:12], ABOUT), id="no whole bytes"),
        pytest.param(_file(WEIGHT, BIAS, []), id="metadata is a list"),
        pytest.param(_file(WEIGHT, BIAS, {"encoder": "e"}), id="metadata lacks a field"),
        pytest.param(_file(WEIGHT, BIAS, ABOUT | {"trained_on": "x"}), id="count is a word"),
        pytest.param(_file(WEIGHT, BIAS, ABOUT | {"trained_on": math.inf}), id="count is infinite"),
        pytest.param(_file(WEIGHT, BIAS, ABOUT, WEIGHT), id="decoder without mean"),
        pytest.param(_file(WEIGHT, BIAS, ABOUT, WEIGHT[:8], MEAN), id="decoder of fewer bits"),
        pytest.param(_file(WEIGHT, BIAS, ABOUT, WEIGHT[:, :3], MEAN[:3]), id="decoder narrower"),
        pytest.param(_file(WEIGHT, BIAS, ABOUT, BIAS, MEAN), id="decoder is a vector"),
        pytest.param(
            _file(WEIGHT, BIAS, ABOUT, np.array(1.0, np.float32), MEAN), id="decoder is a number"
        ),
        pytest.param(_file(WEIGHT, BIAS, ABOUT, WEIGHT, MEAN[:3]), id="mean too short"),
        pytest.param(_file(WEIGHT, BIAS, ABOUT, WEIGHT, WEIGHT), id="mean is a matrix"),
    ],
)
def test_load_damaged_or_foreign_file_raises_corrupt_store(
    tmp_path: Path, write: Callable[[Path], None]
) -> None:
    path = tmp_path / "head.safetensors"
    write(path)
    with pytest.raises(CorruptStore, match=r"head\.safetensors: not a hash head"):
        HashHead.load(path)


def test_load_file_of_the_right_shape_is_a_head(tmp_path: Path) -> None:
    _file(WEIGHT, BIAS, ABOUT)(tmp_path / "head")
    assert HashHead.load(tmp_path / "head").bits == 16
    _file(WEIGHT, BIAS, ABOUT, WEIGHT, MEAN)(tmp_path / "decoded")
    assert HashHead.load(tmp_path / "decoded").decoder is not None


def test_save_can_be_read_by_other_users(tmp_path: Path) -> None:
    """As any file written with the same umask."""
    other, path = tmp_path / "other", tmp_path / "head.safetensors"
    other.write_bytes(b"")
    weight = np.eye(8, 4, dtype=np.float32)
    symmetric_head(weight, np.zeros(8, np.float32), "encoder", 1).save(path)
    assert path.stat().st_mode == other.stat().st_mode


@pytest.mark.parametrize(
    ("about", "kind"), [("[" * 100_000, "F32"), ('{"encoder": "x", "trained_on": 1}', "F8_E4M3")]
)
def test_head_with_deep_notes_or_numbers_that_numpy_lacks_is_a_corrupt_store(
    tmp_path: Path, about: str, kind: str
) -> None:
    path = tmp_path / "head.safetensors"
    tensor = {"dtype": kind, "shape": [8, 0], "data_offsets": [0, 0]}
    header = json.dumps({"__metadata__": {"factmill": about}, "weight": tensor}).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header)
    with pytest.raises(CorruptStore, match="not a hash head"):
        HashHead.load(path)
