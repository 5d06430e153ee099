"""What sentences state: the first answer of each relation. The sentences are invented."""

from __future__ import annotations

import pytest

from factmill.models.answering.relations.relation_extractor import relation_of
from factmill.models.answering.relations.relation_table import BY_NAME, RELATIONS

LIFE = "Ann Lee (3 May 1900 – 4 June 1980) was a Danish poet."


@pytest.mark.parametrize(
    ("relation", "sentence", "answer"),
    [
        ("born on", LIFE, "3 May 1900"),
        ("died on", LIFE, "4 June 1980"),
        ("born on", "Ann Lee (born March 3, 1963) is a poet.", "March 3, 1963"),
        ("died on", "Ann Lee (d. 20 March 851) was a queen.", "20 March 851"),
        ("born in", "She was born on 3 May 1900 in Port Elland, Wales.", "Port Elland, Wales"),
        ("born in", "Ann Lee (3 May 1900 in Port Elland – 1980) was a poet.", "Port Elland"),
        ("died in", "He died on 4 June 1980 in Saltmere.", "Saltmere"),
        ("director", "It was written and directed by Ann Lee in 1961.", "Ann Lee"),
        ("director", "Tarn is a film by Danish director Ann Lee.", "Ann Lee"),
        ("performer", "Tarn is a song by American rapper Ann Lee and others.", "Ann Lee"),
        ("composer", "The music was composed by Bob Fry.", "Bob Fry"),
        ("author", "Tarn is a novel by Bob Fry.", "Bob Fry"),
        ("founder", "The club was founded in 1901 by Bob Fry.", "Bob Fry"),
        ("father", "He was the second son of Otto II and Ann of Tarn.", "Otto II"),
        ("mother", "He was the second son of Otto II and Ann of Tarn.", "Ann of Tarn"),
        ("spouse", "In 1930 she married the painter Bob Fry.", "Bob Fry"),
        ("spouse", "He married Puerto Rican actress Ann Lee.", "Ann Lee"),
        ("spouse", "He married Hale Lamp winner, Ann Lee.", "Ann Lee"),
        ("spouse", "He married Jeanne d'Arcy in Oss.", "Jeanne d'Arcy"),
        (
            "mother",
            "She was a daughter of Otto II of Tarn, the last Duke of Lower Oss and Lord of the"
            " Twelve Lakes, and his wife, Ann Fry.",
            "Ann Fry",
        ),
        ("performer", "It is a song by Welsh hip hop recording artist Ann Lee.", "Ann Lee"),
        ("child", "She was the mother of Bob Fry.", "Bob Fry"),
        ("sibling", "He was the brother of Bob Fry.", "Bob Fry"),
        ("released", "Tarn is a 1961 comedy film.", "1961"),
        ("founded on", "The bridge was built in 1742.", "1742"),
        ("studied at", "She studied history at Elland College.", "Elland College"),
        ("buried at", "He is buried in Saltmere.", "Saltmere"),
    ],
)
def test_a_sentence_states_a_relation(relation: str, sentence: str, answer: str) -> None:
    found = [sentence[start:end] for (start, end), *_ in BY_NAME[relation].stated(sentence)]

    assert found[:1] == [answer]


@pytest.mark.parametrize(
    ("relation", "sentence"),
    [
        ("born in", "She was born in May 1900."),
        ("died in", "He died on 4 June 1980."),
        ("director", "It was directed with care."),
        ("spouse", "She married young."),
    ],
)
def test_a_sentence_that_does_not_say_it_states_nothing(relation: str, sentence: str) -> None:
    assert list(BY_NAME[relation].stated(sentence)) == []


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: relation.name)
def test_the_question_of_a_relation_asks_for_it(relation: object) -> None:
    name = relation.name  # type: ignore[attr-defined]
    asked = relation_of(BY_NAME[name].question.format("Ann Lee"))

    assert asked is not None
    assert asked.kind is BY_NAME[name].kind
    assert name in {asked.name, "country", "producer", "founded on"}


def test_names_in_a_question_ask_for_nothing() -> None:
    assert relation_of("How many pages has The Director of Mothers?") is None


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Who designed the first toy released by the firm?", None),
        ("Where was the novel published?", None),
        ("When and where was Ann Lee born?", "born on"),
        ("When was the song written?", None),
        ("Where did Ann Lee's father study?", "studied at"),
    ],
)
def test_a_relation_answers_the_kind_of_thing_that_is_asked_for(
    question: str, name: str | None
) -> None:
    asked = relation_of(question)

    assert (asked.name if asked else None) == name
