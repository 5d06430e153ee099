"""What may be stored of what an LLM said, and why the rest may not."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.models.readers.llm.extracted_items import ExtractedItems, ExtractedPair
from factmill.models.readers.llm.prompts import SYSTEM
from factmill.models.readers.llm.validation import check, validate
from factmill.models.readers.question_rules import question_faults
from factmill.models.readers.reading import AtomicQuestion, Fault, Reading, Statement, to_units
from factmill.schemas.records import Segment, SegmentKind

TEXT = (
    "Opened in 1874, Tarn Bridge was planned by Mia Holt and built by Lowe & Sons. "
    "It is 40 metres long and carries two lanes. "
    "In 1990 the bridge was sold to Oslo for $1,000. Holt died in Oslo in 1901."
)
TITLE = "Tarn Bridge | Bridges of the North"
TABLE = (
    "| Bridge | Length | Opened |\n|---|---|---|\n| Tarn Bridge | 40 m | 1874 |\n"
    "| Ulv | 9 m | 1901 |"
)


def segment(text: str = TEXT, kind: SegmentKind = "text", heading: str = "History") -> Segment:
    return Segment("segment", "page", 0, kind, text, heading, None, None)


def of_fact(fact: str, text: str = TEXT, title: str = TITLE) -> Statement | Fault:
    return check(segment(text), title, ExtractedItems((fact,))).facts[0]


def of_pair(
    question: str, answer: str, text: str = TEXT, title: str = TITLE
) -> AtomicQuestion | Fault:
    return check(
        segment(text), title, ExtractedItems((), (ExtractedPair(question, answer),))
    ).pairs[0]


def evidence(fact: str, text: str = TEXT) -> str:
    statement = of_fact(fact, text)
    assert isinstance(statement, Statement)
    return text[statement.start : statement.end]


def answer(question: str, said: str, text: str = TEXT, title: str = TITLE) -> str:
    found = of_pair(question, said, text, title)
    assert isinstance(found, AtomicQuestion), found
    return text[found.start : found.end]


def reason(item: Statement | AtomicQuestion | Fault) -> str:
    return item.reason if isinstance(item, Fault) else "kept"


@pytest.mark.parametrize(
    ("fact", "start", "end"),
    [
        ("Tarn Bridge was opened in 1874.", "Opened in 1874", "Lowe & Sons."),
        ("Tarn Bridge is 40 metres long.", "It is 40", "two lanes."),
        ("Tarn Bridge was sold to Oslo for $1000 in 1990.", "In 1990", "$1,000."),
        ("Mia Holt died in Oslo.", "Holt died", "1901."),
        ("Mia Holt, who died in Oslo in 1901, planned Tarn Bridge.", "Opened", "Sons."),
        ("Tarn  Bridge carries\n2 lanes.", "It is", "two lanes."),
    ],
)
def test_fact_that_the_segment_states_is_kept_with_its_sentence(
    fact: str, start: str, end: str
) -> None:
    found = evidence(fact)
    assert found.startswith(start)
    assert end in found


def test_fact_from_two_sentences_has_both_as_evidence() -> None:
    fact = "The bridge, which carries two lanes, was sold to Oslo in 1990."
    assert evidence(fact) == TEXT[TEXT.index("It is 40") : TEXT.index(" Holt died")]


def test_fact_of_a_table_has_its_row_as_evidence() -> None:
    assert evidence("Ulv was opened in 1901.", TABLE) == "| Ulv | 9 m | 1901 |"


@pytest.mark.parametrize(
    ("fact", "expected"),
    [
        ("", "not_text"),
        ("...", "not_text"),
        ('{"x": "Tarn Bridge"}', "not_text"),
        ("Tarn Bridge was \x00 opened in 1874.", "not_text"),
        ("Tarn Bridge was \ud800 opened in 1874.", "not_text"),
        ("Tarn Bridge.", "too_short"),
        ("Tarn Bridge " + "was opened " * 40 + "in 1874.", "too_long"),
        ("Was Tarn Bridge opened in 1874?", "asks"),
        ("Tarn Bridge was opened in 1874. Mia Holt planned the bridge.", "several_sentences"),
        ("It was opened in 1874.", "pronoun_subject"),
        ("This bridge was opened in 1874.", "pronoun_subject"),
        ("In 1990 it was sold to Oslo.", "pronoun_subject"),
        ("Tarn Bridge was opened in 1875.", "ungrounded_number"),
        ("Tarn Bridge has three lanes.", "ungrounded_number"),
        ("Tarn Bridge was planned by Ann Holt.", "ungrounded_name"),
        ("Bergen bought the bridge.", "ungrounded_name"),
        ("The weather is often cold and rainy there.", "no_evidence"),
        ("Let me read the passage about Tarn Bridge first.", "reasoning"),
        ("<think>Tarn Bridge was opened in 1874.", "reasoning"),
        ("As an AI, Tarn Bridge was opened in 1874.", "reasoning"),
        ("The text does not say when Tarn Bridge was closed.", "speaks_of_text"),
        ("The price of Tarn Bridge is not mentioned.", "speaks_of_text"),
        ("Fact 1", "echo"),
        ("<question>", "echo"),
        ("Quenby Lock was opened in 1874.", "echo"),
        ("One plain sentence with one piece of information", "echo"),
        ("never of the text or of what is not said", "echo"),
    ],
)
def test_fact_that_must_not_be_stored_says_why(fact: str, expected: str) -> None:
    assert reason(of_fact(fact)) == expected


@pytest.mark.parametrize(
    ("text", "title", "fact"),
    [
        ("It Follows Ann is a film by Mia Holt.", "It Follows Ann (film)",
         "It Follows Ann is a film by Mia Holt."),
        ("P. A. Smith led Oslo in 1880.", "", "P. A. Smith led Oslo in 1880."),
        ("Oh, Ann! You Won is a film of 1901.", "", "Oh, Ann! You Won is a film of 1901."),
        ("Let Me Go is a song by Ann.", "", "Let Me Go is a song by Ann."),
        ("As an AI language model, Ann answers.", "", "As an AI language model, Ann answers."),
        ("After Ann came, he left Oslo.", "", "After Ann came, he left Oslo."),
    ],
)  # fmt: skip
def test_fact_that_looks_wrong_and_is_not_is_kept(text: str, title: str, fact: str) -> None:
    assert reason(of_fact(fact, text, title)) == "kept"


@pytest.mark.parametrize(
    ("question", "said", "found"),
    [
        ("When was Tarn Bridge opened?", "1874", "1874"),
        ("Who built Tarn Bridge?", "lowe & sons.", "Lowe & Sons"),
        ("What did Oslo pay?", "$1000", "$1,000"),
        ("How long is Tarn Bridge?", '"40\u00a0metres"', "40 metres"),
        # What repeats the question is left out; names stay whole.
        ("Who planned Tarn Bridge?", "Mia Holt planned Tarn Bridge.", "Mia Holt"),
        ("When was Tarn Bridge opened?", "Tarn Bridge was opened in 1874.", "1874"),
        ("Which Holt planned Tarn Bridge?", "Tarn Bridge was planned by Mia Holt.", "Mia Holt"),
        ("When did Mia Holt die?", "Mia Holt had died in 1901.", "1901"),
        ("What was Tarn Bridge's length?", "Tarn Bridge's length is 40 metres.", "40 metres"),
    ],
)
def test_answer_is_the_segments_own_text(question: str, said: str, found: str) -> None:
    assert answer(question, said) == found


def test_answer_that_stands_at_several_places_is_taken_where_it_is_asked_about() -> None:
    text = "In 1901 Ann left Oslo. Ann Holt sold Ulv Bridge to Bergen in 1901. In 1901 it rained."
    found = of_pair("When was Ulv Bridge sold?", "1901", text)
    assert isinstance(found, AtomicQuestion)
    assert found.start == text.index("1901. In")


def test_answer_is_no_part_of_a_word() -> None:
    assert reason(of_pair("Where did Ann live?", "Oslo", "Ann lived at the Oslofjord.")) == (
        "answer_not_verbatim"
    )


@pytest.mark.parametrize(
    ("question", "said", "expected"),
    [
        ("When was Tarn Bridge opened", "1874", "no_question_mark"),
        ("In what year was Tarn Bridge opened?", "1874", "no_question_word"),
        ("When was it opened in Oslo?", "1874", "pronoun"),
        ("When was the bridge opened?", "1874", "no_entity"),
        (
            "When was the old bridge, which is Tarn Bridge, " + "opened, " * 9 + "opened to all?",
            "1874",
            "too_long",
        ),
        ("When was Tarn Bridge sold to Bergen?", "1990", "ungrounded_name"),
        ("What did Oslo buy in 1991?", "the bridge", "ungrounded_number"),
        ("When was Tarn Bridge opened?", "", "answer_empty"),
        ("When was Tarn Bridge opened?", "--", "answer_empty"),
        ("When was Tarn Bridge opened?", "1875", "answer_not_verbatim"),
        ("Is Tarn Bridge open?", "Yes", "answer_not_verbatim"),
        ("When did Tarn Bridge open?", "Not in 1874", "answer_not_verbatim"),
        ("How did Mia Holt die?", "Mia Holt drowned in Oslo.", "answer_not_verbatim"),
        ("When did Mia Holt die?", "Mia Holt never lived in Oslo.", "answer_not_verbatim"),
        ("When was Tarn Bridge opened?", "not mentioned in the text", "speaks_of_text"),
        ("Who is Mia Holt?", "Holt", "answer_in_question"),
        ("What is Tarn Bridge?", TEXT, "answer_too_long"),
        ("Who planned Quenby Lock?", "Mia Holt", "echo"),
        ("", "1874", "not_text"),
    ],
)
def test_pair_that_must_not_be_stored_says_why(question: str, said: str, expected: str) -> None:
    assert reason(of_pair(question, said)) == expected


@pytest.mark.parametrize(
    ("text", "title", "question", "said"),
    [
        (
            "A kashket is a cap made of felt.",
            "Kashket - Caps",
            "What is a kashket made of?",
            "felt",
        ),
        ("My Own Oslo is by Ann.", "My Own Oslo (film)", "Who made My Own Oslo?", "Ann"),
        ("Ann made 'Her Son' and 'Us'.", "", "Who made 'Her Son'?", "Ann"),
    ],
)
def test_question_about_what_the_page_is_about_needs_no_capital_and_may_have_its_words(
    text: str, title: str, question: str, said: str
) -> None:
    assert answer(question, said, text, title) == said


def test_repeats_are_kept_once() -> None:
    facts = (
        "Tarn Bridge was opened in 1874.",
        "The Tarn Bridge was opened in 1874",
        "Mia Holt died.",
    )
    pair = ExtractedPair("Who planned Tarn Bridge?", "Mia Holt")
    again = ExtractedPair("who planned the Tarn Bridge?", "mia holt")
    other = ExtractedPair("Who planned Tarn Bridge?", "Holt")
    checked = check(segment(), TITLE, ExtractedItems(facts, (pair, again, other)))
    assert [reason(item) for item in checked.facts] == ["kept", "repeat", "kept"]
    assert [reason(item) for item in checked.pairs] == ["kept", "repeat", "kept"]


def test_questions_know_the_fact_that_answers_them() -> None:
    facts = (
        "In 1874 Tarn Bridge was opened.",
        "Mia Holt planned Tarn Bridge.",
        "Holt died in 1901.",
    )
    pairs = (
        ExtractedPair("Who planned Tarn Bridge?", "Mia Holt"),
        ExtractedPair("How long is Tarn Bridge?", "40 metres"),
    )
    reading = validate(segment(), TITLE, ExtractedItems(facts, pairs))
    assert [question.statement for question in reading.questions] == [1, None]
    pair, _ = to_units(segment(), reading, "llm").pairs
    assert len(pair.proposition_ids) == 1


def test_validate_good_items_stay_among_faulty_ones() -> None:
    items = ExtractedItems(
        ("It is long.", "Tarn Bridge is 40 metres long."),
        (ExtractedPair("Who?", "Ann"), ExtractedPair("Who planned Tarn Bridge?", "Mia Holt")),
    )
    reading = validate(segment(), TITLE, items)
    assert [statement.text for statement in reading.statements] == [
        "Tarn Bridge is 40 metres long."
    ]
    assert [question.text for question in reading.questions] == ["Who planned Tarn Bridge?"]
    assert [fault.reason for fault in reading.faults] == ["pronoun_subject", "no_entity"]


WORDS = st.lists(
    st.sampled_from(
        "Tarn Bridge Mia Holt Oslo was opened sold in 1874 1990 1875 two three it the a Who When "
        "is 1,000 $ . ? ! Bergen Norwegian Let me <think> fact 'Her' 40 metres long May It".split()
    ),
    max_size=14,
).map(" ".join)
SAID = st.text(max_size=60) | WORDS


@settings(max_examples=300)
@given(SAID, SAID, SAID, st.lists(SAID, max_size=4), st.lists(st.tuples(SAID, SAID), max_size=4))
def test_validate_of_any_strings_keeps_only_what_the_rules_allow(
    text: str, heading: str, title: str, facts: list[str], pairs: list[tuple[str, str]]
) -> None:
    page = segment(text, "text", heading)
    items = ExtractedItems(tuple(facts), tuple(ExtractedPair(*pair) for pair in pairs))
    reading = validate(page, title, items)
    assert reading == validate(page, title, items)
    kept = len(reading.statements) + len(reading.questions)
    assert kept + len(reading.faults) == len(facts) + len(pairs)
    source_text = f"{text} {heading} {title}"
    for statement in reading.statements:
        assert 0 <= statement.start < statement.end <= len(text)
        assert_numbers_grounded(statement.text, source_text)
    for question in reading.questions:
        assert 0 <= question.start < question.end <= len(text)
        found = text[question.start : question.end]
        assert found.strip() == found != ""
        assert question.statement is None or question.statement < len(reading.statements)
        assert {"no_question_word", "no_question_mark", "too_long"}.isdisjoint(
            question_faults(question.text)
        )
        assert_numbers_grounded(question.text, source_text)
    storable(reading)


def assert_numbers_grounded(said: str, source_text: str) -> None:
    numbers = {number.replace(",", "") for number in re.findall(r"\b\d{4}\b|\b\d,\d{3}\b", said)}
    assert numbers <= {number.replace(",", "") for number in re.findall(r"[\d,]+", source_text)}


def storable(reading: Reading) -> None:
    for item in (*reading.statements, *reading.questions, *reading.faults):
        item.text.encode("utf-8")


@given(st.sampled_from(SYSTEM.split("\n")), st.integers(0, 60), st.integers(6, 30))
def test_no_part_of_the_prompt_is_stored(line: str, start: int, size: int) -> None:
    part = " ".join(line.split()[start : start + size])
    reading = validate(segment(), TITLE, ExtractedItems((part,), (ExtractedPair(part, part),)))
    assert reading.statements == ()
    assert reading.questions == ()


@pytest.mark.parametrize(
    "piece", ["a. ", "Oslo ", "| a ", "1,", "'A", "the text ", "(", "In May he "]
)
def test_validate_of_hostile_text_ends(piece: str) -> None:
    """Were the time a square of the length, this would run into the suite's time limit."""
    text = (piece * 32_000)[:32_000]
    said = text[:2000]
    items = ExtractedItems(
        (said,) * 40, (ExtractedPair(f"Who is {said[:60]}?", said), ExtractedPair(said, piece)) * 20
    )
    validate(segment(text), text[:300], items)
