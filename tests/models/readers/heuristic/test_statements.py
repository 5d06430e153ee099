import pytest

from factmill.models.readers.heuristic.statements import states_something


@pytest.mark.parametrize(
    "sentence",
    [
        "Rhodium plated sterling silver, Diamonds, 0.08 ct.",
        "Southern California's trusted fitness equipment specialists.",
        "A set of tools designed to help many firms.",
        "Shirts that are engineered for performance.",
        "Includes references on electrical work.",
        "Supports all models of the firm.",
        "Looks like the server is away.",
        "Would like to see more of it.",
        "Automatically decrease fraud with the tool.",
        "Sizes vary by game; see individual games for details.",
        "Until Courtney and Bryce are pulled into a fantasy world.",
        "Below is a short description of each type.",
        "Bump that up to 8% growth, and Lumen could grow.",
        "Lorem ipsum dolor sit amet is a text.",
        "Image The castle of Lund stood there in 1902.",
        "79€ Original price was: 79€.",
        "6:54:10 AM: Exported queries are only executed for pages.",
    ],
)
def test_what_a_page_has_between_its_statements_states_nothing(sentence: str) -> None:
    assert not states_something(sentence, english=True)


@pytest.mark.parametrize(
    "sentence",
    [
        "Lund qualified for the final in Oslo.",
        "Table Mountain is a flat mountain above Cape Town.",
        "Image Comics was founded in 1992.",
        "Critics praised his new novel.",
        "He gained prominence for a series of novels.",
        "Works of Lund are kept in Oslo.",
        "Looks can be deceiving in Oslo.",
        "Until 1990, the mill was closed.",
        "The ferry moves to Oslo in winter.",
        "Only 100–150 species have been described.",
    ],
)
def test_statements_of_the_same_words_are_kept(sentence: str) -> None:
    assert states_something(sentence, english=True)


def test_other_languages_need_the_mark_of_an_end() -> None:
    assert states_something("Das Gebäude wurde im Jahr 2017 in Hamburg eröffnet.", english=False)
    assert not states_something("Bürsten und Schwämme für alle Modelle der Firma", english=False)
    assert states_something("กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทยมาตั้งแต่ปีพุทธศักราช", english=False)
