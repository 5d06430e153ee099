"""The heuristic reader on whole segments: what it reads, and what it leaves."""

import pytest

from factmill.models.readers.heuristic.reader import MAX_RULE_CHARACTERS, HeuristicReader
from factmill.models.readers.reading import PageContext, Reading
from factmill.schemas.errors import Rejected
from factmill.schemas.records import Segment, SegmentKind
from tests.models.readers.heuristic.one_segment import reading_if_any, segment_of


def read(title: str, text: str, kind: SegmentKind = "text") -> Reading:
    return HeuristicReader().read(segment_of(text, kind), PageContext(title))


def stated(title: str, text: str) -> list[tuple[str, str]]:
    """Text and evidence of each proposition."""
    return [(s.text, text[s.start : s.end]) for s in read(title, text).statements]


def asked(title: str, text: str) -> list[tuple[str, str]]:
    """Question and answer of each pair."""
    return [(q.text, text[q.start : q.end]) for q in read(title, text).questions]


def test_read_biography_names_its_subject_splits_and_asks() -> None:
    text = (
        "Marie Lund was a Norwegian chemist. She was born in Oslo in 1867 and died in Bergen in "
        "1934. Her father was a teacher."
    )
    assert stated("Marie Lund", text) == [
        ("Marie Lund was a Norwegian chemist.", "Marie Lund was a Norwegian chemist."),
        ("Marie Lund was born in Oslo in 1867.", "She was born in Oslo in 1867"),
        (
            "Marie Lund died in Bergen in 1934.",
            "She was born in Oslo in 1867 and died in Bergen in 1934.",
        ),
        ("Marie Lund’s father was a teacher.", "Her father was a teacher."),
    ]
    assert asked("Marie Lund", text) == [
        ("Who was Marie Lund?", "a Norwegian chemist"),
        ("When was Marie Lund born?", "1867"),
        ("Where was Marie Lund born?", "Oslo"),
        ("When did Marie Lund die?", "1934"),
    ]
    assert [q.statement for q in read("Marie Lund", text).questions] == [0, 1, 1, 2]


def test_read_film_it_is_the_film_of_the_title() -> None:
    text = "The Third Man is a 1949 film.  It was released on 2 September 1949."
    assert stated("The Third Man", text)[1] == (
        "The Third Man was released on 2 September 1949.",
        "It was released on 2 September 1949.",
    )
    assert asked("The Third Man", text)[1] == (
        "When was the Third Man released?",
        "2 September 1949",
    )


def test_read_answer_that_stands_in_the_text_twice_is_taken_from_its_own_sentence() -> None:
    text = "In 1881 ships sank near Skerrow. Skerrow Lighthouse was built in 1881."
    (question,) = read("Skerrow Lighthouse", text).questions
    assert (question.text, question.start) == ("When was Skerrow Lighthouse built?", 65)


def faults(title: str, text: str) -> list[tuple[str, str]]:
    """Reason and text of what was left out."""
    return [(fault.reason, fault.text) for fault in read(title, text).faults]


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("It was released on 2 September 1949.", "pronoun_subject"),
        ("In 1949 they released a film in Oslo.", "pronoun_subject"),
        ("In Oslo our film Skerrow was released.", "speaker"),
        ("Oslo is a town that you will like.", "speaker"),
        ("The film made Anna Lund famous.", "open_reference"),
        ("Another film was made by Anna Lund.", "open_reference"),
        ("Anna Lund saw this film in Oslo.", "open_reference"),
        ("Anna Lund opened a shop last year.", "relative_time"),
        ("Anna Lund said that “the shop is open.", "cut_short"),
        ("“Oslo is big and Bergen is small.”", "cut_short"),
        ("Vendor maturity may be a factor.", "no_entity"),
    ],
)
def test_read_sentence_that_cannot_be_read_by_itself_is_a_fault(sentence: str, reason: str) -> None:
    assert faults("Best films of the year", sentence) == [(reason, sentence)]


@pytest.mark.parametrize(
    "sentence",
    [
        "The film made Anna Lund famous.",  # the page says which
        "The tower is 34.2 metres high.",
        "On her first day, Anna Lund saw Skerrow.",
        "The captain of the Harwich ferry was old.",
        "“We won,” said Tom Hale of the Oslo club.",
    ],
)
def test_read_sentence_with_what_it_refers_to_stays_whole(sentence: str) -> None:
    assert stated("Skerrow", sentence) == [(sentence, sentence)]


@pytest.mark.parametrize(
    "sentence",
    [
        "Only to relaunch the shop with Anna Lund last year.",
        "83% of the value of Skerrow since debuting.",
        "GROSS: Thank you for coming to Oslo.",
        "Photo by Tom Hale was taken in Oslo.",
        "Click the button to see Skerrow.",
        "const Skerrow = await fetch(url); it was lit.",
        "lighthouse-skerrow-1881.jpg was uploaded.",
        "Skerrow Lighthouse at night",
        "[12]",
        "[citation needed]",
    ],
)
def test_read_what_is_no_statement_is_left_out(sentence: str) -> None:
    assert reading_if_any(segment_of(sentence), "Skerrow") is None


def test_read_marks_of_citation_are_left_out_and_end_a_sentence() -> None:
    text = "Skerrow grossed more than Shrek 2.[21][22] In 2005,[3] Anna Lund made a film."
    assert [statement for statement, _ in stated("Skerrow", text)] == [
        "Skerrow grossed more than Shrek 2.",
        "In 2005, Anna Lund made a film.",
    ]


def test_read_what_ties_a_sentence_to_the_one_before_is_left_out() -> None:
    assert stated("Oslo", "However, Oslo is big.") == [("Oslo is big.", "Oslo is big.")]


def test_read_line_of_a_key_and_a_value_is_about_its_heading() -> None:
    text = "2. Apple\nMarket cap: $2.85 trillion\nNote: buy it now"
    segment = Segment("segment-1", "page-1", 0, "text", text, "2. Apple", None, None)
    reading = HeuristicReader().read(segment, PageContext("The largest companies"))
    assert [statement.text for statement in reading.statements] == [
        "Apple – Market cap: $2.85 trillion"
    ]
    assert [(q.text, text[q.start : q.end]) for q in reading.questions] == [
        ("What is the market cap of Apple?", "$2.85 trillion")
    ]


@pytest.mark.parametrize("heading", ["", "How to choose a phone"])
def test_read_line_of_a_key_and_a_value_below_no_name_is_left_out(heading: str) -> None:
    segment = Segment("s", "p", 0, "text", "Weight: 21 g", heading, None, None)
    assert reading_if_any(segment, "The best phones") is None


@pytest.mark.parametrize(
    "sentence",
    [
        '"The ship was lost, and the crew was saved by boats," said Tom Hale.',
        "“The ship was lost, and the crew was saved by boats,” said Tom Hale.",
    ],
)
def test_read_quoted_speech_stays_one_proposition(sentence: str) -> None:
    assert stated("Skerrow", sentence) == [(sentence, sentence)]


def test_read_time_of_the_first_part_is_not_claimed_of_the_second() -> None:
    texts = [
        text
        for text, _ in stated(
            "Marie Lund", "In 1890 Marie Lund moved to Oslo and died in Bergen in 1934."
        )
    ]
    assert not [text for text in texts if "1890" in text and "died" in text and "moved" not in text]


def test_read_question_is_paired_with_the_sentence_that_follows() -> None:
    text = (
        "When was Skerrow Point  first lit? Skerrow Point was lit in 1881. Oslo and Rome are big."
    )
    reading = read("Questions", text)
    (question,) = reading.questions
    assert question.text == "When was Skerrow Point first lit?"
    assert text[question.start : question.end] == "Skerrow Point was lit in 1881."
    assert question.statement == 0
    assert [statement.text for statement in reading.statements] == [
        "Skerrow Point was lit in 1881.",
        "Oslo and Rome are big.",
    ]


def test_read_two_questions_in_a_row_only_the_last_is_answered() -> None:
    text = "Who built Skerrow Point? When was Skerrow Point lit? Skerrow Point was lit in 1881."
    assert asked("Questions", text) == [
        ("When was Skerrow Point lit?", "Skerrow Point was lit in 1881."),
    ]


@pytest.mark.parametrize(
    "question",
    ["Who pays for it?", "Islam began in Arabia?", "Who told us about Oslo?", "What is the price?"],
)
def test_read_question_against_the_rules_is_not_paired(question: str) -> None:
    assert asked("Questions", f"{question} Tom Hale paid for Oslo.") == []


@pytest.mark.parametrize("name", ["US", "IT"])
def test_read_question_about_a_name_that_looks_like_a_pronoun_is_paired(name: str) -> None:
    text = f"Who works for {name} in Oslo? Tom Hale works for {name}."
    assert asked("Questions", text) == [
        (f"Who works for {name} in Oslo?", f"Tom Hale works for {name}.")
    ]


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Oslo", ""),
        ("Oslo", " \n "),
        ("Oslo", "Home"),
        ("Oslo", "About this page"),
        ("Oslo", "1 2 3 4 5 6 7 8 9."),
        ("Oslo", "Where is Oslo?"),
        ("", "..."),
    ],
)
def test_read_text_that_states_nothing_is_rejected(title: str, text: str) -> None:
    with pytest.raises(Rejected) as caught:
        read(title, text)
    assert caught.value.reason == "no_units"
    assert "\n" not in str(caught.value)


def test_read_table_without_rows_is_rejected() -> None:
    with pytest.raises(Rejected, match="no_units"):
        read("Oslo", "| Town | Area |\n| --- | --- |", "table")


def test_read_table_rows_are_read_and_not_their_sentences() -> None:
    text = "| Town | Motto |\n| --- | --- |\n| Oslo | It is, Oslo was founded in 1048. |"
    reading = read("Towns", text, "table")
    assert [statement.text for statement in reading.statements] == [
        "Oslo (Towns) – Motto: It is, Oslo was founded in 1048."
    ]
    assert [question.text for question in reading.questions] == [
        "What is the motto of Oslo in Towns?"
    ]


def test_read_short_heading_is_left_out_and_short_sentence_kept() -> None:
    text = "Opening hours and prices\nOslo is big.\nSo there"
    assert stated("Oslo", text) == [("Oslo is big.", "Oslo is big.")]


def test_read_sentence_over_the_limit_is_kept_whole_unsplit_and_unquestioned() -> None:
    sentence = "Oslo was founded in 1048; the town was built by Tom Hale, and " + "x" * 600 + "."
    assert len(sentence) > MAX_RULE_CHARACTERS
    assert stated("Oslo", sentence) == [(sentence, sentence)]
    assert asked("Oslo", sentence) == []


@pytest.mark.parametrize(
    "text",
    [
        "東京は日本の首都である。人口は約1400万人だ。",
        "Das Haus wurde am 11. Januar 2017 gebaut. Die Stadt wuchs im 19. Jahrhundert.",
    ],
)
def test_read_sentences_of_any_language_are_units_and_nothing_is_asked(text: str) -> None:
    reading = read("Haus", text)
    assert len(reading.statements) == 2
    assert "".join(statement.text for statement in reading.statements) == text.replace(". D", ".D")
    assert [fault.reason for fault in reading.faults] == ["unsupported_language"]


def test_read_same_segment_again_gives_the_same_reading_whatever_came_between() -> None:
    reader = HeuristicReader()
    segment = segment_of("Marie Lund was a chemist. She was born in Oslo.")
    first = reader.read(segment, PageContext("Marie Lund"))
    other = segment_of("Anna Berg met Tom Hale. He was born in Rome.")
    reader.read(other, PageContext("Anna Berg"))
    assert reader.read(segment, PageContext("Marie Lund")) == first


def test_fingerprint_of_two_readers_is_the_same_and_says_who_reads() -> None:
    assert HeuristicReader().fingerprint == HeuristicReader().fingerprint
    assert HeuristicReader().fingerprint.startswith("heuristic-")


def test_read_part_from_the_middle_of_a_sentence_begins_with_a_capital_and_ends_with_a_stop() -> (
    None
):
    text = "In 1990, Lund Ltd opened a shop in Rome, and Yahoo! moved there and closed in 1999."
    texts = [statement for statement, _ in stated("", text)]
    assert texts
    assert all(text[0].isupper() and text[-1] in ".!" for text in texts)


def test_read_pronoun_is_named_in_every_part_of_its_sentence() -> None:
    text = "Skerrow is a film. Released in 1974, it was written by Tom Hale and starred Anna Lund."
    assert [statement for statement, _ in stated("Skerrow", text)[1:]] == [
        "Skerrow was written by Tom Hale.",
        "Skerrow starred Anna Lund.",
        "Skerrow was released in 1974.",
    ]


def test_read_life_dates_answer_when() -> None:
    text = "Marie Lund (9 April 1867 – 3 May 1934) was a chemist."
    assert asked("Marie Lund", text) == [
        ("Who was Marie Lund?", "a chemist"),
        ("When was Marie Lund born?", "9 April 1867"),
        ("When did Marie Lund die?", "3 May 1934"),
    ]


@pytest.mark.parametrize(
    ("sentence", "fault"),
    [
        ("In a given December, I was in Oslo.", "speaker"),
        ('"Lund left", I\'m told in Oslo.', "speaker"),
        ("Every gram of Oslo matters—we found the balance.", "speaker"),
        ("The types of Oslo are described below with links.", "open_reference"),
    ],
)
def test_read_sentence_of_a_speaker_or_a_page_is_a_fault(sentence: str, fault: str) -> None:
    assert [one.reason for one in read("Oslo", sentence).faults] == [fault]
