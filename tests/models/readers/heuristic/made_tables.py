"""Tables for tests, and what is read from them."""

from factmill.models.readers.heuristic.table_rows import read_table

TITLE = "Norse Records"


def table(*rows: str) -> str:
    """Markdown of rows, whose cells are divided by slashes."""
    header, *body = [[cell.strip() for cell in row.split("/")] for row in rows]
    lines = [header, ["---"] * len(header), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def asked(markdown: str, title: str = TITLE) -> list[tuple[str, str]]:
    """Question and answer of each pair."""
    return [(q.text, markdown[q.start : q.end]) for q in read_table(markdown, title).questions]


def stated(markdown: str, title: str = "") -> list[str]:
    return [statement.text for statement in read_table(markdown, title).statements]
