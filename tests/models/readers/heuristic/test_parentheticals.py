"""What stands between a subject and its verb."""

import pytest

from factmill.models.readers.heuristic.parentheticals import (
    LINK_RULES,
    LinkRule,
    find_parenthetical,
    linking_words,
    split_parenthetical,
)
from tests.models.readers.heuristic.splitting import split_by


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "Oslo, often a name for Norway, is a port.",
            ["Oslo is a port", "Oslo is often a name for Norway"],
        ),
        (
            "Tom Hale (Oslo, Norway; 1 May 1900), known as Skerrow, is a painter.",
            ["Tom Hale (Oslo, Norway; 1 May 1900) is a painter", "Tom Hale is known as Skerrow"],
        ),
        (
            "Tom Hale, who was a painter, died in 1900.",
            [
                "Tom Hale died in 1900",
                "Tom Hale was a painter",
            ],
        ),
        (
            "Oslo, the capital of Norway, is a port.",
            [
                "Oslo is a port",
                "Oslo is the capital of Norway",
            ],
        ),
        (
            "Tom Hale, a painter from Oslo, was a friend of Ola Berg.",
            [
                "Tom Hale was a friend of Ola Berg",
                "Tom Hale was a painter from Oslo",
            ],
        ),
        (
            "The coast, which overlooks the sea, is steep.",
            [
                "The coast is steep",
                "The coast overlooks the sea",
            ],
        ),
        (
            "The Treaty of 1905, also known as the Pact, was signed in Oslo.",
            [
                "The Treaty of 1905 was signed in Oslo",
                "The Treaty of 1905 was also known as the Pact",
            ],
        ),
        (
            "The University of Lund, founded in 1666, is old.",
            ["The University of Lund is old", "The University of Lund was founded in 1666"],
        ),
        (
            "Anna Lund, born in Oslo, is a singer.",
            [
                "Anna Lund is a singer",
                "Anna Lund was born in Oslo",
            ],
        ),
        (
            "Skerrow Hall, located in Rome, New York, has a tower.",
            [
                "Skerrow Hall has a tower",
                "Skerrow Hall is located in Rome, New York",
            ],
        ),
    ],
)
def test_split_parenthetical_gives_statements(sentence: str, expected: list[str]) -> None:
    assert split_by(split_parenthetical, sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "Anna Lund, born in Oslo in 1867, died in Rome in 1934, was a painter.",
        "The coast of Norway, the land of fjords, is steep.",  # the coast or Norway
        "Tom Hale, the painter, and Anna Lund, the singer, were here.",
        "The success of Skerrow, published in 1836, was great.",  # Skerrow was published
        "In Oslo, a town in Norway, is a tower.",
        "Tom Hale, a painter from Oslo, said so.",  # he may still be one
        "Oslo, Bergen, and Lund are towns.",
        "He argued that the towns, based on trade, were rich.",
        '"Oslo", a song by Tom Hale, was a hit.',
        "Tom Hale, who painters like, was here.",  # not the subject of the aside
    ],
)
def test_split_parenthetical_leaves_what_it_cannot_be_sure_of(sentence: str) -> None:
    assert split_by(split_parenthetical, sentence) == []


each_rule = pytest.mark.parametrize("rule", LINK_RULES, ids=lambda rule: rule.name)


@each_rule
def test_split_parenthetical_of_the_rules_example(rule: LinkRule) -> None:
    assert split_by(split_parenthetical, rule.example)[1:] == [rule.states] * bool(rule.states)


@each_rule
def test_linking_words_without_the_rule_reads_its_example_otherwise(rule: LinkRule) -> None:
    found = find_parenthetical(rule.example)
    assert found is not None
    others = [other for other in LINK_RULES if other is not rule]
    assert linking_words(found, others) != linking_words(found)
