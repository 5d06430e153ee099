from __future__ import annotations

import pytest

from factmill.transforms.inputs.markdown_files import markdown_to_page
from factmill.transforms.inputs.raw_page import RawPage
from tests.transforms.clean.cleaned import clean_page

PAGE = """---
title: "The harbour: a <guide>"
url: https://a.example/harbour
Date: 2024-05-06
tags: [a, b]
---
# Port Elland

The harbour has two [ferries](https://a.example/f) that leave every morning at *nine*, all year.

## Ships

- The first ship was built in 1931 and is still in use on the northern route today.
- The second ship was built in 1955 and is used in summer only, for it has no heating.

| Ship | Built |
|------|-------|
| Anna | 1931  |
| Bert | 1955  |

```
timetable --port elland
```
"""


def test_markdown_to_page_front_matter_is_read_as_lines() -> None:
    page = markdown_to_page(PAGE)
    assert (page.title, page.url, page.date) == (
        "The harbour: a <guide>", "https://a.example/harbour", "2024-05-06",
    )  # fmt: skip
    assert "tags" not in page.html
    assert "<title>The harbour: a &lt;guide&gt;</title>" in page.html


@pytest.mark.parametrize(
    "markdown", ["text\n---\ntitle: x\n---\n", "---\ntitle: x\nno end\n", "---\n\ntext\n"]
)
def test_markdown_to_page_lines_elsewhere_are_no_front_matter(markdown: str) -> None:
    assert markdown_to_page(markdown).title == ""


def test_markdown_to_page_goes_through_cleaning_with_its_table() -> None:
    clean = clean_page(RawPage("x", html=markdown_to_page(PAGE).html))
    for words in ("ferries that leave every morning at nine", "Ships", "still in use on"):
        assert words in clean.page.text
    tables = [segment.text for segment in clean.segments if segment.kind == "table"]
    assert len(tables) == 1
    assert "1955" in tables[0]


@pytest.mark.parametrize(
    "repeated", ["[", "![[", "*a **a ", "> ", "a|b\n-|-\n", "[a](", "---\n", "- "]
)
def test_markdown_to_page_hostile_text_ends(repeated: str) -> None:
    assert markdown_to_page("---\n" + repeated * (30_000 // len(repeated))).html
