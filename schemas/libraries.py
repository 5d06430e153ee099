"""Which versions of which libraries decide what a build holds; none is imported to know it.

Another version is another fingerprint, so nothing is taken over that an upgrade may have changed.
A test compares them with what the code imports. Libraries that carry rows and exact numbers
(pyarrow, DuckDB, NumPy) decide nothing.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version

CAPTURE = "capture"
# Distributions by what they decide: extracting a capture, and the stages of a build.
LIBRARIES = {
    CAPTURE: (
        "beautifulsoup4",
        "blingfire",
        "chardet",
        "charset-normalizer",  # guesses encodings for beautifulsoup4
        "justext",  # trafilatura's, as is the next one
        "lxml-html-clean",
        "lxml",
        "py3langid",
        "rensa",
        "trafilatura",
    ),
    "segments": ("blingfire", "spacy"),
    "extract": ("blingfire",),
    "compose": ("spacy",),
    "encode": ("sentence-transformers", "tokenizers", "torch", "transformers"),
    "index": ("faiss-cpu", "faiss-gpu"),
}
# How many numbers of a version count, where not all do. Encoding is the dearest stage, and a repair
# of PyTorch changes the last bits of a vector at most, which no search sees.
_NUMBERS = {"encode": 2}


@cache
def library_versions(decided: str) -> str:
    """The versions that decide it, and Python's, which knows Unicode."""
    python = f"python {sys.version_info[0]}.{sys.version_info[1]}"
    numbers = _NUMBERS.get(decided)
    return ", ".join([python, *(installed(name, numbers) for name in LIBRARIES[decided])])


def installed(name: str, numbers: int | None = None) -> str:
    """A distribution and so many numbers of its version, by default all; "-" when it is missing."""
    try:
        found = version(name).split("+")[0]  # what a wheel was built for does not matter
    except (PackageNotFoundError, ValueError):
        found = "-"
    return f"{name} {'.'.join(found.split('.')[:numbers])}"
