"""How old a page may be for a question whose answer changes."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from factmill.models.answering.attributes.attributes import Attributes, Domain, Dynamism
from factmill.runtime.answers.freshness import is_fresh

NOW = datetime(2024, 3, 13, tzinfo=timezone.utc)
MOMENT = timedelta(microseconds=1)


@pytest.mark.parametrize(
    ("dynamism", "oldest"),
    [
        (Dynamism.REAL_TIME, timedelta(days=1)),
        (Dynamism.FAST, timedelta(days=7)),
        (Dynamism.SLOW, timedelta(days=365)),
    ],
)
def test_page_is_fresh_up_to_the_age_for_the_dynamism(
    dynamism: Dynamism, oldest: timedelta
) -> None:
    attributes = Attributes(Domain.OPEN, dynamism)

    assert is_fresh(attributes, NOW - oldest, NOW)
    assert not is_fresh(attributes, NOW - oldest - MOMENT, NOW)
    assert not is_fresh(attributes, None, NOW)


def test_any_page_is_fresh_for_an_answer_that_does_not_change() -> None:
    assert is_fresh(Attributes(Domain.OPEN, Dynamism.STATIC), None, NOW)
