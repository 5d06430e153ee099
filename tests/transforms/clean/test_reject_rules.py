from __future__ import annotations

from collections.abc import Callable

import pytest

from factmill.schemas.errors import Rejected
from factmill.transforms.clean.reject_rules import (
    MAX_SENTENCES,
    MIN_LINE_CHARACTERS,
    reject_empty,
    reject_for_programs,
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


@pytest.mark.parametrize(
    "text",
    [
        "# all\nUser-agent: *\nDisallow: /private\nSitemap: https://example.org/map.xml",
        '<?xml version="1.0"?>\n<rss><channel><title>News</title></channel></rss>',
        "#EXTM3U\n#EXTINF:123,Tom Hale - Blues\nblues.mp3",
        "#!/bin/sh\necho hello",
        "function f(a) {\n  return a;\n}\nvar b = f(1);\nb();",
    ],
)
def test_reject_for_programs_text_that_no_person_reads_is_rejected(text: str) -> None:
    with pytest.raises(Rejected) as caught:
        reject_for_programs(text)
    assert caught.value.reason == "for_programs"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Oslo is the capital of Norway.",
        "# Oslo: a guide\n## What to see",
        "* Oslo\n* Bergen\n* Trondheim\n* Stavanger\n* Bodø",
        "Allow: this is what the sign said.\nNobody knew why.",
    ],
)
def test_reject_for_programs_text_of_people_stays(text: str) -> None:
    reject_for_programs(text)
