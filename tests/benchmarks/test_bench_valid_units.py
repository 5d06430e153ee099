"""What is stored passes the validation, and what does not is found."""

from pathlib import Path

from factmill.schemas.layout import Store
from factmill.schemas.records import QAPair
from tests.benchmarks.bench_valid_units import faulty_pairs, faulty_units


def pair(unit: str, question: str, answer: str) -> QAPair:
    return QAPair(unit, "s", "p", 0, question, answer, 0, len(answer), (), "r")


def test_every_unit_of_the_sample_crawl_is_valid(sample_store: Path) -> None:
    assert list(faulty_units(Store(sample_store).published())) == []


def test_faulty_pairs_finds_a_pronoun_and_two_answers() -> None:
    pairs = [
        pair("1", "When was Oslo founded?", "1048"),
        pair("2", "When was Oslo founded?", "1050"),
        pair("3", "When was it founded?", "1048"),
        pair("4", "Where is Oslo?", "in Norway"),
    ]
    assert [fault for fault, _ in faulty_pairs(pairs)] == [
        "several_answers",
        "several_answers",
        "pronoun",
        "no_entity",
    ]
