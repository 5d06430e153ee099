"""How far a build is compared with its manifest when it is opened.

Always: every file is there and listed, of its size and shape, and models have their checksums.

    "sizes"       no more
    "checksums"   all files that answer queries have theirs, before opening returns
    "background"  the same while queries are answered; each one raises once damage was found
    "auto"        "checksums" up to a gigabyte, "background" above
"""

from __future__ import annotations

from typing import Literal, get_args

OpeningCheck = Literal["auto", "sizes", "checksums", "background"]
OPENING_CHECKS: tuple[OpeningCheck, ...] = get_args(OpeningCheck)
# Reading more would keep the first query waiting for longer than a second.
BACKGROUND_BYTES = 1_000_000_000
