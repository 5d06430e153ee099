"""Two nouns that say what one thing is."""

import pytest

from factmill.models.readers.heuristic.joint_nouns import split_joint_nouns
from tests.models.readers.heuristic.splitting import split_by


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "Oslo is the capital and largest city of Norway.",
            ["Oslo is the capital of Norway", "Oslo is the largest city of Norway"],
        ),
        (
            "Tom Hale is a founder and editor of Skerrow.",
            ["Tom Hale is a founder of Skerrow", "Tom Hale is an editor of Skerrow"],
        ),
        (
            "Tom Hale was the son of Ola Hale and the founder of the club.",
            ["Tom Hale was the son of Ola Hale", "Tom Hale was the founder of the club"],
        ),
        (
            "Tom Hale was King of Norway (1492–1501) and Duke of Bergen.",
            ["Tom Hale was King of Norway (1492–1501)", "Tom Hale was Duke of Bergen"],
        ),
    ],
)
def test_split_joint_nouns_gives_statements(sentence: str, expected: list[str]) -> None:
    assert split_by(split_joint_nouns, sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "Oslo is the largest and oldest city of Norway.",  # one city
        "Tom Hale is the father of actor Ola Hale and the singer Anna Lund.",
        "Oslo is the capital and largest city of Norway and the seat of its king.",
        "Tom Hale met the founder and editor of Skerrow.",
    ],
)
def test_split_joint_nouns_leaves_what_it_cannot_be_sure_of(sentence: str) -> None:
    assert split_by(split_joint_nouns, sentence) == []
