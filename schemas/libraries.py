"""Library versions that decide what a build holds. None of these libraries is imported here.

Another version means another fingerprint, so nothing that an upgrade may have changed is reused. A
test compares them with what the code imports. Libraries that carry rows and exact numbers
(pyarrow, DuckDB, NumPy) decide nothing.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version

CAPTURE = "capture"
# Distributions by what they decide: the extraction of a capture, or a stage of a build.
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
    "segments": ("spacy",),
    "extract": ("blingfire",),
    "compose": ("spacy",),
    "encode": ("sentence-transformers", "tokenizers", "torch", "transformers"),
    "index": ("faiss-cpu", "faiss-gpu"),
}
# How many components of a version count, where not all do. Encoding is the most expensive stage,
# and a patch release of PyTorch changes at most the last bits of a vector, too little to affect a
# search.
_NUMBERS = {"encode": 2}


@cache
def library_versions(decided: str) -> str:
    """Versions of the libraries that decide `decided`, and Python's own, which fixes the Unicode
    tables.
    """
    python = f"python {sys.version_info[0]}.{sys.version_info[1]}"
    numbers = _NUMBERS.get(decided)
    return ", ".join([python, *(installed(name, numbers) for name in LIBRARIES[decided])])


def installed(name: str, numbers: int | None = None) -> str:
    """A distribution with the first `numbers` components of its version (all by default); "-" when
    it is missing.
    """
    try:
        found = version(name).split("+")[0]  # the platform of a wheel does not matter
    except (PackageNotFoundError, ValueError):
        found = "-"
    return f"{name} {'.'.join(found.split('.')[:numbers])}"
