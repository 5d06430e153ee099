"""The page's files as they are sent."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import get_args

import httpx

from factmill.runtime.service.page.page_routes import PageFile, digest_of, page_files
from factmill.schemas.records import PageKind


class Tags(HTMLParser):
    """All start tags of a document with their attributes, and what stands in scripts and styles."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inline: list[str] = []
        self.feed(document)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] in ("script", "style") and data.strip():
            self.inline.append(data)


def references(document: str) -> list[str]:
    """What a document loads."""
    found = [
        attributes.get(name)
        for tag, attributes in Tags(document).tags
        for name in ("src", "href")
        if tag in ("script", "link", "img")
    ]
    return [one for one in found if one]


def test_document_loads_files_that_browsers_may_keep_for_ever(client: httpx.Client) -> None:
    document = client.get("/")

    assert document.headers["content-type"] == "text/html; charset=utf-8"
    assert document.headers["cache-control"] == "no-cache"
    loaded = references(document.text)
    assert len(loaded) >= 3
    for address in loaded:
        found = client.get(f"/{address}")
        assert found.status_code == 200, address
        assert "immutable" in found.headers["cache-control"]
        assert found.headers["x-content-type-options"] == "nosniff"


def test_every_module_finds_those_that_it_imports(client: httpx.Client) -> None:
    (script,) = [one for one in references(client.get("/").text) if one.endswith(".js")]
    folder = script.rpartition("/")[0]
    seen, waiting = set[str](), [script.rpartition("/")[2]]
    while waiting:
        name = waiting.pop()
        found = client.get(f"/{folder}/{name}")
        assert found.headers["content-type"] == "text/javascript; charset=utf-8"
        seen.add(name)
        waiting += [one for one in re.findall(r'from "\./([^"]+)"', found.text) if one not in seen]

    assert seen == {name for name in page_files() if name.endswith(".js")}


def test_document_that_a_browser_has_is_not_sent_again(client: httpx.Client) -> None:
    etag = client.get("/").headers["etag"]

    again = client.get("/", headers={"if-none-match": etag})

    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/", headers={"if-none-match": '"other"'}).status_code == 200


def test_page_is_shown_to_whom_has_no_token_yet(closed: httpx.Client) -> None:
    for path in ("/", *(f"/{one}" for one in references(closed.get("/").text))):
        assert closed.get(path).status_code == 200
    assert closed.get("/v1/build").status_code == 401


def test_policy_allows_its_own_files_and_nothing_else(client: httpx.Client) -> None:
    policy = dict(
        directive.split(" ", 1)
        for directive in client.get("/").headers["content-security-policy"].split("; ")
    )

    assert policy["default-src"] == "'none'"
    assert policy["require-trusted-types-for"] == "'script'"
    sources = {value for name, value in policy.items() if name.endswith("-src")}
    assert sources == {"'none'", "'self'"}
    assert policy["frame-ancestors"] == "'none'"


def test_document_has_no_script_and_no_style_of_its_own() -> None:
    document = Tags(page_files()["index.html"].body.decode())

    assert document.inline == []
    attributes = {name for _, of_tag in document.tags for name in of_tag}
    assert not {name for name in attributes if name == "style" or name.startswith("on")}


def test_no_file_names_another_site_or_writes_markup() -> None:
    for name, file in page_files().items():
        text = file.body.decode().replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://[\w*]", text), name
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write", text), name


def test_digest_is_of_names_and_contents() -> None:
    one = {"a.js": PageFile(b"1", ""), "b.js": PageFile(b"2", "")}

    assert digest_of(one) == digest_of(dict(reversed(one.items())))
    assert digest_of(one) != digest_of({**one, "b.js": PageFile(b"3", "")})
    assert digest_of(one) != digest_of({"a.js": PageFile(b"2", ""), "b.js": PageFile(b"1", "")})


def test_path_outside_of_the_files_is_not_found(client: httpx.Client) -> None:
    folder = references(client.get("/").text)[0].rpartition("/")[0]

    for path in (f"{folder}/../page_routes.py", f"{folder}/%2e%2e/app.py", "assets/0/page.js"):
        assert client.get(f"/{path}").status_code == 404


def test_kinds_of_pages_to_choose_from_are_those_that_pages_have(client: httpx.Client) -> None:
    (choice,) = re.findall(r'<select name="page_kinds">(.*?)</select>', client.get("/").text)

    assert re.findall(r"<option>(\w+)</option>", choice) == list(get_args(PageKind))
