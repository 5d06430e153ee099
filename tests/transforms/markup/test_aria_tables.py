from __future__ import annotations

from factmill.transforms.markup.aria_tables import mark_aria_tables
from factmill.transforms.markup.html_tree import parse_html
from factmill.transforms.markup.tables.table_markdown import read_tables

_ROWS = "".join(
    f"<div role=row><span role=cell><b>{name}</b></span><div><i></i>"
    f"<span role=cell>{height}</span></div></div>"
    for name, height in (("Skerrow", "45 m"), ("Tarn", "30 m"))
)
_HEADER = (
    "<div role=row><span role=columnheader>Light</span><span role=columnheader>Height</span></div>"
)


def _tables(html: str) -> list[str]:
    tree = parse_html(html)
    assert tree is not None
    mark_aria_tables(tree)
    return [part for table in read_tables(tree).values() for part in table.segments()]


def test_mark_aria_tables_with_a_header_are_tables() -> None:
    found = _tables(f"<div role=table>{_HEADER}<div role=rowgroup>{_ROWS}</div></div>")
    assert found == ["| Light | Height |\n| --- | --- |\n| Skerrow | 45 m |\n| Tarn | 30 m |"]


def test_mark_aria_tables_without_a_header_stay() -> None:
    assert _tables(f"<div role=grid>{_ROWS}</div><div role=row>{_HEADER}</div>") == []
