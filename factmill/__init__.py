"""Turns a crawl of web pages into an index of facts, and answers from it.

    from factmill import open_index
    for hit in open_index("STORE").search("who designed the Eiffel Tower?"):
        print(hit.rank, hit.title, hit.text)

The folders of this package lie at the top of the repository; here are links to them, so that a
checkout, a wheel and a source distribution import the same names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from factmill.runtime.index import Hit, Index
    from factmill.runtime.opening import open_index

__all__ = ["Hit", "Index", "open_index"]


def __getattr__(name: str) -> object:
    # Imported when asked for: Beam's workers and `factmill --help` need no index.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from factmill import runtime

    return getattr(runtime, name)


def __dir__() -> list[str]:
    # So that help() and completion show what is imported when asked for.
    return sorted({*globals(), *__all__})
