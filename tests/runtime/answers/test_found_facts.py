from __future__ import annotations

from factmill.runtime.answers.found_facts import best_facts, source_of
from factmill.runtime.index import Hit, UnitHit


def hit(name: str, text: str, score: float, *units: UnitHit) -> Hit:
    url = f"https://{name}.example/"
    return Hit(1, score, name, name, url, name, text, name, 0, len(text), units)


def unit(text: str, score: float, kind: str = "proposition", start: int = 0) -> UnitHit:
    return UnitHit(text, kind, text, score, "segment", start, start + len(text))


def test_short_segment_is_a_fact_with_its_best_unit() -> None:
    found = hit("tarn", "Tarn is old. It is deep.", 0.5, unit("a", 0.2), unit("b", 0.4))

    (fact,) = best_facts([found], 3)

    assert (fact.text, fact.unit) == (found.text, found.units[1])


def test_short_segment_without_units_is_a_fact() -> None:
    found = [hit("bare", "Stairs: 214.", 0.9), hit("tarn", "Tarn is old.", 0.5, unit("a", 0.2))]

    assert [fact.hit.title for fact in best_facts(found, 3)] == ["bare", "tarn"]


def test_long_segment_gives_its_units_and_no_pair_of_what_a_proposition_says() -> None:
    said, pair = unit("Tarn is old.", 0.6), unit("Is Tarn old?", 0.5, "qa_pair", 3)
    other = unit("Tarn is deep.", 0.4, start=300)

    facts = best_facts([hit("tarn", "x" * 501, 0.5, said, pair, other)], 3)

    assert [fact.text for fact in facts] == ["Tarn is old.", "Tarn is deep."]


def test_two_propositions_of_the_same_words_of_a_page_are_two_facts() -> None:
    both = [unit("Tarn is old and deep.", 0.6), unit("Tarn is deep.", 0.5, start=8)]

    facts = best_facts([hit("tarn", "x" * 501, 0.5, *both)], 3)

    assert [fact.text for fact in facts] == ["Tarn is old and deep.", "Tarn is deep."]


def test_texts_come_once_and_no_more_than_are_asked_for() -> None:
    twins = [hit(f"twin{n}", "Tarn is old.", 0.5) for n in range(3)]
    others = [hit(f"other{n}", f"Tarn {n} is deep.", 0.4) for n in range(3)]

    facts = best_facts([*twins, *others], 3)

    assert [fact.text for fact in facts] == ["Tarn is old.", "Tarn 0 is deep.", "Tarn 1 is deep."]


def test_facts_that_state_the_same_after_another_question_come_once() -> None:
    found = [
        hit("one", "Who was Ann Lee? Ann Lee was a poet.", 0.9),
        hit("two", "What was Ann Lee's work? Ann Lee was a poet.", 0.8),
        hit("three", "When was Ann Lee born? Ann Lee was born in 1921.", 0.7),
    ]

    assert [fact.hit.title for fact in best_facts(found, 3)] == ["one", "three"]


def test_the_answering_hits_come_first_and_what_was_shown_does_not_come_again() -> None:
    found = [hit(name, f"It is {name}.", score) for name, score in (("a", 3), ("b", 2), ("c", 1))]
    shown = best_facts(found[:2], 2)

    assert [fact.hit.title for fact in best_facts(found, 2, [found[2]])] == ["c", "a"]
    assert [fact.hit.title for fact in best_facts(found, 2, [found[1]], shown)] == ["b", "c"]
    both = best_facts(found, 3, [found[2], found[1]])
    assert [fact.hit.title for fact in both] == ["c", "b", "a"]


def test_a_pair_is_a_source_without_its_answer() -> None:
    text = "Tarn was built in 1901."
    pair = UnitHit("u", "qa_pair", "When was Tarn built? 1901", 0.5, "segment", 18, 22)
    said = UnitHit("v", "proposition", "Tarn was built in 1901", 0.4, "segment", 18, 22)

    question, statement = source_of(hit("tarn", text, 0.5, pair, said)).units

    assert (question.text, question.is_pair) == ("When was Tarn built?", True)
    assert (statement.text, statement.is_pair) == ("Tarn was built in 1901", False)
