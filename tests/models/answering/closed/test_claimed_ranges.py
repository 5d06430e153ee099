from __future__ import annotations

import pytest

from factmill.models.answering.closed.claimed_ranges import claimed_range


@pytest.mark.parametrize(
    ("question", "text", "holds"),
    [
        ("Was it built in the 20th century?", "It was built in 1901.", True),
        ("Was it built in the 20th century?", "It was built in 2000.", True),
        ("Was it built in the 20th century?", "It was built in 1900.", False),
        ("Was it built in the 1890s?", "It was built in 1890.", True),
        ("Was it built in the 1890s?", "It was built in 1900.", False),
        ("Has it more than 12 rooms?", "It has 14 rooms.", True),
        # A year is not the number of anything else.
        ("Has it more than 12 rooms?", "In 1990 it had 14 rooms.", True),
        ("Has it more than 12 rooms?", "It has 14 rooms and 20 beds.", None),
        ("Has it between 2 and 4 rooms?", "It has 5 rooms.", False),
        ("Has it rooms?", "It has 14 rooms.", None),
    ],
)
def test_the_one_year_or_number_of_a_sentence_lies_in_a_claimed_range_or_not(
    question: str, text: str, holds: bool | None
) -> None:
    claim = claimed_range(question)

    assert (claim.holds(text) if claim else None) is holds
