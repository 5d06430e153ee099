from __future__ import annotations

import pytest

from factmill.models.text.sites import site_of


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://www.A.example:8080/x?y", "a.example"),
        ("http://a.example", "a.example"),
        ("https://www2.a.example/", "www2.a.example"),
        ("", ""),
        ("no url", ""),
        ("http://[broken/", ""),
    ],
)
def test_site_of(url: str, site: str) -> None:
    assert site_of(url) == site
