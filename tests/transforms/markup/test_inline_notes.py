from __future__ import annotations

import pytest

from factmill.transforms.markup.html_tree import parse_html
from factmill.transforms.markup.inline_notes import drop_inline_notes


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<ruby>東<rp>(</rp><rt>とう</rt>京<rt>きょう</rt></ruby>タワー", "東京タワー"),
        ("costs <s>$59</s> $39, <del><i>42</i> m</del> 45 m", "costs $39, 45 m"),
        ("<b>Regular price</b> <s>$59</s> <b>$39</b>", "Regular price $59 $39"),
        ("<table><tr><td><s>Tom</s> (Ann)</table>", "Tom (Ann)"),
        (f"<s>{'Tom was here. ' * 9}", "Tom was here. " * 9),
        (f"<strike>a{'<br>b' * 30}</strike> c", "a" + "b" * 30 + " c"),
    ],
)
def test_drop_inline_notes_leaves_the_words(html: str, text: str) -> None:
    tree = parse_html(f"<p>{html}</p>")
    assert tree is not None
    drop_inline_notes(tree)
    assert " ".join(tree.text_content().split()) == text.strip()
