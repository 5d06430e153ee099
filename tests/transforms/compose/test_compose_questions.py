from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from factmill.schemas.ids import content_id, shard_of
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import StageCounts
from factmill.schemas.records import Page, QAPair
from factmill.transforms.compose.compose_questions import (
    MAX_OF_PAGE,
    TABLE,
    ComposeShard,
    LinkQuestions,
    ReadQuestions,
)
from factmill.transforms.compose.link_questions import MAX_BEFORE
from factmill.transforms.tasks.shard_files import shard_writers

# page, title, question, answer
Told = tuple[str, str, str, str]

MILL = ("mill", "Skell Mill")
ADA = ("ada", "Ada Brock - Engineers of Marren")
TOLD: list[Told] = [
    (*MILL, "Who designed Skell Mill?", "Ada Brock"),
    (*MILL, "When was Skell Mill opened?", "1894"),
    (*ADA, "When was Ada Brock born?", "3 March 1851"),
    (*ADA, "Where was Ada Brock born?", "Port Hollin"),
    ("port", "Port Hollin", "What is the population of Port Hollin?", "5,312"),
    ("rail", "Skell Mill", "Where is Skell Mill located?", "Oxley"),
]


def build_of(root: Path, told: Sequence[Told], shards: int) -> BuildDir:
    build = BuildDir(root)
    build.work.mkdir(parents=True)
    for shard in range(shards):
        pages, pairs = {}, []
        for page, title, question, answer in told:
            if shard_of(page, shards) != shard:
                continue
            pages[page] = Page(page, page, "", title, "", "en", None, "")
            unit = content_id("unit", page, question, answer)
            pairs.append(QAPair(unit, "s", page, 0, question, answer, 0, 1, (), "r"))
        with shard_writers(build, shard, ["10_pages", "21_qa_pairs"]) as (page_rows, pair_rows):
            page_rows.add(pages.values())
            pair_rows.add(pairs)
    return build


def compose(root: Path, told: Sequence[Told], shards: int = 3) -> list[dict[str, Any]]:
    """The rows of all shards, by id; each with its shard."""
    build = build_of(root, told, shards)
    for shard in range(shards):
        ReadQuestions(build)(shard)
    LinkQuestions(build, shards)(0)
    found, counts = [], StageCounts()
    for shard in range(shards):
        counts += ComposeShard(build)(shard)
        table = pq.read_table(build.part(TABLE, shard), partitioning=None)
        found += [row | {"shard": shard} for row in table.to_pylist()]
    assert counts.balanced
    assert counts.records_in == len(told)
    assert counts.produced[TABLE] == len(found)
    return sorted(found, key=lambda row: str(row["composed_id"]))


def questions(rows: list[dict[str, Any]], kind: str) -> set[str]:
    return {row["question"] for row in rows if row["kind"] == kind}


def test_compose_joins_pages_by_title_and_answers_by_name(tmp_path: Path) -> None:
    rows = compose(tmp_path, TOLD)
    assert questions(rows, "chain") == {
        "When was the designer of Skell Mill born?",
        "Where was the designer of Skell Mill born?",
        "What is the population of the place where Ada Brock was born?",
        "What is the population of the place where the designer of Skell Mill was born?",
    }
    assert questions(rows, "compound") == {
        "When and where was Ada Brock born?",
        "Who designed Skell Mill, and when was it opened?",
        "Who designed Skell Mill, and where is it located?",
        "When was Skell Mill opened, and where is it located?",
        "Who designed Skell Mill, when was it opened, and where is it located?",
    }


def test_compose_row_says_where_its_answer_comes_from(tmp_path: Path) -> None:
    (row,) = (row for row in compose(tmp_path, TOLD) if len(row["parts"]) == 3
              and row["kind"] == "chain")  # fmt: skip
    assert (row["answer"], row["entity"], row["page_id"]) == ("5,312", "Skell Mill", "mill")
    assert row["shard"] == shard_of("mill", 3)
    assert [part["answer"] for part in row["parts"]] == ["Ada Brock", "Port Hollin", "5,312"]
    assert [part["page_id"] for part in row["parts"]] == ["mill", "ada", "port"]
    assert [part["asked"] for part in row["parts"]] == [
        "Who designed Skell Mill?",
        "Where was the designer of Skell Mill born?",
        row["question"],
    ]
    (compound,) = (row for row in compose(tmp_path / "b", TOLD) if row["entity"] == "Ada Brock"
                   and row["kind"] == "compound")  # fmt: skip
    assert compound["answer"] == "3 March 1851; Port Hollin"


@pytest.mark.parametrize("shards", [1, 2, 7])
def test_compose_is_the_same_for_any_order_and_shards(tmp_path: Path, shards: int) -> None:
    def content(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{key: row[key] for key in row if key != "shard"} for row in rows]

    one = compose(tmp_path / "one", TOLD)
    other = compose(tmp_path / "other", TOLD[::-1], shards)
    assert content(one) == content(other)


def test_compose_keeps_its_rows_when_other_pages_come(tmp_path: Path) -> None:
    more = [(f"x{n}", f"Ox Inn {n}", f"When was Ox Inn {n} built?", f"19{n}") for n in range(30)]
    before = compose(tmp_path / "before", TOLD)
    after = compose(tmp_path / "after", [*more, *TOLD])
    assert [row for row in after if row["page_id"] in {"mill", "ada", "port", "rail"}] == before


@pytest.mark.parametrize(
    "stranger",
    [
        # another of the name, told apart by its title
        ("film", "Ada Brock (film)", "Who directed Grey Heron?", "Tom Hale"),
        # another of the name, told apart by what is said of it
        ("other", "Ada Brock", "When was Ada Brock born?", "1990"),
    ],
)
def test_compose_does_not_join_pages_of_a_shared_name(tmp_path: Path, stranger: Told) -> None:
    rows = compose(tmp_path, [*TOLD, stranger])
    assert not any("the designer of" in row["question"] for row in rows)
    for row in rows:
        if row["entity"] == "Ada Brock" and row["kind"] == "compound":
            assert len({part["page_id"] for part in row["parts"]}) == 1


def test_compose_does_not_join_names_that_no_title_gives(tmp_path: Path) -> None:
    told = [
        ("a", "Mills", "Who designed Skell Mill?", "Ada Brock"),
        ("b", "Marren", "When was Ada Brock born?", "1851"),
        ("c", "Towns", "When was Skell Mill opened?", "1894"),
        ("d", "Ada", "Who taught Ada?", "Tom Hale"),
        ("e", "Ada", "When was Ada born?", "1851"),
    ]
    assert compose(tmp_path, told) == []
    same = [("a", "Mills", question, answer) for _, _, question, answer in told[:3]]
    assert len(compose(tmp_path / "same", same)) == 2


def test_compose_of_a_name_that_many_answer_with_stays_bounded(tmp_path: Path) -> None:
    many = [(f"m{n}", f"Ox Mill {n}", f"Who designed Ox Mill {n}?", "Ada Brock") for n in range(50)]
    rows = compose(tmp_path, [*many, TOLD[2]])
    assert len(questions(rows, "chain")) == MAX_BEFORE


def test_compose_rows_of_a_page_stay_bounded(tmp_path: Path) -> None:
    told = [
        ("guide", "Guide", f"{ask} Ox Mill of Town{chr(97 + n)}?".replace("town", "Town"), answer)
        for n in range(20)
        for ask, answer in (("Who built", f"Tom Hale {n}"), ("When was opened", str(1800 + n)))
    ]
    told = [(page, title, question, answer) for page, title, question, answer in told]
    rows = compose(tmp_path, told)
    assert len(rows) == MAX_OF_PAGE


def test_compose_nothing_is_empty_tables(tmp_path: Path) -> None:
    assert compose(tmp_path, []) == []


@pytest.mark.parametrize("name", ["shard=1", "a [b]", "it's"])
def test_compose_in_a_folder_of_any_name(tmp_path: Path, name: str) -> None:
    assert len(compose(tmp_path / name, TOLD)) == len(compose(tmp_path / "plain", TOLD))
