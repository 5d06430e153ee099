"""Tables read row by row: a proposition a row, a question a cell."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.models.readers.heuristic.table_rows import MAX_STATEMENT_CHARACTERS, read_table
from factmill.models.readers.question_rules import question_faults
from factmill.models.readers.reading import Reading
from tests.models.readers.heuristic.made_tables import TITLE, asked, stated, table

MOUNTAINS = """\
| Mountain | Height | Country |
| --- | ---: | :--- |
| Mount Everest | 8,849 m | Nepal |
| Mont Blanc | 4,806 m | France |
| Ben Nevis | - | Scotland |"""


def test_read_table_rows_are_propositions_with_the_row_as_evidence() -> None:
    reading = read_table(MOUNTAINS)
    assert [(s.text, MOUNTAINS[s.start : s.end]) for s in reading.statements] == [
        ("Mount Everest – Height: 8,849 m; Country: Nepal", "Mount Everest | 8,849 m | Nepal"),
        ("Mont Blanc – Height: 4,806 m; Country: France", "Mont Blanc | 4,806 m | France"),
        ("Ben Nevis – Country: Scotland", "Ben Nevis | - | Scotland"),
    ]


def test_read_table_of_a_product_has_a_line_for_its_header() -> None:
    markdown = table("Weight / 372 g", "Lens mount / Skell F", "Wireless / none")
    (first, second, _) = read_table(markdown, "Lumen X200", "product").statements
    assert (first.text, second.text) == (
        "Lumen X200 – Weight: 372 g", "Lumen X200 – Lens mount: Skell F",
    )  # fmt: skip
    assert read_table(markdown, "Lumen X200", "article").statements[0].text != first.text
    sizes = table("Size / Chest", "S / 84 cm", "M / 92 cm")
    assert "S (Lumen X200) – Chest: 84 cm" in [
        statement.text for statement in read_table(sizes, "Lumen X200", "product").statements
    ]


def test_read_table_cells_are_answers_to_column_of_row() -> None:
    assert asked(MOUNTAINS) == [
        ("What is the height of Mount Everest in Norse Records?", "8,849 m"),
        ("What is the country of Mount Everest in Norse Records?", "Nepal"),
        ("What is the height of Mont Blanc in Norse Records?", "4,806 m"),
        ("What is the country of Mont Blanc in Norse Records?", "France"),
        ("What is the country of Ben Nevis in Norse Records?", "Scotland"),
    ]
    assert [question.statement for question in read_table(MOUNTAINS, TITLE).questions] == [
        0,
        0,
        1,
        1,
        2,
    ]


def test_read_table_rows_of_one_name_are_stated_but_not_asked_about() -> None:
    markdown = table("Player / Goals / Club", "Ann Lee / 3 / Oslo", "Bo Ray / 5 / Bergen",
                     "Ann Lee / 4 / Lund")  # fmt: skip
    assert stated(markdown) == [
        "Ann Lee – Goals: 3; Club: Oslo",
        "Bo Ray – Goals: 5; Club: Bergen",
        "Ann Lee – Goals: 4; Club: Lund",
    ]
    assert asked(markdown) == [
        ("How many goals does Bo Ray have in Norse Records?", "5"),
        ("What is the club of Bo Ray in Norse Records?", "Bergen"),
    ]


def test_read_table_columns_of_one_name_are_stated_but_not_asked_about() -> None:
    markdown = table("Player / Club / Goals / Goals", "Ann Lee / Oslo / 3 / 4")
    assert stated(markdown) == ["Ann Lee – Club: Oslo; Goals: 3; Goals: 4"]
    assert asked(markdown) == [("What is the club of Ann Lee in Norse Records?", "Oslo")]


def test_read_table_column_of_numbers_in_front_does_not_name_the_rows() -> None:
    markdown = table("Rank / Mountain / Height", "1 / K2 / 8,611 m", "2 / Makalu / 8,485 m")
    assert stated(markdown)[0] == "K2 – Rank: 1; Height: 8,611 m"
    assert asked(markdown)[0] == ("What is the rank of K2 in Norse Records?", "1")


def test_read_table_column_that_repeats_does_not_name_the_rows() -> None:
    markdown = table("Country / Town", "Norway / Oslo", "Norway / Bergen", "Norway / Lund")
    assert stated(markdown)[1] == "Bergen – Country: Norway"


@pytest.mark.parametrize("blank", ["", "-", "–", "—", "n/a", "?"])
def test_read_table_blank_cell_is_neither_stated_nor_asked_about(blank: str) -> None:
    markdown = f"| Town | Area | Mayor |\n| --- | --- | --- |\n| Oslo | {blank} | Anna Berg |"
    assert stated(markdown) == ["Oslo – Mayor: Anna Berg"]
    assert asked(markdown) == [("Who is the mayor of Oslo in Norse Records?", "Anna Berg")]


@pytest.mark.parametrize(
    "markdown",
    [
        "",
        "No table here.",
        table("Town / Area"),
        table("Town", "Oslo", "Bergen"),
        table("Town / Area", " / 3 km²"),
        table("Town / Area", "Oslo / -"),
        table("Town / ", "Oslo / 3 km²"),
        table("Town / Name", "Oslo / Oslo"),
        "|",
        "|\n|\n|",
    ],
    ids=[
        "empty",
        "text",
        "header only",
        "one column",
        "row without a name",
        "row of blanks",
        "column without a name",
        "cell that repeats the name",
        "one bar",
        "three bars",
    ],
)
def test_read_table_that_states_nothing_gives_an_empty_reading(markdown: str) -> None:
    assert read_table(markdown) == Reading()


def test_read_table_short_and_long_rows_use_the_columns_they_share() -> None:
    markdown = (
        "| Town | Area | Mayor |\n| --- | --- | --- |\n| Oslo | 454 km² |\n| Lund | 9 | Bo | 7 |"
    )
    assert stated(markdown) == ["Oslo – Area: 454 km²", "Lund – Area: 9; Mayor: Bo"]


def test_read_table_abbreviated_column_keeps_its_capitals() -> None:
    markdown = table("Country / GDP / Official Language", "Norway / 1 / Norwegian")
    assert asked(markdown) == [
        ("What is the GDP of Norway in Norse Records?", "1"),
        ("What is the official language of Norway in Norse Records?", "Norwegian"),
    ]


def test_read_table_escaped_bar_is_plain_in_texts_and_verbatim_in_answers() -> None:
    markdown = table("Town / Motto", "Oslo / yes \\| no")
    assert stated(markdown) == ["Oslo – Motto: yes | no"]
    assert asked(markdown) == [("What is the motto of Oslo in Norse Records?", "yes \\| no")]


def test_read_table_question_against_the_rules_is_left_out() -> None:
    markdown = table("Town / Our view / Area", "Oslo / good / 454 km²")
    assert asked(markdown) == [("What is the area of Oslo in Norse Records?", "454 km²")]


def test_read_table_long_row_becomes_several_propositions_that_lose_nothing() -> None:
    columns = [f"Column {number}" for number in range(20)]
    values = [f"value {number} " + "x" * 70 for number in range(20)]
    markdown = table("Town / " + " / ".join(columns), "Oslo / " + " / ".join(values))
    reading = read_table(markdown)
    assert len(reading.statements) > 2
    facts = [fact for text in stated(markdown) for fact in text.removeprefix("Oslo – ").split("; ")]
    assert facts == [f"{c}: {v}" for c, v in zip(columns, values, strict=True)]
    assert all(len(text) < MAX_STATEMENT_CHARACTERS + 100 for text in stated(markdown))
    for question in reading.questions:
        assert question.statement is not None
        source = reading.statements[question.statement]
        assert markdown[question.start : question.end] in source.text


_ROWS = st.lists(
    st.sampled_from(
        "Oslo/Lund/K2/3/-//Area/area/it/GDP/a b/---/x\\|y/|/\\/é/What is".split("/"),
    ),
    max_size=4,
)


@settings(max_examples=200)
@given(st.lists(_ROWS, max_size=5))
def test_read_table_any_rows_keep_spans_inside_and_questions_unambiguous(
    rows: list[list[str]],
) -> None:
    markdown = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    reading = read_table(markdown)
    for statement in reading.statements:
        assert 0 <= statement.start < statement.end <= len(markdown)
        assert "\n" not in markdown[statement.start : statement.end]
        assert re.search(r"\S( –|:) \S", statement.text)
    for question in reading.questions:
        assert question_faults(question.text) == []
        assert question.statement is not None
        source = reading.statements[question.statement]
        assert source.start <= question.start < question.end <= source.end
    texts = [question.text for question in reading.questions]
    assert len(texts) == len(set(texts))


BOX = """\
Gannet Rock
Built by the harbour board
|  |  |
| --- | --- |
| Height: | 21 m |
| Signals | Signals |
| Range | 18 nmi |
| Lit | - |"""


def test_read_table_keys_and_values_are_about_the_first_line_above() -> None:
    assert stated(BOX) == ["Gannet Rock – Height: 21 m", "Gannet Rock (Signals) – Range: 18 nmi"]
    assert asked(BOX, "") == [
        ("What is the height of Gannet Rock?", "21 m"),
        ("What is the range of Gannet Rock?", "18 nmi"),
    ]
    first = read_table(BOX).statements[0]
    assert BOX[first.start : first.end] == "Height: | 21 m"


def test_read_table_marks_between_links_and_repeated_headers_are_no_values() -> None:
    menu = "| Topic | » | Hits |\n| --- | --- | --- |\n| Forums | » | Hits |\n| Lamps | ✓ | 12 |"
    assert stated(menu) == ["Lamps – »: ✓; Hits: 12"]


def test_read_table_number_of_a_list_is_no_part_of_the_name() -> None:
    assert stated(f"4. {BOX}") == stated(BOX)
    assert stated(BOX.replace("Gannet Rock", "4. gannets"))[0].startswith("4. gannets")


def test_read_table_keys_and_values_of_nothing_named_are_stated_only() -> None:
    box = BOX[BOX.index("|") :]
    assert stated(box) == ["Height: 21 m", "Signals – Range: 18 nmi"]
    assert asked(box, "") == []


def test_read_table_key_that_comes_twice_is_not_asked_about() -> None:
    box = "Oslo\n|  |  |\n| --- | --- |\n| Mayor | Anna |\n| Mayor | Bo |"
    assert stated(box) == ["Oslo – Mayor: Anna", "Oslo – Mayor: Bo"]
    assert asked(box, "") == []


def test_read_table_header_that_comes_again_is_no_row() -> None:
    markdown = table("Town / Area", "Oslo / 454", "Town / Area", "Bergen / 465")
    assert stated(markdown) == ["Oslo – Area: 454", "Bergen – Area: 465"]


FILMS = table("Film / Rank", "Minority Report / 13", "Shrek 2 / 1")


def test_read_table_question_names_the_caption_of_the_table() -> None:
    markdown = f"Highest-grossing films\nIn the United States\n{FILMS}"
    assert asked(markdown, "DreamWorks - Wikipedia")[0] == (
        "What is the rank of Minority Report in Highest-grossing films, "
        "In the United States, DreamWorks?",
        "13",
    )
    assert stated(markdown, "DreamWorks")[0] == (
        "Minority Report (Highest-grossing films, In the United States, DreamWorks) – Rank: 13"
    )


def test_read_table_without_caption_and_title_is_not_asked_about() -> None:
    assert asked(FILMS, "") == []


def test_read_table_caption_that_says_the_title_again_stands_alone() -> None:
    markdown = f"Films of DreamWorks by rank\n{FILMS}"
    assert asked(markdown, "DreamWorks films by rank")[0][0] == (
        "What is the rank of Minority Report in Films of DreamWorks by rank?"
    )


def test_read_table_of_another_language_is_stated_and_not_asked_about() -> None:
    markdown = "Liste der Städte und des Landes\n" + table("Stadt / Region", "Ulm / Süden")
    reading = read_table(markdown, "Städte")
    assert [statement.text for statement in reading.statements]
    assert reading.questions == ()
    assert [fault.reason for fault in reading.faults] == ["unsupported_language"]


def test_read_table_pairs_below_a_common_heading_are_of_the_page() -> None:
    box = "Technical details\n|  |  |\n| --- | --- |\n| Weight | 21 g |"
    assert asked(box, "Gannet Rock Radio | Shop") == [
        ("What is the weight of Gannet Rock Radio?", "21 g")
    ]


def test_read_table_column_of_pictures_says_nothing() -> None:
    markdown = table("Camera / Logo / Rain", "Skell One / Yes / Yes", "Skell Two / No / No")
    assert stated(markdown, "")[0] == "Skell One – Rain: Yes"


def test_read_table_row_in_which_somebody_speaks_is_a_fault() -> None:
    markdown = table("Mistake / Lesson", "Wrong host / I spent too long on it")
    assert [fault.reason for fault in read_table(markdown, "Skell").faults] == ["speaker"]


def test_read_table_form_of_a_shop_is_no_data() -> None:
    box = "|  |  |\n| --- | --- |\n| Select Size | Small |\n| Weight | 2 kg |"
    assert stated(box, "Skell Tent") == ["Skell Tent – Weight: 2 kg"]


def test_read_table_numbers_of_rows_are_said_with_their_column() -> None:
    rounds = table("Round / Score", "1 / 66 (5 under)", "2 / 67 (4 under)")
    assert stated(rounds) == ["Round 1 – Score: 66 (5 under)", "Round 2 – Score: 67 (4 under)"]
    films = table("Title / Gross", "1917 / 12", "Lund / 13")
    assert stated(films) == ["1917 – Gross: 12", "Lund – Gross: 13"]


def test_read_table_context_says_no_caption_twice_and_ends_with_a_word() -> None:
    markdown = "Films\nFilms of Norway\n" + table("Title / Year", "Lund / 1999")
    assert stated(markdown, "Skell") == ["Lund (Films of Norway, Skell) – Year: 1999"]
    long = " ".join(["lanterns"] * 20) + "\n" + table("Title / Year", "Lund / 1999")
    assert stated(long)[0].count("lanterns") * len("lanterns ") <= 120
    assert "lanterns) –" in stated(long)[0]


def test_read_table_keys_are_those_of_the_named_part_and_not_of_the_page() -> None:
    keys = "|  |  |\n| --- | --- |\n| Founded | 1998 |"
    named = stated(f"Lumen Home Lighting\nLogo\n{keys}", "Lumen Works")
    assert named == ["Lumen Home Lighting – Founded: 1998"]
    assert stated(f"Product Details\n{keys}", "Lumen Works") == ["Lumen Works – Founded: 1998"]


def test_what_a_cell_asks_of_the_visitor_is_left_out() -> None:
    markdown = table(
        "Fee / Cost / More", "Course / View the chart / Details", "Entry / $50 / Apply"
    )
    assert stated(markdown) == ["Entry – Cost: $50; More: Apply"]


def test_numbers_below_a_letter_name_no_rows() -> None:
    assert stated(table("W / L", "50 / 15", "46 / 17")) == []
    assert len(stated(table("No / L", "50 / 15", "46 / 17"))) == 2


def test_column_of_names_names_the_rows_behind_another_column() -> None:
    markdown = table("Club / Player / Height", "Oslo / Ann Lee / 1.80 m", "Lund / Bo Ray / 1.75 m")
    assert stated(markdown)[0] == "Ann Lee – Club: Oslo; Height: 1.80 m"
    assert ("What is the height of Bo Ray in Norse Records?", "1.75 m") in asked(markdown)


def test_age_of_writing_is_neither_stated_nor_answered() -> None:
    markdown = table(" / ", "Birth date / 3 May 1951 (age 63)", "Height / 1.80 m")
    assert stated(markdown, "Ann Lee")[0] == "Ann Lee – Birth date: 3 May 1951"
    assert "3 May 1951 (age 63)" not in dict(asked(markdown, "Ann Lee")).values()


def test_row_that_says_its_header_in_other_words_is_none() -> None:
    markdown = table("Club / League Apps / Cup Apps", "Finland / League / Cup", "Lund / 3 / 4")
    assert stated(markdown) == ["Lund – League Apps: 3; Cup Apps: 4"]
    years = table("Club / 2010 / 2011", "Lund / 0 / 1", "Oslo / 2 / 0")
    assert stated(years)[0] == "Lund – 2010: 0; 2011: 1"


def test_row_that_adds_up_others_is_stated_and_not_asked_about() -> None:
    markdown = table("Club / League / Height", "Lund / First / 3 m", "Total / Second / 4 m")
    assert "Total (Norse Records) – League: Second; Height: 4 m" in stated(markdown, TITLE)
    assert [answer for _, answer in asked(markdown)] == ["3 m"]


def test_key_without_a_word_is_no_attribute() -> None:
    markdown = table(" / ", "2013–14 / 7th", "Ground / Lund Arena")
    assert stated(markdown, "Lund FC") == ["Lund FC – Ground: Lund Arena"]


def test_year_that_is_distinct_names_the_rows_before_a_column_of_names() -> None:
    markdown = table("Year / Driver / Team", "1990 / Bo Ray / Lund", "1991 / Bo Ray / Oslo")
    assert stated(markdown)[0] == "1990 – Driver: Bo Ray; Team: Lund"


def test_title_stays_beside_a_caption_that_fills_the_room() -> None:
    rows = table("Town / Area", "Lund / 3 km²", "Oslo / 4 km²")
    statement = stated("\n".join(["Area of towns " * 9, rows]), TITLE)[0]
    assert statement.startswith("Lund (Area of towns Area of")
    assert ", Norse Records) – Area" in statement


def test_context_keeps_the_nearest_captions_and_the_title_where_room_is_short() -> None:
    rows = table("Town / Area", "Lund / 3 km²", "Oslo / 4 km²")
    captions = ["A very long heading of the part of the page" * 2, "Towns by area", "Norway"]
    statement = stated("\n".join([*captions, rows]), TITLE)[0]
    assert statement == "Lund (Towns by area, Norway, Norse Records) – Area: 3 km²"
