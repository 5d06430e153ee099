from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from factmill.models.arrays import Floats
from factmill.schemas.layout import BuildDir
from factmill.schemas.tables import VECTORS
from factmill.transforms.encode.encode_units import EncodeShard
from factmill.transforms.encode.unit_texts import UnitText, unit_texts
from factmill.transforms.learn.sample_sizes import SampleSizes
from factmill.transforms.learn.training_examples import (
    BuildExamples,
    LabelledQuestion,
    build_examples,
    gather_examples,
)
from tests.runtime.tiny_build import (
    DIMENSION,
    SITES,
    Fact,
    FakeEncoder,
    Site,
    random_head,
    records_of,
    write_manifest,
    write_tables,
    write_vectors,
)

FACTS = sum(len(site.facts) for site in SITES)
ALL = SampleSizes(1000, 1000, 1000)


def _build(root: Path, sites: tuple[Site, ...] = SITES) -> BuildDir:
    build = BuildDir(root)
    write_tables(build, sites)
    random_head().save(build.hash_head)
    return build


def _examples(build: BuildDir, *labelled: LabelledQuestion) -> BuildExamples:
    return _encoded(build, FakeEncoder(), *labelled)


def _encoded(
    build: BuildDir,
    encoder: FakeEncoder,
    *labelled: LabelledQuestion,
    parent: BuildDir | None = None,
    sizes: SampleSizes = ALL,
) -> BuildExamples:
    gathered = gather_examples(build, 2, sizes, labelled)
    return build_examples(build, encoder, gathered, parent)  # type: ignore[arg-type]


class _CountingEncoder(FakeEncoder):
    """Knows how many texts it got at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[int] = []

    def encode(self, texts: Sequence[str]) -> Floats:
        self.calls.append(len(texts))
        return super().encode(texts)


def _units(build: BuildDir) -> list[UnitText]:
    return [unit for shard in range(2) for unit in unit_texts(build, shard)]


def _asked(name: str, text: str = "Whatever is asked") -> LabelledQuestion:
    return LabelledQuestion(text, frozenset({name}))


def _rounded(texts: list[str]) -> np.ndarray:
    return FakeEncoder().encode(texts).astype(np.float16).astype(np.float32)


def test_build_examples_units_and_questions_are_encoded_and_belong_together(tmp_path: Path) -> None:
    build = _build(tmp_path)
    found = _examples(build)
    units = _units(build)
    assert sorted(found.unit_texts) == sorted(unit.text for unit in units)
    np.testing.assert_array_equal(found.vectors.units, _rounded(found.unit_texts))
    np.testing.assert_array_equal(found.vectors.queries, FakeEncoder().encode(found.query_texts))
    asked = list(dict.fromkeys(found.query_texts))
    np.testing.assert_array_equal(found.questions, FakeEncoder().encode(asked))
    # A pair has its proposition and its segment as sources, a proposition its segment.
    assert len(found.vectors) == 3 * FACTS
    facts = {fact.question: fact.text for site in SITES for fact in site.facts}
    for text, source in zip(found.query_texts, found.vectors.source, strict=True):
        assert facts.get(text, text) in found.unit_texts[source]


def test_build_examples_groups_are_pages(tmp_path: Path) -> None:
    build = _build(tmp_path)
    found = _examples(build)
    pages: dict[str, set[str]] = {}
    for unit in _units(build):
        pages.setdefault(unit.text, set()).add(unit.page_id)
    of_group: dict[int, set[str]] = {}
    for text, group in zip(found.unit_texts, found.vectors.groups.tolist(), strict=True):
        of_group.setdefault(group, set()).update(pages[text])
    assert len(of_group) == len(SITES)
    assert all(len(names) == 1 for names in of_group.values())


def test_build_examples_negatives_are_the_nearest_units_of_other_pages(tmp_path: Path) -> None:
    found = _examples(_build(tmp_path), _asked("bridges"))
    vectors = found.vectors
    assert vectors.negatives.shape[0] == len(vectors.queries)
    for query, source, negatives in zip(
        vectors.queries, vectors.source, vectors.negatives, strict=True
    ):
        scores = vectors.units @ query
        others = np.flatnonzero(vectors.groups != vectors.groups[source])
        assert set(negatives.tolist()) <= set(others.tolist())
        expected = np.sort(scores[others])[::-1][: len(negatives)]
        np.testing.assert_allclose(scores[negatives[: len(expected)]], expected, atol=1e-5)


@pytest.mark.parametrize("by", ["source id", "page id"])
def test_build_examples_labelled_question_has_the_nearest_rows_of_its_page(
    tmp_path: Path, by: str
) -> None:
    site = SITES[0]
    page = records_of(site).page
    name = page.source_id if by == "source id" else page.page_id
    build = _build(tmp_path)
    text = "What did the Centenary Bridge cost?"
    found = _examples(build, _asked(name, text), _asked("unknown"))
    assert "Whatever is asked" not in found.query_texts
    asked = [n for n, query in enumerate(found.query_texts) if query == text]
    vector = FakeEncoder().encode([text])[0]
    units = [unit.text for unit in _units(build) if unit.page_id == page.page_id]
    nearest = sorted((_rounded(units) @ vector).tolist(), reverse=True)[:2]
    scores = found.vectors.units[found.vectors.source[asked]] @ vector
    values, counts = np.unique(found.vectors.source[asked], return_counts=True)
    assert len(values) == 2
    assert counts[0] == counts[1] > 1
    np.testing.assert_allclose(np.unique(scores.round(5)), np.unique(np.round(nearest, 5)))


def test_build_examples_labelled_question_with_two_gold_pages_has_rows_of_both(
    tmp_path: Path,
) -> None:
    question = LabelledQuestion("Both?", frozenset({"ferry", "cheese", "unknown"}))
    build = _build(tmp_path)
    found = _examples(build, question)
    pages = {unit.text: unit.page_id for unit in _units(build)}
    assert {
        pages[found.unit_texts[source]]
        for text, source in zip(found.query_texts, found.vectors.source, strict=True)
        if text == "Both?"
    } == {records_of(site).page.page_id for site in SITES if site.name in ("ferry", "cheese")}


def test_gather_keeps_labelled_questions_with_a_page_of_the_build(tmp_path: Path) -> None:
    both = LabelledQuestion("Both?", frozenset({"ferry", "cheese", "unknown"}))
    gathered = gather_examples(_build(tmp_path), 2, ALL, [_asked("unknown"), both])
    pages = {records_of(site).page.page_id for site in SITES if site.name in ("ferry", "cheese")}
    assert gathered.labelled == [("Both?", sorted(pages))]
    assert gathered.questions == [*(question.text for question in gathered.own), "Both?"]


@pytest.mark.parametrize(("limit", "kept"), [(100, 3), (3, 3), (2, 2), (1, 1), (0, 1)])
def test_gather_keeps_labelled_questions_about_the_given_number_of_pages(
    tmp_path: Path, limit: int, kept: int
) -> None:
    asked = [_asked("ferry", "One?"), _asked("cheese", "Two?"), _asked("lights", "Three?")]
    build = _build(tmp_path)
    gathered = gather_examples(build, 2, SampleSizes(0, 0, limit), asked)
    every = gather_examples(build, 2, ALL, asked).labelled
    assert len(gathered.labelled) == kept
    assert gathered.labelled == [one for one in every if one in gathered.labelled]
    # Which ones does not depend on their order.
    turned = gather_examples(build, 2, SampleSizes(0, 0, limit), asked[::-1])
    assert turned.labelled == gathered.labelled[::-1]
    pages = {page for _, found in gathered.labelled for page in found}
    assert {sampled.unit.page_id for sampled in gathered.units} == pages


def test_build_examples_sample_has_all_units_of_labelled_pages(tmp_path: Path) -> None:
    build = _build(tmp_path)
    few = SampleSizes(0, 0, 1)
    found = _encoded(build, FakeEncoder(), _asked("regatta"), sizes=few)
    page = records_of(SITES[4]).page.page_id
    assert sorted(found.unit_texts) == sorted(
        unit.text for unit in _units(build) if unit.page_id == page
    )
    assert (found.vectors.negatives == -1).all()


def test_build_examples_leave_vectors_that_encode_takes_over(tmp_path: Path) -> None:
    build, plain = _build(tmp_path / "b"), _build(tmp_path / "plain")
    found = _encoded(build, FakeEncoder(), sizes=SampleSizes(2, 5, 1))
    encoder = FakeEncoder()
    for shard in range(2):
        EncodeShard(build, encoder, None, 1)(shard)  # type: ignore[arg-type]
        EncodeShard(plain, FakeEncoder(), None, 1)(shard)  # type: ignore[arg-type]
        taken, encoded = (b.part(VECTORS, shard).read_bytes() for b in (build, plain))
        assert taken == encoded
    assert 5 <= len(found.unit_texts) < len(_units(build))
    # Ids are compared, not texts: a unit of the same text as one of the sample is encoded.
    new = [unit.text for unit in _units(build)]
    for text in found.unit_texts:
        new.remove(text)
    assert sorted(encoder.encoded) == sorted(set(new))


def test_build_examples_of_a_killed_run_are_not_encoded_again(tmp_path: Path) -> None:
    build = _build(tmp_path)
    few = SampleSizes(2, 5, 1)
    before = _encoded(build, FakeEncoder(), sizes=few)
    encoder = FakeEncoder()
    after = _encoded(build, encoder, sizes=few)
    assert sorted(encoder.encoded) == sorted(set(before.query_texts))
    np.testing.assert_array_equal(after.vectors.units, before.vectors.units)
    np.testing.assert_array_equal(after.vectors.queries, before.vectors.queries)


def test_build_examples_are_encoded_in_one_go_so_progress_counts_once(tmp_path: Path) -> None:
    encoder = _CountingEncoder()
    found = _encoded(_build(tmp_path), encoder)
    assert encoder.calls == [len(set(found.unit_texts) | set(found.query_texts))]


def test_build_examples_do_not_encode_what_the_parent_has(tmp_path: Path) -> None:
    parent = _build(tmp_path / "parent")
    write_vectors(parent, random_head())
    write_manifest(parent)
    news = Site("news", "News", (Fact("The fair is in May.", "When is it?", "May"),))
    build = _build(tmp_path / "b", (*SITES, news))
    encoder = FakeEncoder()
    found = _encoded(build, encoder, parent=parent)
    new = {text for text in found.unit_texts if text.startswith("News.")}
    assert set(encoder.encoded) == new | set(found.query_texts)
    np.testing.assert_array_equal(found.vectors.units, _rounded(found.unit_texts))


def test_build_examples_parent_with_another_encoder_does_not_help(tmp_path: Path) -> None:
    parent = _build(tmp_path / "parent")
    write_vectors(parent, random_head())
    write_manifest(parent)
    encoder = FakeEncoder()
    encoder.fingerprint = "encoder-of-tomorrow"
    found = _encoded(_build(tmp_path / "b"), encoder, parent=parent)
    assert set(encoder.encoded) == set(found.unit_texts) | set(found.query_texts)


def test_build_examples_of_nothing_are_empty(tmp_path: Path) -> None:
    found = _examples(_build(tmp_path, ()), _asked("bridges"))
    assert found.vectors.units.shape == found.vectors.queries.shape == (0, DIMENSION)
    assert len(found.vectors) == len(found.questions) == 0
