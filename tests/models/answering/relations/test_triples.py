"""Sentences cut into subject, relation and object."""

from __future__ import annotations

import pytest

from factmill.models.answering.relations.triples import is_of, triple_of


@pytest.mark.parametrize(
    ("sentence", "subject", "relation", "object_"),
    [
        ("The Weaver's Bridge was built in 1742 by Josiah Crane.", "Weaver's Bridge",
         "was built in", "1742 by Josiah Crane"),
        ("Saltmere has 11,305 inhabitants.", "Saltmere", "has", "11,305 inhabitants"),
        ("Quenby Lock raised 214 boats in 1902.", "Quenby Lock", "raised", "214 boats in 1902"),
        ("Ann Lee is the director of Tarn Song.", "Ann Lee", "is", "the director of Tarn Song"),
        ("Bob Fry died in Elland.", "Bob Fry", "died in", "Elland"),
    ],
)  # fmt: skip
def test_a_sentence_is_cut_at_its_verb(
    sentence: str, subject: str, relation: str, object_: str
) -> None:
    assert triple_of(sentence) == (subject, relation, object_)


@pytest.mark.parametrize(
    "sentence",
    [
        "Saltmere has no harbour.",
        "It was never finished.",
        "In 1902, Quenby Lock raised boats.",
        "Boats of all kinds.",
        "Saltmere is.",
        "",
    ],
)
def test_what_states_no_fact_of_a_name_is_no_triple(sentence: str) -> None:
    assert triple_of(sentence) is None


def test_a_triple_is_of_its_subject_and_of_a_relation_in_other_forms() -> None:
    triple = triple_of("The Weaver's Bridge was built in 1742 by Josiah Crane.")

    assert triple is not None
    assert is_of(triple, "Weaver's Bridge", "builder")
    assert is_of(triple, "the bridge")
    assert not is_of(triple, "Weaver's Bridge", "length")
    assert not is_of(triple, "Otter Footbridge")
