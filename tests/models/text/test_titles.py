from __future__ import annotations

import pytest

from factmill.models.text.titles import Title, read_title


@pytest.mark.parametrize(
    ("title", "name", "shared"),
    [
        ("Skell Mill", "Skell Mill", False),
        ("Grey Heron (film)", "Grey Heron", True),
        ("Skell Mill | Marren Valley", "Skell Mill", False),
        ("Grey Heron (1951 film) - Film Guide", "Grey Heron", True),
        ("", "", False),
    ],
)
def test_read_title_is_the_name_without_site_and_parenthesis(
    title: str, name: str, shared: bool
) -> None:
    assert read_title(title) == Title(name, shared)
