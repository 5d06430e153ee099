"""The rules together: what falls out of a clause, and what holds for any."""

from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.models.readers.heuristic.aligned_text import verbatim
from factmill.models.readers.heuristic.decomposition import MAX_PARTS, decompose


def told(sentence: str) -> list[str]:
    return [part.aligned.text for part in decompose(verbatim(sentence, 0, len(sentence)))]


def test_decompose_rules_work_on_each_others_parts() -> None:
    assert told(
        "Anna Lund (born 9 April 1867) is a painter and poet known for maps and was born in Rome."
    ) == [
        "Anna Lund is a painter",
        "Anna Lund is a poet known for maps",
        "Anna Lund was born in Rome.",
        "Anna Lund was born 9 April 1867",
    ]
    assert told("Skerrow, a 1974 film, was written by Tom Hale and starred Anna Lund.") == [
        "Skerrow was written by Tom Hale",
        "Skerrow starred Anna Lund.",
        "Skerrow was a 1974 film",
    ]


def test_decompose_brackets_that_do_not_close_leave_the_clause_whole() -> None:
    sentence = "Oslo (a town is a large port that has a light."
    assert told(sentence) == [sentence]


def test_decompose_catalogue_is_left_whole() -> None:
    firms = ", ".join(f"Tom Hale{'abcdefghijklmnopqrstuvwxyz'[i]}" for i in range(9))
    sentence = f"The film stars {firms} and Anna Lund."
    assert len(told(sentence)) == 10 < MAX_PARTS
    clauses = ", ".join(f"led the team of {year}" for year in range(1900, 1920))
    sentence = f"Tom Hale founded the club, {clauses} and wrote its song."
    assert told(sentence) == [sentence]


_WORDS_AND_MARKS = (
    "Tom Hale|Anna Lund|Oslo|the town|The town|She|is|was|a|an|painter|port|born in|directed by|,"
    "|and|but|, who|, which|that|(born 1867)|(1 May 1800 – 2 June 1870)|, a|, where|starring|won"
    '|led|1990|Although|Born in|, winning|in|of|"|“|.|;|)'
).split("|")


@settings(max_examples=200)
@given(st.lists(st.sampled_from(_WORDS_AND_MARKS), min_size=1, max_size=24).map(" ".join))
def test_decompose_any_clause_parts_are_made_of_its_words(sentence: str) -> None:
    parts = [part.aligned for part in decompose(verbatim(sentence, 0, len(sentence)))]
    assert 1 <= len(parts) <= MAX_PARTS
    for part in parts:
        start, end = part.evidence()
        assert 0 <= start < end <= len(sentence)
        assert part.text.strip()
        for span in part.spans:
            assert part.text[span.start : span.end] == sentence[span.source_start : span.source_end]
