"""An input source of a build: a file of many pages, or an input folder whose files have one page
each.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class InputSource:
    """A source and its pages. `read` counts all pages read from it; `kept` those that no other
    capture replaced; `alone` those in no other source. `broken` counts rejects of files that could
    not be read to their end. `root` is the input folder; it equals `path` for files with one page
    each.
    """

    path: str
    root: str
    read: int = 0
    kept: int = 0
    alone: int = 0
    broken: int = 0

    def __post_init__(self) -> None:
        """Raises TypeError for what is no source."""
        names, counts = (self.path, self.root), (self.read, self.kept, self.alone, self.broken)
        if not all(isinstance(name, str) for name in names):
            raise TypeError("a source has no name")
        if not all(type(count) is int for count in counts):
            raise TypeError("a number of pages is not an integer")

    @property
    def is_folder(self) -> bool:
        return self.path == self.root

    def __add__(self, other: InputSource) -> InputSource:
        return InputSource(
            self.path,
            self.root,
            self.read + other.read,
            self.kept + other.kept,
            self.alone + other.alone,
            self.broken + other.broken,
        )
