from __future__ import annotations

import pytest

from factmill.models.answering.decomposing.local_decomposer import local_plan
from factmill.models.answering.decomposing.noun_chains import noun_chain
from factmill.models.answering.decomposing.question_plan import Combining


@pytest.mark.parametrize(
    ("phrase", "name", "relations"),
    [
        ("the director of film Jaws", "Jaws", ("director",)),
        ("Bach's wife's father", "Bach", ("spouse", "father")),
        ("the mother of the director of Jaws", "Jaws", ("director", "mother")),
        ("the mother-in-law of Ann Lee", "Ann Lee", ("spouse", "mother")),
        ("Ann Lee's paternal grandfather", "Ann Lee", ("father", "father")),
        ("The Director", "The Director", ()),
        ("King of Hearts", "King of Hearts", ()),
        ("Ryan's Daughter", "Ryan's Daughter", ()),
    ],
)
def test_a_noun_chain_leads_from_its_name_outwards(
    phrase: str, name: str, relations: tuple[str, ...]
) -> None:
    assert noun_chain(phrase) == (name, relations)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        (
            "When did Ann Lee's mother die?",
            ["Who is the mother of Ann Lee?", "When did [1] die?"],
        ),
        (
            "What is the place of birth of the performer of song Changed It?",
            ["Who is the performer of Changed It?", "Where was [1] born?"],
        ),
        (
            "What nationality is the director of film Blood Street?",
            ["Who is the director of Blood Street?", "What is the nationality of [1]?"],
        ),
        (
            "How many people does the mill employ that gives to Oss Fair?",
            ["Which mill gives to Oss Fair?", "How many people does [1] employ?"],
        ),
        (
            "What does the woman who won the race in Oss do for a living?",
            ["Who was the woman who won the race in Oss?", "What does [1] do for a living?"],
        ),
        ("Who is the uncle of Ann Lee?", [
            "Who is the father of Ann Lee?", "Who is the sibling of [1]?"]),
        ("When was the bridge built?", ["When was the bridge built?"]),
        ("Why do boats return?", ["Why do boats return?"]),
        ("How long is the tunnel in which it lies?", ["How long is the tunnel in which it lies?"]),
    ],
)  # fmt: skip
def test_chains_become_questions_that_need_each_other(question: str, asked: list[str]) -> None:
    plan = local_plan(question)

    assert [one.question for one in plan.questions] == asked
    assert plan.combining is Combining.LAST
    assert [one.needs for one in plan.questions] == [
        (str(number),) if number else () for number in range(len(asked))
    ]


def test_what_is_not_known_is_not_compared() -> None:
    assert local_plan("Which is colder, Tarn or Holm?").combining is Combining.LAST
    assert local_plan("Which town has a river, Tarn or Holm?").combining is Combining.FIT


@pytest.mark.parametrize(
    ("question", "combining", "asked"),
    [
        ("Who is older, Ann Lee or Bob Fry?", Combining.LEAST, "When was {} born?"),
        ("Who is younger, Ann Lee or Bob Fry?", Combining.MOST, "When was {} born?"),
        ("Who died later, Ann Lee or Bob Fry?", Combining.MOST, "When did {} die?"),
        ("Was Ann Lee or Bob Fry born first?", Combining.LEAST, "When was {} born?"),
        ("Who was born first out of Ann Lee and Bob Fry?", Combining.LEAST, "When was {} born?"),
        ("Which came out first, Ann Lee or Bob Fry?", Combining.LEAST, "When was {} released?"),
        ("Which was founded first, Ann Lee or Bob Fry?", Combining.LEAST, "When was {} founded?"),
        ("Which tower is taller, Ann Lee or Bob Fry?", Combining.MOST, "How tall is {}?"),
        ("Which ship is heavier, Ann Lee or Bob Fry?", Combining.MOST, "How heavy is {}?"),
        ("Which ship is slower, Ann Lee or Bob Fry?", Combining.LEAST, "How fast is {}?"),
        ("Which is more expensive, Ann Lee or Bob Fry?", Combining.MOST,
         "How much does {} cost?"),
        ("Which lake has fewer islands, Ann Lee or Bob Fry?", Combining.LEAST,
         "How many islands does {} have?"),
        ("Are Ann Lee and Bob Fry of the same nationality?", Combining.SAME,
         "What is the nationality of {}?"),
        ("Are Ann Lee and Bob Fry located in the same country?", Combining.SAME,
         "Which country is {} located in?"),
        ("Were both Ann Lee and Bob Fry, born in the same place?", Combining.SAME,
         "Where was {} born?"),
    ],
)  # fmt: skip
def test_comparisons_ask_the_same_of_both(question: str, combining: Combining, asked: str) -> None:
    plan = local_plan(question)

    assert plan.combining is combining
    assert plan.options == ("Ann Lee", "Bob Fry")
    assert [one.question for one in plan.questions] == [
        asked.format("Ann Lee"), asked.format("Bob Fry"),
    ]  # fmt: skip
    assert plan.values == (("1",), ("2",))


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What is the award that the director of Tarn won?", "Which award has [1] won?"),
        ("Which award the director of film Tarn received?", "Which award has [1] received?"),
        ("What is the ship that the author of Tarn owned?", "Which ship has [1] owned?"),
    ],
)
def test_what_somebody_won_is_asked_of_who_that_is(question: str, asked: str) -> None:
    who, what = local_plan(question).questions

    assert (who.question.endswith("of Tarn?"), what.question) == (True, asked)


def test_titles_may_have_commas_before_them_and_a_capital_and() -> None:
    plan = local_plan("Are both films, Tarn And Saw and Oss, from the same country?")

    assert plan.options == ("Tarn And Saw", "Oss")


def test_a_comparison_of_what_belongs_to_the_options_asks_for_that_first() -> None:
    plan = local_plan("Which film has the director who died first, Tarn or Saw?")

    assert [one.question for one in plan.questions] == [
        "Who is the director of Tarn?", "When did [1] die?",
        "Who is the director of Saw?", "When did [3] die?",
    ]  # fmt: skip
    assert plan.values == (("2",), ("4",))


def test_a_life_is_two_dates() -> None:
    plan = local_plan("Who lived longer, Ann Lee or Bob Fry?")

    assert (plan.combining, plan.values) == (Combining.LONGEST, (("1", "2"), ("3", "4")))


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        (
            "When did the keeper who saved the crew of the Otter die?",
            "Who was the keeper who saved the crew of the Otter?", "When did [1] die?",
        ),
        (
            "In which year was the firm founded that bakes the Petit Oss?",
            "Which firm bakes the Petit Oss?", "In which year was [1] founded?",
        ),
        (
            "Who leads the firm that bakes the Petit Oss?",
            "Which firm bakes the Petit Oss?", "Who leads [1]?",
        ),
    ],
)  # fmt: skip
def test_what_is_described_is_found_first(question: str, first: str, second: str) -> None:
    plan = local_plan(question)

    assert [one.question for one in plan.questions] == [first, second]
    assert plan.questions[1].needs == ("1",)


def test_a_clause_with_a_subject_of_its_own_describes_nothing_by_itself() -> None:
    assert len(local_plan("Who wrote the book that the film is based on?").questions) == 1


def test_what_several_parts_need_is_asked_once() -> None:
    plan = local_plan("When was the director of Jaws born, and where did he die?")

    asked = [(one.question, one.needs) for one in plan.questions]
    assert asked == [
        ("Who is the director of Jaws?", ()), ("When was [1] born?", ("1",)),
        ("Where did [1] die?", ("1",)),
    ]  # fmt: skip
    assert (plan.combining, plan.values) == (Combining.ALL, (("2",), ("3",)))


def test_who_is_named_by_a_deed_is_found_first() -> None:
    plan = local_plan("In which town was the painter of The Red Barn born?")

    asked = [one.question for one in plan.questions]
    assert asked == ["Who was the painter of The Red Barn?", "In which town was [1] born?"]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Which is older, the Fenby Mill or the Oss Museum?", "When was the Fenby Mill founded?"),
        ("Which is older, Fenby Mill or Oss Museum?", "When was Fenby Mill founded?"),
        ("Who is older, Ann or Bob?", "When was Ann born?"),
        ("Which film came out first, The Mill or The Barn?", "When was The Mill released?"),
    ],
)
def test_things_are_as_old_as_they_were_founded(question: str, first: str) -> None:
    assert local_plan(question).questions[0].question == first


@pytest.mark.parametrize(
    ("question", "combining", "asked"),
    [
        ("Is the Fell Tower taller than the Tarn Tower?", Combining.MOST, "How tall is {}?"),
        ("Is the Fell Tower older than the Tarn Tower?", Combining.LEAST, "When was {} founded?"),
        ("Was the Fell Tower built after the Tarn Tower?", Combining.MOST, "When was {} founded?"),
        ("Did the Fell Tower die before the Tarn Tower?", Combining.LEAST, "When did {} die?"),
        ("Does the Fell Tower have more steps than the Tarn Tower has?", Combining.MOST,
         "How many steps does {} have?"),
    ],
)  # fmt: skip
def test_a_claim_about_two_is_the_choice_between_them(
    question: str, combining: Combining, asked: str
) -> None:
    plan = local_plan(question)

    assert plan.options == ("the Fell Tower", "the Tarn Tower")
    assert plan.combining is combining
    assert [one.question for one in plan.questions] == [asked.format(one) for one in plan.options]
    assert plan.choice.endswith(", the Fell Tower or the Tarn Tower?")


@pytest.mark.parametrize(
    "question",
    [
        "Was the Fell Tower built before 1900?",
        "Was the Fell Tower built before May 1900?",
        "Is the Fell Tower taller than a tree?",
        "Is the Fell Tower red?",
        "How old was the Fell Tower when it was sold?",
        "How many years after its opening was it?",
        "What was the name of the drifter that Captain Renn used?",
        "Which engine hauls the trains between Tarn and Lower Hollin?",
        "How many seats did Quarry Lane gain between March and October 2023?",
    ],
)
def test_other_questions_compare_no_two_things_and_no_two_dates(question: str) -> None:
    plan = local_plan(question)

    assert (plan.choice, plan.values) == ("", ())
    assert [one.question for one in plan.questions] == [question]


@pytest.mark.parametrize(
    ("question", "combining", "asked"),
    [
        (
            "How old was Ann Lee when she died?", Combining.AGE,
            ["When was Ann Lee born?", "When did Ann Lee die?"],
        ),
        (
            "At what age did Ann Lee die?", Combining.AGE,
            ["When was Ann Lee born?", "When did Ann Lee die?"],
        ),
        (
            "How many years passed between the founding of Tarn Mill and Ann Lee's death?",
            Combining.YEARS, ["When was Tarn Mill founded?", "When did Ann Lee die?"],
        ),
        (
            "How many years after its opening was Tarn Mill closed?", Combining.YEARS,
            ["When was Tarn Mill opened?", "When was Tarn Mill closed?"],
        ),
        (
            "How long after its opening did the Fell Railway run its last train?", Combining.YEARS,
            ["When was the Fell Railway opened?", "When did the Fell Railway run its last train?"],
        ),
        (
            "How many years passed between the last eels in the Fell and their return?",
            Combining.AFTER,
            ["When was the last eels in the Fell?", "When was the eels' return (the Fell)?"],
        ),
        (
            "How many years went by between the Dunlin's first run and its last journey?",
            Combining.AFTER,
            ["When was the Dunlin's first run?", "When was the Dunlin's last journey?"],
        ),
        (
            "How many years after its first run was the Dunlin sold?", Combining.AFTER,
            ["When was the Dunlin's first run?", "When was the Dunlin sold?"],
        ),
        (
            "How many years before the great fire was Tarn Mill sold?", Combining.AFTER,
            ["When was Tarn Mill sold?", "When was the great fire (Tarn Mill)?"],
        ),
        (
            "How old was Tarn Mill when it first made paper?", Combining.AFTER,
            ["When was Tarn Mill founded?", "When was it that Tarn Mill first made paper?"],
        ),
        (
            "Was Tarn Mill sold before or after its opening?", Combining.ORDER,
            ["When was Tarn Mill sold?", "When was Tarn Mill opened?"],
        ),
        (
            "Did Ann Lee die before or after moving to Elland?", Combining.ORDER,
            ["When did Ann Lee die?", "When was Ann Lee moving to Elland?"],
        ),
        (
            "Did Ann Lee die after or before the mill was sold?", Combining.ORDER,
            ["When did Ann Lee die?", "When was the mill sold?"],
        ),
        (
            "Did the Tarn Rovers win before or after their best season?", Combining.ORDER,
            ["When did the Tarn Rovers win?", "When was the best season of the Tarn Rovers?"],
        ),
        (
            "Did Ann Lee die before or after the war?", Combining.ORDER,
            ["When did Ann Lee die?", "When was the war?"],
        ),
        (
            "For how many years was Ann Lee the mayor?", Combining.LASTED,
            ["For how many years was Ann Lee the mayor?", "When was Ann Lee the mayor?"],
        ),
    ],
)  # fmt: skip
def test_the_time_between_two_events_needs_their_dates(
    question: str, combining: Combining, asked: list[str]
) -> None:
    plan = local_plan(question)

    assert plan.combining is combining
    assert [one.question for one in plan.questions] == asked
    assert plan.values == (("1",), ("2",))


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What was the name of Ann Lee's husband?", ["Who is the spouse of Ann Lee?"]),
        (
            "What was the name of the father of the man who designed the Tarn Tower?",
            ["Who was the man who designed the Tarn Tower?", "Who was the father of [1]?"],
        ),
        (
            "Who was the father of the man who designed the Tarn Tower?",
            ["Who was the man who designed the Tarn Tower?", "Who was the father of [1]?"],
        ),
        (
            "Where was the mother of the man who wrote Dune born?",
            ["Who is the mother of the man who wrote Dune?", "Where was [1] born?"],
        ),
    ],
)
def test_relatives_of_somebody_described_need_that_one_and_a_name_is_who_it_is(
    question: str, asked: list[str]
) -> None:
    assert [one.question for one in local_plan(question).questions] == asked


def test_an_endless_question_stays_whole() -> None:
    steps = "Who is " + "the mother of " * 16 + "Ann?"
    assert len(local_plan(steps).questions) == 16
    for endless in (
        steps.replace("Ann", "the mother of Ann"),
        "When was the mother of Ann " + "- " * 990 + "born?",
    ):
        assert [one.question for one in local_plan(endless).questions] == [endless]
