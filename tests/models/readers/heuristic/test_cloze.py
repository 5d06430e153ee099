"""Questions made from statements: the frames, and the statements that answer no question."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from factmill.models.readers.heuristic.cloze import FRAMES, Frame, questions_from
from factmill.models.readers.question_rules import question_faults


def asked(statement: str) -> list[tuple[str, str]]:
    """Question and answer of each cloze."""
    assert all(cloze.end <= len(statement) for cloze in questions_from(statement))
    return [
        (cloze.question, statement[cloze.start : cloze.end]) for cloze in questions_from(statement)
    ]


@pytest.mark.parametrize(
    ("statement", "question", "answer"),
    [
        ("Oslo is the capital of Norway.", "What is Oslo?", "the capital of Norway"),
        ("Marie Lund was a chemist.", "Who was Marie Lund?", "a chemist"),
        ("Tom Hale (born 1950) is an English actor.", "Who is Tom Hale?", "an English actor"),
        ("The Third Man is a 1949 film.", "What is the Third Man?", "a 1949 film"),
        (
            "Oslo is a city of 1,234.5 hectares, in Norway.",
            "What is Oslo?",
            "a city of 1,234.5 hectares",
        ),
        ("Oslo is a harbour town which is old.", "What is Oslo?", "a harbour town"),
        (
            "Four for Venice is a 1998 comedy film.",
            "What is Four for Venice?",
            "a 1998 comedy film",
        ),
        ("The 1998 Golden League was a series.", "What was the 1998 Golden League?", "a series"),
        ("One Sunday Afternoon is a 1933 film.", "What is One Sunday Afternoon?", "a 1933 film"),
        (
            "Tom Hale was one of the sons of a king.",
            "Who was Tom Hale?",
            "one of the sons of a king",
        ),
        ("Oslo was founded in 1048.", "When was Oslo founded?", "1048"),
        (
            "The Tower of London was first opened on 5 May 1990.",
            "When was the Tower of London opened?",
            "5 May 1990",
        ),
        ("Deadpool 2 was released in May 2018.", "When was Deadpool 2 released?", "May 2018"),
        (
            "Red Dead was released for Mars and Moon in May 2010.",
            "When was Red Dead released?",
            "May 2010",
        ),
        ("Jaws was written by Peter Benchley.", "Who wrote Jaws?", "Peter Benchley"),
        ("Oslo was founded by Harald Hardrada.", "Who founded Oslo?", "Harald Hardrada"),
        ("Marie Lund was born in Oslo.", "Where was Marie Lund born?", "Oslo"),
        ("Lund Abbey is located near Bergen.", "Where is Lund Abbey located?", "Bergen"),
        ("Marie Lund died in Rome in 1934.", "When did Marie Lund die?", "1934"),
        (
            "Ben Nevis has a height of about 1,345 metres.",
            "What is the height of Ben Nevis?",
            "1,345 metres",
        ),
        ("Lund has a budget of $5.5 million.", "What is the budget of Lund?", "$5.5 million"),
        ("Lund has a population of 4,210.", "What is the population of Lund?", "4,210"),
        ("The capital of Norway is Oslo.", "What is the capital of Norway?", "Oslo"),
        ("The mayor of Oslo was Anna Berg.", "Who was the mayor of Oslo?", "Anna Berg"),
        ("The population of Oslo is 709,037.", "What is the population of Oslo?", "709,037"),
    ],
)
def test_questions_from_statement_of_one_frame_is_one_question(
    statement: str, question: str, answer: str
) -> None:
    assert asked(statement) == [(question, answer)]


def test_questions_from_statement_of_several_frames_asks_each() -> None:
    assert asked("Jaws was built in Oslo in June 1990 by Tom Hale.") == [
        ("When was Jaws built?", "June 1990"),
        ("Who built Jaws?", "Tom Hale"),
    ]
    assert asked("Marie Lund was born in Oslo on 7 November 1867.") == [
        ("When was Marie Lund born?", "7 November 1867"),
        ("Where was Marie Lund born?", "Oslo"),
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "",
        "The lamp was lit in 1881.",
        "It is a town in Norway.",
        "This was a town in Norway.",
        "He was born in Oslo.",
        "Oslo was not founded in 1048.",
        "Oslo may be the oldest town.",
        "Lund is a Manchester, UK patent agent.",
        "Oslo is big.",
        "Was Oslo founded in 1048?",
        "Marie Lund was born in May.",
        "Jaws was released by accident.",
        "Tom Hale was born by Anna Lund.",
        "Lund has a population of many.",
        "Tom Hale was named chief of Lumen in June 1995.",
        "Lumen was founded by Tom Hale, who was an editor, and his partner, Anna Lund.",
        "The very long name Alpha Beta Gamma Delta Epsilon Zeta is a name.",
    ],
)
def test_questions_from_statement_without_a_safe_frame_asks_nothing(statement: str) -> None:
    assert asked(statement) == []


@pytest.mark.parametrize(
    "statement",
    [
        "There is a small harbour on the west side.",
        "There was a fire in Oslo.",
        "Here is a map of Oslo.",
        "Another was the town of Oslo.",
        "One is a town in Norway.",
        "Today is the last day in Oslo.",
        "In 1990 Oslo was founded by Tom Hale.",
        "In 1990 Marie Lund died in May 1999.",
        "Later Oslo was founded by Tom Hale.",
    ],
)
def test_questions_from_statement_that_opens_without_a_name_asks_nothing(statement: str) -> None:
    assert asked(statement) == []


@pytest.mark.parametrize(
    "statement",
    [
        "Lund Abbey was founded by Tom Hale, who died in 1950.",
        "Lund Abbey was founded by monks who came from Rome in 1150.",
        "Lund Abbey was built by Tom Hale and opened in 1881.",
        "Tom Hale was born to Anna Lund and died in 1950.",
        "Tom Hale died in Paris after a career that began in 1950.",
    ],
)
def test_questions_from_date_of_another_event_is_no_answer(statement: str) -> None:
    assert not [question for question, _ in asked(statement) if question.startswith("When")]


@pytest.mark.parametrize(
    ("statement", "answer"),
    [
        ("Lund had a population of 4,210 at the 2011 census.", "4,210"),
        ("Lund has a population of 4,210 in summer.", "4,210"),
        ("Lund has a length of 12 and a width of 3.", "12"),
    ],
)
def test_questions_from_amount_before_a_preposition_is_the_amount_alone(
    statement: str, answer: str
) -> None:
    assert [found for _, found in asked(statement)] == [answer]


@pytest.mark.parametrize(
    "statement",
    [
        "Jolene is a song by American singer Dolly Parton.",
        "Annie Hall is a 1977 film directed by actor Woody Allen.",
        "Lund Abbey is the burial place of a king.",
    ],
)
def test_questions_from_thing_made_by_a_person_asks_what_and_not_who(statement: str) -> None:
    ((question, _),) = asked(statement)
    assert question.startswith("What is ")


_WORDS_AND_MARKS = (
    "Tom Hale|The Tower of London|Oslo|It|There|K2|is|was|were|has a|population of|height of|born"
    "|founded|built|located|died|in|on|by|near|at|5 May 1990|1990|May 2018|Norway|Marie Lund|a town"
    "|the capital of|an English actor|who|which|and|first|(born 1950)|,|.|;|about|4,210|metres|%|$5"
).split("|")


@settings(max_examples=200)
@given(
    st.one_of(
        st.text(max_size=100),
        st.lists(st.sampled_from(_WORDS_AND_MARKS), min_size=2, max_size=14).map(" ".join),
    )
)
def test_questions_from_any_statement_answers_are_verbatim_and_questions_without_fault(
    statement: str,
) -> None:
    for cloze in questions_from(statement):
        assert 0 <= cloze.start < cloze.end <= len(statement)
        answer = statement[cloze.start : cloze.end]
        assert answer == answer.strip()
        assert answer[-1] not in ".,;:"
        assert question_faults(cloze.question) == []


_NAMES = st.builds(
    " ".join,
    st.lists(
        st.from_regex(r"[A-Z][a-z]{3,8}(?:-[A-Z][a-z]{2,5})?", fullmatch=True),
        min_size=1,
        max_size=3,
    ),
)
_MONTHS = "January February March April May June July August September October November December"


@settings(max_examples=100)
@given(
    _NAMES,
    _NAMES,
    st.integers(1, 28),
    st.sampled_from(_MONTHS.split()),
    st.integers(1000, 2029),
    st.booleans(),
)
def test_questions_from_generated_event_finds_date_agent_and_nothing_else(
    subject: str, agent: str, day: int, month: str, year: int, american: bool
) -> None:
    openers = {"There", "These", "Those", "This", "That", "They", "Here", "When", "After", "Then"}
    assume(not openers & {*subject.split(), *agent.split()})
    assume(agent.split()[0] not in _MONTHS)
    date = f"{month} {day}, {year}" if american else f"{day} {month} {year}"
    assert asked(f"{subject} was designed by {agent} on {date}.") == [
        (f"When was {subject} designed?", date),
        (f"Who designed {subject}?", agent),
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "Lund is a town in the U.S. state of Ohio.",  # "in the U"
        "Jaws was written by Tom Hale and Anna Berg.",  # not by Hale alone
        "Jaws was created by Japanese designer Ken Ito.",
        "Lund is a film directed, written and produced by Tom Hale.",  # "a film directed"
        "Lund is the process by which towns grow.",  # "the process"
        "Lund is a bitter, cold and grey town.",  # "a bitter"
        "Lund is a band consisting of Tom Hale, Anna Berg and Ola Voss.",
        "The war was a conflict between Norway, Denmark and Spain.",
        "The United States is the largest producer of tin.",  # no "Who is the United States?"
        "550 was written in 1788.",
        "Lund Station is located at the Arctic Research base.",  # "the Arctic Research"
        "The Lund Standard is a means by which sites keep robots out.",  # "a means by"
        "The Lund Board is the agency of the state that governs schools.",  # one of its agencies
        "Lund City are the current champions.",  # when it was written
        "Lumen X is a brand name for a non-destructive, light film.",  # "a non-destructive"
        "Lund is a maker of lamps in Oslo, Bergen, Moss and Ry.",  # not of Oslo alone
        "Lund Lamps are the most recent winners.",  # "the most recent": when it was written
        "Lund was signed in 1990.",  # by whom?
    ],
)
def test_questions_from_answer_that_would_be_cut_short_is_not_asked_for(statement: str) -> None:
    assert asked(statement) == []


@pytest.mark.parametrize(
    "statement",
    [
        "Lund is a popular choice.",  # praise
        "Lund Mill is a part of Oslo.",  # says what it belongs to
        "Lund Mill is the bakery's oven.",  # of which bakery?
    ],
)
def test_questions_from_answer_that_does_not_say_what_a_thing_is_is_not_asked_for(
    statement: str,
) -> None:
    assert asked(statement) == []


@pytest.mark.parametrize(
    ("statement", "question", "answer"),
    [
        ("Tom Hale was a swordsman.", "Who was Tom Hale?", "a swordsman"),
        (
            "Lund is a cricket ground in Old Lund, Greater Oslo, Norway.",
            "What is Lund?",
            "a cricket ground in Old Lund, Greater Oslo, Norway",
        ),
        (
            "Lund is a direct current motor, built in Oslo.",
            "What is Lund?",
            "a direct current motor",
        ),
        (
            "Lund is a town near Bergen, and Oslo is far away.",
            "What is Lund?",
            "a town near Bergen",
        ),
        ("Tom Hale is a comic figure who sings.", "Who is Tom Hale?", "a comic figure"),
        ("Skat is a 3-player card game.", "What is Skat?", "a 3-player card game"),
        (
            "Lund Films is based in Washington, D.C.",
            "Where is Lund Films based?",
            "Washington, D.C.",
        ),
    ],
)
def test_questions_from_who_or_what_and_where(statement: str, question: str, answer: str) -> None:
    assert (question, answer) in asked(statement)


@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: frame.question)
def test_questions_from_the_frames_example_is_its_question(frame: Frame) -> None:
    assert [cloze.question for cloze in questions_from(frame.example)] == [frame.question]
    others = [other for other in FRAMES if other is not frame]
    assert list(questions_from(frame.example, others)) == []


def test_questions_from_a_very_long_name_take_no_longer_than_its_length() -> None:
    """A bound on work, which a regex that tries all ways to part a word would not keep."""
    assert asked(f"Lund Mill is a mill in {'A' * 90} x.") == [
        ("What is Lund Mill?", f"a mill in {'A' * 90} x")
    ]
