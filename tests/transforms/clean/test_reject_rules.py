from __future__ import annotations

from collections.abc import Callable

import pytest

from factmill.schemas.errors import Rejected
from factmill.transforms.clean.reject_rules import (
    MAX_SENTENCES,
    MIN_LINE_CHARACTERS,
    reject_empty,
    reject_kind,
    reject_language,
    reject_menu,
    reject_too_many_sentences,
)

LINE = "x" * MIN_LINE_CHARACTERS


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (lambda: reject_menu(["Home", LINE[1:]], ()), "no_text"),
        (lambda: reject_empty("", ()), "no_text"),
        (lambda: reject_language("de", {"en", "fr"}), "other_language"),
        (lambda: reject_kind("forum", {"article", "product"}), "other_kind"),
        (lambda: reject_too_many_sentences(MAX_SENTENCES + 1), "too_large"),
    ],
)
def test_page_that_breaks_a_rule_is_rejected_with_its_reason(
    rule: Callable[[], None], reason: str
) -> None:
    with pytest.raises(Rejected) as rejected:
        rule()
    assert rejected.value.reason == reason
    assert rejected.value.detail


def test_page_at_the_limit_of_every_rule_is_kept() -> None:
    reject_menu(["Home", LINE], ())
    reject_menu(["Home"], ("| a | b |",))
    reject_empty("text", ())
    reject_empty("", ("| a | b |",))
    reject_language("de", {"de"})
    reject_language("de", ())
    reject_language("", {"en"})  # too short to tell
    reject_kind("forum", {"forum"})
    reject_kind("forum", ())
    reject_kind("", {"forum"})  # text without markup
    reject_too_many_sentences(MAX_SENTENCES)
