from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from factmill.models.links.build_scorer import LinkScorerCard, write_scorer
from factmill.models.links.link_scorer import FEATURES, LinkScorer
from factmill.runtime.index import Index
from factmill.runtime.search import candidates
from factmill.runtime.search.scoring import Scoring
from factmill.runtime.search.search_filter import SearchFilter
from factmill.schemas.errors import OptionError
from factmill.schemas.layout import BuildDir
from tests.runtime.search.brute_force import brute_force, scores_of_words, table_rows
from tests.runtime.search.references import most
from tests.runtime.tiny_build import (
    SITES,
    Fact,
    FakeEncoder,
    Site,
    tiny_build,
    tiny_index,
    write_manifest,
)

QUERIES = ["When was the bridge built?", "Who leads the museum", "cheese", "40 minutes ferry", "?"]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> BuildDir:
    return tiny_build(tmp_path_factory.mktemp("index") / "store", embeddings=True)


@pytest.fixture(scope="module")
def index(build: BuildDir) -> Index:
    return tiny_index(build)


@pytest.fixture(scope="module")
def index_without_lifts(build: BuildDir) -> Index:
    """The index, where names bring pages and lift none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("factmill.runtime.index.build_scorer", lambda *_: _only_linked(0))
        index = tiny_index(build)
        index.search("bridge")
    return index


@pytest.mark.parametrize("query", [*QUERIES, "Zanzibar?", "bridge " * 3 + "cheese " * 40])
@pytest.mark.parametrize("k", [1, 3, 20])
@pytest.mark.parametrize("rerank", [False, True])
@pytest.mark.parametrize("lexical", [False, True])
def test_search_over_two_shards_agrees_with_brute_force(
    build: BuildDir, index_without_lifts: Index, query: str, k: int, rerank: bool, lexical: bool
) -> None:
    expected = brute_force(build, query, rerank, lexical)[:k]
    hits = index_without_lifts.search(query, k, rerank, lexical)
    assert [(hit.page_id, hit.segment_id) for hit in hits] == [(p, s) for p, s, _ in expected]
    assert [hit.score for hit in hits] == pytest.approx([x for _, _, x in expected], abs=1e-4)
    assert [hit.rank for hit in hits] == list(range(1, len(expected) + 1))


def test_search_long_query_weighs_words_less(
    build: BuildDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No query of the tiny corpus has so many words that they outweigh codes: the bound moves."""
    monkeypatch.setattr("factmill.runtime.search.fusion.LONG", 2.0)
    monkeypatch.setattr("tests.runtime.search.brute_force.LONG", 2.0)
    query = "the bridge was lit in 1742 by Helena Voss"
    assert most([fact.text for site in SITES for fact in site.facts], query) > 2.0
    expected = brute_force(build, query, lexical=True)
    hits = tiny_index(build).search(query)
    assert [hit.page_id for hit in hits] == [page for page, _, _ in expected]
    assert [hit.score for hit in hits] == pytest.approx([x for _, _, x in expected], abs=1e-4)


@pytest.mark.parametrize("query", ["Zanzibar?", "?!"])
def test_search_query_without_a_known_word_is_ranked_by_codes_alone(
    index: Index, query: str
) -> None:
    assert index.search(query) == index.search(query, lexical=False)


def _look_at_few(monkeypatch: pytest.MonkeyPatch, least: int, per_page: int) -> None:
    monkeypatch.setattr(candidates, "MIN_ROWS", least)
    monkeypatch.setattr(candidates, "ROWS_PER_PAGE", per_page)


def test_search_finds_pages_by_their_words_that_codes_did_not_bring(
    build: BuildDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    _look_at_few(monkeypatch, least=1, per_page=0)
    index = tiny_index(build)
    query = "Ferry. The ferry takes 40 minutes. Gannet"
    by_codes = index.search(query, lexical=False)
    hits = index.search(query)
    assert [hit.source_id for hit in by_codes] == ["ferry"]
    of_words = scores_of_words(build, query)
    assert {hit.page_id for hit in hits} == {page for page, score in of_words.items() if score}
    assert {site.name for site in SITES} - {hit.source_id for hit in hits} == {"museum"}
    expected = {page: score for page, _, score in brute_force(build, query, lexical=True)}
    # Pages of one segment: all that equation 10 counts is there.
    for hit in hits:
        if hit.source_id in ("ferry", "lights", "cheese"):
            assert hit.score == pytest.approx(expected[hit.page_id], abs=1e-4)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


_VOSS = Site(
    "voss", "Helena Voss (sailor)",
    (
        Fact("Otter is where she was born.", "Where?", "Otter"),
        Fact("A boat of hers sank.", "What sank?", "A boat"),
    ),
)  # fmt: skip


def _only_linked(lift: float) -> LinkScorer:
    """A scorer that lifts every page that another one names so far, and others not."""
    hidden = np.zeros((len(FEATURES), 1), np.float32)
    hidden[FEATURES.index("linked")] = 100
    ones = np.ones(1, np.float32)
    return LinkScorer(hidden, 0 * ones, ones * lift, 0 * ones)


@pytest.mark.parametrize("few", [False, True])
def test_search_finds_pages_that_the_text_of_the_best_page_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few: bool
) -> None:
    if few:  # neither codes nor words bring the page
        _look_at_few(monkeypatch, least=1, per_page=0)
    build = tiny_build(tmp_path / "store", sites=(*SITES, _VOSS))
    card = LinkScorerCard(list(FEATURES), FakeEncoder.fingerprint, "tiny", True, {}, {}, [])
    write_scorer(build, card, _only_linked(math.log(4)))
    write_manifest(build)
    query = "Museum. Its director is"
    expected = brute_force(build, query, lexical=True)
    pages = {row["page_id"]: row["source_id"] for row in table_rows(build, "10_pages")}
    assert pages[expected[0][0]] == "museum"
    scores = {pages[page]: score for page, _, score in expected}
    scores["voss"] += 0.75 * (scores["museum"] - scores["voss"])
    hits = {hit.source_id: hit for hit in tiny_index(build).search(query)}
    found = {name: hit.score for name, hit in hits.items()}
    assert found["voss"] == pytest.approx(scores["voss"], abs=1e-4)
    if not few:
        assert found == pytest.approx(scores, abs=1e-4)
    by_codes = {hit.source_id for hit in tiny_index(build).search(query, lexical=False)}
    assert ("voss" in by_codes) != few
    (step,) = hits["voss"].path
    assert (step.title, step.page_id) == ("Museum", hits["museum"].page_id)
    assert step.unit
    assert step.unit.text in ("Its director is Helena Voss.", "Who leads? Helena Voss")
    assert step.segment_id == step.unit.segment_id == hits["museum"].segment_id
    assert all(not hit.path for name, hit in hits.items() if name != "voss")


def test_a_page_that_its_link_lowers_was_not_found_through_it(tmp_path: Path) -> None:
    build = tiny_build(tmp_path / "store", sites=(*SITES, _VOSS))
    card = LinkScorerCard(list(FEATURES), FakeEncoder.fingerprint, "tiny", True, {}, {}, [])
    write_scorer(build, card, _only_linked(-math.log(4)))
    write_manifest(build)

    hits = {hit.source_id: hit for hit in tiny_index(build).search("Museum. Its director is")}

    assert hits["voss"].path == ()


def test_search_finds_pages_that_the_query_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _look_at_few(monkeypatch, least=1, per_page=0)
    monkeypatch.setattr("factmill.runtime.search.page_ranking._LEXICAL_SEGMENTS", 1)
    index = tiny_index(tiny_build(tmp_path / "store", sites=(*SITES, _VOSS)))
    query = "The ferry takes 40 minutes. Was Helena Voss there?"
    assert {hit.source_id for hit in index.search(query, k=5)} >= {"ferry", "voss"}
    assert "voss" not in {hit.source_id for hit in index.search(query, k=5, lexical=False)}


def test_search_follows_no_name_to_a_page_that_a_filter_leaves_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("factmill.runtime.index.build_scorer", lambda *_: _only_linked(9.0))
    index = tiny_index(tiny_build(tmp_path / "store", sites=(*SITES, _VOSS)))
    query = "Museum. Its director is Helena Voss"
    assert "voss" in {hit.source_id for hit in index.search(query)}
    only = SearchFilter(sites=("museum.example", "ferry.example"))
    assert [hit.source_id for hit in index.search(query, only=only)] == ["museum", "ferry"]


def test_search_query_and_corpus_without_names_are_ranked_as_without_a_scorer(
    build: BuildDir, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("factmill.runtime.index.build_scorer", lambda *_: _only_linked(9.0))
    assert tiny_index(build).search("Who was it lit by?") == index.search("Who was it lit by?")


def test_search_few_candidates_still_finds_the_nearest_page_of_all_shards(
    build: BuildDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    _look_at_few(monkeypatch, least=4, per_page=4)
    index = tiny_index(build)
    for site in SITES:
        for fact in site.facts:
            text = f"{site.title}. {fact.text}" if site.title not in fact.text else fact.text
            assert index.search(text, k=1)[0].source_id == site.name


def test_search_hit_leads_back_to_segment_page_and_units(build: BuildDir, index: Index) -> None:
    pages = {row["page_id"]: row for row in table_rows(build, "10_pages")}
    segments = {row["segment_id"]: row for row in table_rows(build, "11_segments")}
    pairs = {row["unit_id"]: row for row in table_rows(build, "21_qa_pairs")}
    propositions = {row["unit_id"]: row for row in table_rows(build, "20_propositions")}
    hits = index.search("bridge", k=20)
    assert {hit.page_id for hit in hits} == set(pages)
    for hit in hits:
        page, segment = pages[hit.page_id], segments[hit.segment_id]
        assert (hit.url, hit.title, hit.source_id) == (
            page["url"],
            page["title"],
            page["source_id"],
        )
        assert (hit.text, hit.start, hit.end) == (segment["text"], segment["start"], segment["end"])
        assert segment["page_id"] == hit.page_id
        assert [unit.score for unit in hit.units] == sorted(
            (unit.score for unit in hit.units), reverse=True
        )
        for unit in hit.units:
            assert unit.segment_id == hit.segment_id
            if unit.kind == "qa_pair":
                pair = pairs[unit.unit_id]
                assert unit.text == f"{pair['question']} {pair['answer']}"
                assert hit.text[unit.start : unit.end] == pair["answer"]
            else:
                assert unit.text == propositions[unit.unit_id]["text"]


def test_search_table_segment_has_no_offsets(index: Index) -> None:
    table = SITES[0].table
    (hit,) = index.search(f"Bridges. {table}", k=1)
    assert (hit.text, hit.start, hit.end, hit.units) == (table, None, None, ())


def test_search_hit_as_json_has_the_documented_keys(index: Index) -> None:
    hit = index.search("Helena Voss", k=1)[0].as_json()
    assert list(hit) == [
        "rank", "score", "page_id", "source_id", "url", "title", "text", "segment_id", "start",
        "end", "units", "path",
    ]  # fmt: skip
    assert set(hit["units"][0]) == {"unit_id", "kind", "text", "score", "start", "end"}


def test_search_k_larger_than_the_corpus_gives_every_page_once(index: Index) -> None:
    hits = index.search("anything", k=5000)
    assert len(hits) == len({hit.page_id for hit in hits}) == len(SITES)


@pytest.mark.parametrize("rerank", [False, True])
@pytest.mark.parametrize("lexical", [False, True])
def test_search_many_equals_searching_one_by_one(index: Index, rerank: bool, lexical: bool) -> None:
    many = index.search_many(QUERIES, 4, Scoring(rerank, lexical))
    column = np.array(QUERIES)  # as of a table
    assert index.search_many(column, 4, Scoring(rerank, lexical)) == many  # type: ignore[arg-type]
    alone = [index.search(query, 4, rerank, lexical) for query in QUERIES]
    for hits, expected in zip(many, alone, strict=True):
        assert [(hit.page_id, hit.segment_id) for hit in hits] == [
            (hit.page_id, hit.segment_id) for hit in expected
        ]
        assert [hit.score for hit in hits] == pytest.approx(
            [hit.score for hit in expected], abs=1e-5
        )
        assert [[unit.unit_id for unit in hit.units] for hit in hits] == [
            [unit.unit_id for unit in hit.units] for hit in expected
        ]


def test_search_rerank_without_stored_embeddings_is_an_option_error(tmp_path: Path) -> None:
    index = tiny_index(tiny_build(tmp_path / "store"))
    with pytest.raises(OptionError, match="embeddings"):
        index.search("bridge", rerank=True)


def test_search_many_without_queries_gives_nothing(index: Index) -> None:
    assert index.search_many([]) == []


@pytest.mark.parametrize("k", [0, -1])
def test_search_k_below_one_is_an_error(index: Index, k: int) -> None:
    with pytest.raises(OptionError, match="k must be from 1"):
        index.search("x", k=k)


def test_search_one_shard_empty_finds_the_pages_of_the_other(tmp_path: Path) -> None:
    index = tiny_index(tiny_build(tmp_path / "store", sites=SITES[:1]))
    assert [hit.source_id for hit in index.search("bridge")] == [SITES[0].name]


def test_search_empty_index_finds_nothing(tmp_path: Path) -> None:
    index = tiny_index(tiny_build(tmp_path / "store", sites=()))
    assert index.search("bridge") == []


def test_search_equal_pages_come_in_the_same_order_every_time(tmp_path: Path) -> None:
    twins = tuple(Site(f"twin{n}", "Twin", SITES[1].facts) for n in range(6))
    index = tiny_index(tiny_build(tmp_path / "store", sites=twins))
    hits = index.search("lit", k=6)
    assert len({hit.score for hit in hits}) == 1
    assert [hit.page_id for hit in index.search("lit", k=6)] == [hit.page_id for hit in hits]
    assert [hit.page_id for hit in index.search("lit", k=3)] == [hit.page_id for hit in hits[:3]]


def test_search_pages_gives_the_best_segment_of_each_page_and_then_its_first_ones(
    index: Index,
) -> None:
    hits = index.search("bridge", k=3)

    pages = index.search_pages("bridge", 3, most=2)

    assert [of_page[0]._replace(similarity=0.0) for of_page in pages] == hits
    for of_page in pages:
        assert of_page[0].similarity == max(hit.similarity for hit in of_page) > 0
        assert len({hit.segment_id for hit in of_page}) == len(of_page) <= 2
        assert {(hit.page_id, hit.rank) for hit in of_page} == {
            (of_page[0].page_id, of_page[0].rank)
        }
    assert max(map(len, pages)) == 2


def test_search_pages_gives_more_tables_of_the_best_page(index: Index) -> None:
    alone, more = (index.search_pages("bridge", 3, most=2, tables=count) for count in (0, 5))

    assert more[0][:2] == alone[0]
    assert [hit.start for hit in more[0][2:]] == [None]
    assert more[1:] == alone[1:]
