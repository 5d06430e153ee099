"""What was read becomes units: ids, ordinals, links and repeats."""

from factmill.models.readers.reading import (
    AtomicQuestion,
    PageContext,
    Reading,
    SegmentUnits,
    Statement,
    to_units,
)
from factmill.schemas.ids import proposition_id, qa_pair_id
from factmill.schemas.records import Proposition, QAPair, Segment

TEXT = "Oslo was founded in 1048. Oslo is big."
SEGMENT = Segment("segment-1", "page-1", 0, "text", TEXT, "", 0, len(TEXT))
FOUNDED = Statement("Oslo was founded in 1048.", 0, 25)
BIG = Statement("Oslo is big.", 26, 38)
WHEN = AtomicQuestion("When was Oslo founded?", 20, 24, 0)


def test_to_units_reading_gives_each_unit_its_id_ordinal_and_texts() -> None:
    units = to_units(SEGMENT, Reading((FOUNDED, BIG), (WHEN,)), "reader-1")
    ids = [
        proposition_id("segment-1", "Oslo was founded in 1048.", 0, 25),
        proposition_id("segment-1", "Oslo is big.", 26, 38),
    ]
    assert units.propositions == [
        Proposition(
            ids[0], "segment-1", "page-1", 0, "Oslo was founded in 1048.", 0, 25, "reader-1"
        ),
        Proposition(ids[1], "segment-1", "page-1", 1, "Oslo is big.", 26, 38, "reader-1"),
    ]
    assert units.pairs == [
        QAPair(
            qa_pair_id("segment-1", "When was Oslo founded?", 20, 24),
            "segment-1",
            "page-1",
            0,
            "When was Oslo founded?",
            "1048",
            20,
            24,
            (ids[0],),
            "reader-1",
        )
    ]


def test_to_units_empty_reading_gives_no_units() -> None:
    assert to_units(SEGMENT, Reading(), "reader-1") == SegmentUnits([], [], [])


def test_to_units_question_without_statement_has_no_propositions() -> None:
    reading = Reading((), (AtomicQuestion("Is Oslo big?", 26, 38),))
    (pair,) = to_units(SEGMENT, reading, "reader-1").pairs
    assert (pair.answer, pair.proposition_ids) == ("Oslo is big.", ())


def test_to_units_repeats_are_kept_once_and_later_questions_find_their_statement() -> None:
    size = AtomicQuestion("What is Oslo?", 34, 37, 2)
    reading = Reading((FOUNDED, FOUNDED, BIG), (WHEN, WHEN, size))
    units = to_units(SEGMENT, reading, "reader-1")
    propositions, pairs = units.propositions, units.pairs
    assert [(unit.text, unit.ordinal) for unit in propositions] == [
        ("Oslo was founded in 1048.", 0),
        ("Oslo is big.", 1),
    ]
    assert [(unit.question, unit.answer, unit.ordinal) for unit in pairs] == [
        ("When was Oslo founded?", "1048", 0),
        ("What is Oslo?", "big", 1),
    ]
    assert pairs[1].proposition_ids == (propositions[1].unit_id,)
    assert [(fault.reason, fault.text) for fault in units.repeats] == [
        ("repeat", "Oslo was founded in 1048."),
        ("repeat", "When was Oslo founded?"),
    ]


def test_to_units_question_about_a_repeated_statement_leads_to_the_kept_one() -> None:
    again = AtomicQuestion("When was Oslo founded?", 20, 24, 1)
    units = to_units(SEGMENT, Reading((FOUNDED, FOUNDED), (again,)), "reader-1")
    (kept,), (pair,) = units.propositions, units.pairs
    assert pair.proposition_ids == (kept.unit_id,)


def test_to_units_equal_texts_from_different_places_are_different_units() -> None:
    first, second = Statement("Oslo.", 0, 4), Statement("Oslo.", 26, 30)
    questions = AtomicQuestion("What is Oslo?", 0, 4), AtomicQuestion("What is Oslo?", 26, 30)
    units = to_units(SEGMENT, Reading((first, second), questions), "reader-1")
    assert len({unit.unit_id for unit in units.propositions}) == 2
    assert len({unit.unit_id for unit in units.pairs}) == 2


def test_to_units_ids_do_not_depend_on_what_else_was_read_or_by_whom() -> None:
    (alone,) = to_units(SEGMENT, Reading((BIG,)), "reader-1").propositions
    _, among = to_units(SEGMENT, Reading((FOUNDED, BIG)), "reader-2").propositions
    assert alone.unit_id == among.unit_id
    assert (among.ordinal, among.reader) == (1, "reader-2")


def test_page_context_has_the_kind_that_is_likelier_than_all_others() -> None:
    contexts = [PageContext.of("Oil", "forum", sure) for sure in (None, 0.49, 0.5, 1.0)]
    assert [context.kind for context in contexts] == ["", "", "forum", "forum"]


def test_page_whose_kind_was_guessed_is_judged_also_if_the_guess_is_uncertain() -> None:
    contexts = [PageContext.of("Oil", "forum", sure) for sure in (None, 0.0, 0.4, 0.5)]
    assert [context.judged for context in contexts] == [False, True, True, True]
    assert contexts[2].kind == ""
