"""Names, numbers and dates that a source has or lacks."""

import pytest

from factmill.models.readers.llm.grounding import GroundingSource
from factmill.models.readers.llm.tokens import Tokens

TEXT = (
    "Tarn Bridge cost $1.5 million and opened on 7 May 1963. Its two towers, 1,000 tonnes each, "
    "were designed by the Norwegian Mia Holt of the U.S. firm Lowe in 1959–62 (closed 2011-03-05)."
)
SOURCE = GroundingSource(TEXT, "The third crossing", "Tarn Bridge - Bridges of Norland")


@pytest.mark.parametrize(
    "said",
    [
        "It weighs 1000 tonnes.",
        "There are 2 towers.",
        "It opened on May 7, 1963.",
        "It opened on 1963-05-07.",
        "It cost 1,500,000 dollars.",
        "It cost $1.5 million.",
        "It was designed until 1962.",
        "It closed on March 5, 2011.",
        "It is the 3rd crossing.",
        "It opened in the 1960s.",
        "It is one of the first.",
    ],
)
def test_numbers_that_the_source_has_in_other_words(said: str) -> None:
    assert SOURCE.lacking_number(Tokens(said)) == ""


@pytest.mark.parametrize(
    ("said", "lacking"),
    [
        ("It opened in 1964.", "1964"),
        ("It opened on 8 May 1963.", "8"),
        ("It has three hundred lamps.", "hundred"),
        ("It has six towers.", "six"),
        ("It cost $1.5 billion.", "billion"),
        ("It opened in the 1970s.", "1970s"),
        ("It weighs 1,001 tonnes.", "1,001"),
        ("It is 1.55 long.", "1.55"),
        ("Bus 99999999999999999999 stops there.", "99999999999999999999"),
    ],
)
def test_numbers_that_the_source_lacks(said: str, lacking: str) -> None:
    assert SOURCE.lacking_number(Tokens(said)) == lacking


@pytest.mark.parametrize(
    "said",
    [
        "Tarn Bridge's towers",
        "The Bridges of Norland",
        "Mia Holt is from Norway",
        "The American firm of Lowe",
        "The United States",
        "The two Towers were Designed by Holt",
        "Opening followed in May",
        "Three of them",
    ],
)
def test_names_that_the_source_has_in_other_words(said: str) -> None:
    assert SOURCE.lacking_name(Tokens(said)) == ""


@pytest.mark.parametrize(
    ("said", "lacking"),
    [
        ("Oslo has a bridge", "Oslo"),
        ("Tarn Bridge is in Sweden", "Sweden"),
        ("Tarn Bridge is Austrian", "Austrian"),
        ("Mia Holtby built it", "Holtby"),
        ("It opened in June", "June"),
        ("It is by Mia Årdal", "Årdal"),
    ],
)
def test_names_that_the_source_lacks(said: str, lacking: str) -> None:
    assert SOURCE.lacking_name(Tokens(said)) == lacking


def test_lacking_name_skips_what_comes_before_the_first() -> None:
    assert SOURCE.lacking_name(Tokens("Whose Tarn Bridge"), first=1) == ""


@pytest.mark.parametrize(
    ("country", "other"),
    [("Italy", "Italian"), ("Japan", "Japanese"), ("Netherlands", "Dutch"), ("Kuwait", "Kuwaiti"),
     ("Indonesia", "Indonesian"), ("France", "French"), ("Poland", "Polish")],
)  # fmt: skip
def test_a_country_stands_for_its_adjective_and_back(country: str, other: str) -> None:
    assert GroundingSource(f"She is {other}.").lacking_name(Tokens(f"She is from {country}.")) == ""
    assert GroundingSource(f"She is from {country}.").lacking_name(Tokens(f"She is {other}.")) == ""


def test_australia_and_austria_are_two() -> None:
    assert (
        GroundingSource("She is Australian.").lacking_name(Tokens("She is from Austria."))
        == "Austria"
    )
    assert (
        GroundingSource("She is from Austria.").lacking_name(Tokens("She is Australian."))
        == "Australian"
    )


def test_names_that_lost_the_space_between_them_are_two() -> None:
    source = GroundingSource("Known for StarletTangerine (21 May 1880October).")
    assert source.lacking_name(Tokens("Known for Tangerine and Starlet, in October.")) == ""


def test_number_behind_a_number_of_the_source_needs_its_own() -> None:
    source = GroundingSource("The mill has 40 sails and cost 1.5 million.")
    assert source.lacking_number(Tokens("It has 40 0000 sails.")) == "0000"
    assert source.lacking_number(Tokens("It cost 1.5 million.")) == ""
