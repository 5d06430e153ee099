from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from factmill.models.text.urls import canonical_url_of, without_tokens

HOST = "http://example.com"


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("HTTP://Example.COM:80/a/../b/./c?x=1&utm_source=a#part", f"{HOST}/b/c?x=1"),
        ("http://example.com", f"{HOST}/"),
        ("http://example.com?id=1", f"{HOST}/?id=1"),
        ("https://example.com:443/a", "https://example.com/a"),
        ("https://example.com:80/a", "https://example.com:80/a"),
        ("http://example.com:/a", f"{HOST}/a"),
        ("http://example.com./a", f"{HOST}/a"),
        ("http://user:secret@example.com/", f"{HOST}/"),
        ("http://example.com/%7euser/%e4%b8%ad", f"{HOST}/~user/%E4%B8%AD"),
        ("http://example.com/中 文", f"{HOST}/%E4%B8%AD%20%E6%96%87"),
        ("http://example.com/100%", f"{HOST}/100%25"),
        ("http://example.com/%%34%31", f"{HOST}/%2541"),
        ("http://example.com/a/b/..", f"{HOST}/a/"),
        ("http://example.com/../../a", f"{HOST}/a"),
        ("http://example.com/a/%2e%2E/b", f"{HOST}/b"),
        ("http://bücher.example/ü?ä=ö", "http://xn--bcher-kva.example/%C3%BC?%C3%A4=%C3%B6"),
        ("http://straße.example/", "http://xn--strae-oqa.example/"),
        ("  <http://example.com/a>\n", f"{HOST}/a"),
        ("http://example.com/lo\r\n\tng", f"{HOST}/long"),
        ("http://example.com/x;jsessionid=A1B2.node1?y=1", f"{HOST}/x?y=1"),
        ("http://example.com/(S(lit3py55t21z5v55vlm25s55))/a", f"{HOST}/a"),
        ("http://example.com/x?PHPSESSID=abc&id=3", f"{HOST}/x?id=3"),
        (f"http://example.com/x?sid={'0a' * 16}&t=3", f"{HOST}/x?t=3"),
        ("http://example.com/x?gclid=1&fbclid=2&UTM_Medium=3", f"{HOST}/x"),
        ("http://example.com/x?a=1&amp;utm_term=2&amp;b=3", f"{HOST}/x?a=1&b=3"),
        ("http://example.com/x?", f"{HOST}/x"),
        ("http://example.com/#!/page", f"{HOST}/#!/page"),
        ("http://[2001:DB8::1]:80/x", "http://[2001:db8::1]/x"),
    ],
)
def test_canonical_url_of_spellings_of_one_page(url: str, canonical: str) -> None:
    assert canonical_url_of(url) == canonical


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/?id=1", "/?id=2"),
        ("/x", "/x/"),
        ("/x", "/X"),
        ("/x?page=2", "/x"),
        ("/x?p=", "/x"),
        ("/x?flag", "/x"),
        ("/x?gallery=1", "/x?gallery=2"),
        ("/x?source=a", "/x?source=b"),
        ("/x?ref=12", "/x?ref=13"),
        ("/x?sid=04/11/1213", "/x?sid=04/11/1214"),
        ("/x?session_id=7", "/x?session_id=8"),
        ("/x?a=1&a=2", "/x?a=2&a=1"),
        ("/a%2Fb", "/a/b"),
        ("/wiki/C%2B%2B", "/wiki/C"),
        ("/a%3Fb", "/a?b"),
        ("//a", "/a"),
        ("/index.html", "/"),
        ("/#/docs/a", "/#/docs/b"),
        ("/x?u=http://a.example/?id=1", "/x?u=http://a.example/?id=2"),
    ],
)
def test_canonical_url_of_different_pages_stay_different(one: str, other: str) -> None:
    assert canonical_url_of(HOST + one) != canonical_url_of(HOST + other)


@pytest.mark.parametrize(
    "url", ["http://a.example/", "https://a.example/", "http://www.a.example/", ""]
)
def test_canonical_url_of_canonical_url_is_itself(url: str) -> None:
    assert canonical_url_of(url) == url


@pytest.mark.parametrize(
    "url", ["dns:example.com", "urn:uuid:1", "//example.com/x", "mailto:a@b", "no url", "file:///a"]
)
def test_canonical_url_of_what_is_no_web_url_stays(url: str) -> None:
    assert canonical_url_of(f" {url}\n") == url


@pytest.mark.parametrize(
    ("url", "stored"),
    [
        ("ftp://user:pw@a.example/x", "ftp://a.example/x"),
        ("ftp://user@a.example/x?u=b@c", "ftp://a.example/x?u=b@c"),
        ("//user:pw@a.example/x", "//a.example/x"),
        ("http:user:pw@a.example/x", "http:a.example/x"),
        ("https:/user:pw@a.example/x", "https:/a.example/x"),
        ("http://user:pw@", "http://"),
        ("sftp://u:p@w@a.example/x", "sftp://a.example/x"),
        ("mailto:a@b.example", "mailto:a@b.example"),
        ("dns:a@b", "dns:a@b"),
        ("a@b", "a@b"),
    ],
)
def test_canonical_url_of_drops_credentials_in_every_spelling(url: str, stored: str) -> None:
    assert canonical_url_of(url) == stored


_PIECES = st.sampled_from(
    "http:// HTTPS:// a.example [ ] :80 :x :0443 @ / // /../ . .. ? # #! & &amp; ; = % %2 %41 %2e"
    " %25 %zz utm_a=1 jsessionid=1 ;jsessionid=2 ü ß \u0130 \u3002 \ud800 \x00 \n \\ ' ( (S("
    .split(" ")
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(_PIECES).map("".join).map("http://h".__add__)))
@example("http://a..%2e/")
@example("http://h:080:80/")
@example("HTTP:@/\\0")
@example("http://@/x")
@example("//@//u@h/")
@example("http://\\0")
@example("http://./x")
@example("http://0/'?")
@example("http://0/?'&'&#")
@example("http://h/;jsessionid=;jsessionid=1")
@settings(max_examples=500)
def test_canonical_url_of_any_string_never_raises_and_is_idempotent(url: str) -> None:
    once = canonical_url_of(url)
    assert canonical_url_of(once) == once


@pytest.mark.parametrize("repeated", ["/..", "&amp;", "%", ";jsessionid=", "(S(", "@", ":0", "?"])
def test_canonical_url_of_long_url_takes_linear_time(repeated: str) -> None:
    assert canonical_url_of("http://a.example/" + repeated * 200_000)
    assert canonical_url_of("http://" + repeated * 200_000)


def test_canonical_url_of_long_port_takes_linear_time() -> None:
    zeros = "0" * 200_000
    assert canonical_url_of(f"http://a.example:{zeros}81/") == "http://a.example:81/"
    assert zeros in canonical_url_of(f"http://a.example:{zeros}x/")


@pytest.mark.parametrize(
    ("url", "stored"),
    [
        ("/x?id=1&access_token=s&b=2#!/r", "/x?id=1&b=2#!/r"),
        ("/x?X-Amz-Signature=s&X-Amz-Security-Token=t", "/x"),
        ("/x?%74oken=s", "/x"),
        ("/x?id=1&flag&token", "/x?id=1&flag"),
        ("/x?tokens=3&page=token&key=2&code=7", "/x?tokens=3&page=token&key=2&code=7"),
        ("/x", "/x"),
    ],
)
def test_without_tokens_drops_parameters_named_like_secrets(url: str, stored: str) -> None:
    assert without_tokens(HOST + url) == HOST + stored
