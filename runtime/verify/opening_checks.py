"""How thoroughly a build is compared with its manifest when it is opened.

Always: every file is present and listed, with the right size and shape, and models match their
checksums.

    "sizes"       nothing more
    "checksums"   all files that answer queries match their checksums before opening returns
    "background"  the same while queries are answered; they raise once damage is found
    "auto"        "checksums" up to a gigabyte, "background" above
"""

from __future__ import annotations

from typing import Literal, get_args

OpeningCheck = Literal["auto", "sizes", "checksums", "background"]
OPENING_CHECKS: tuple[OpeningCheck, ...] = get_args(OpeningCheck)
# Reading more would delay the first query by more than a second.
BACKGROUND_BYTES = 1_000_000_000
