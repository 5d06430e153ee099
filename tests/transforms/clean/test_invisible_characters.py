import pytest

from factmill.schemas.records import Reject
from factmill.transforms.clean.extract_page import extract_page
from factmill.transforms.clean.invisible_characters import without_invisible
from factmill.transforms.inputs.raw_page import RawPage


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("light\u00adhouse", "lighthouse"),
        ("\ufeffHarrow\u2060", "Harrow"),
        ("\u200fשלום\u200e (1861\u200e) \u2067x\u2069", "שלום (1861) x"),
        ("employees\u200b\nof", "employees\nof"),
        ("ภาษา\u200bไทย", "ภาษา\u200bไทย"),
        ("می\u200cخواهم", "می\u200cخواهم"),
    ],
)
def test_what_no_reader_sees_is_left_out(text: str, seen: str) -> None:
    assert without_invisible(text) == seen


def test_page_has_whole_words_in_text_title_and_headings_and_cells_as_they_are() -> None:
    html = (
        "<title>Harrow Light&shy;house</title><h1>The light&shy;house</h1>"
        "<p>The light&shy;house of Harrow was built in 1881 by three brothers from Skell.</p>"
        "<table><tr><th>Year</th><th>Keeper</th></tr><tr><td>1881</td><td>Tom Ha&shy;le</td></tr>"
        "<tr><td>1902</td><td>Anna Berg</td></tr></table>"
    )
    found = extract_page(RawPage("1", html=html))
    assert not isinstance(found, Reject)
    assert "lighthouse of Harrow" in found.page.text
    assert found.page.title == "Harrow Lighthouse"
    assert not any("\u00ad" in text for text in (found.page.text, *found.headings))
    assert any("Tom Ha\u00adle" in table for table in found.tables)


def test_plain_text_has_whole_words() -> None:
    found = extract_page(RawPage("1", title="Light\u00adhouse", text="The light\u00adhouse burns."))
    assert not isinstance(found, Reject)
    assert (found.page.title, found.page.text) == ("Lighthouse", "The lighthouse burns.")
