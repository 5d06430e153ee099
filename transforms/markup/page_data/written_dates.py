"""Dates as pages state them: in ISO 8601, or as people write them ("Jul 9, 2022", "30th March 2025,
16:26").
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

from factmill.transforms.markup.page_data.month_names import MONTH_NUMBERS

_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)"
    r"(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?(?:\s*(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?)?$"
)
# The same without signs in between.
_BASIC = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?(Z|[+-]\d\d:?\d\d)?)?$")
# The web began in 1991; an earlier date belongs to the text, not to the page.
FIRST_YEAR = 1990
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})[a-z]*\.?"
_WORD = r"(?P<month>[^\W\d_]{3,12})"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d|'\d\d)"
_TIME = (
    r"(?:\D{1,6}(?P<hour>[0-2]?\d):(?P<minute>[0-5]\d)(?::\d\d)?\s*(?P<half>[ap]\.?m\b\.?)?"
    r"(?:\s*(?:GMT|UTC)?(?P<zone>[+-]\d\d:?\d\d)(?!\d)|\s*(?P<named>[ECMP][SD]T|CES?T)\b)?)?"
)
_WRITTEN = tuple(
    re.compile(rf"(?<![\w.]){pattern}(?!\d|\.\d){_TIME}", re.IGNORECASE)
    for pattern in (
        rf"{_MONTH} {_DAY},? {_YEAR}",
        rf"{_DAY}[ -]{_MONTH},?[ -]{_YEAR}",
        r"(?P<year>(?:19|20)\d\d)-(?P<month>[01]\d)-(?P<day>[0-3]\d)",
        r"(?P<year>(?:19|20)\d\d)/(?P<month>[01]?\d)/(?P<day>[0-3]?\d)",
        # Day first, as usual with full stops between the numbers.
        r"(?P<day>[0-3]?\d)\.(?P<month>[01]?\d)\.(?P<year>(?:19|20)\d\d)",
        # Only one order is possible where a number is not a month.
        r"(?P<month>0?[1-9]|1[0-2])[/-](?P<day>1[3-9]|2\d|3[01])[/-](?P<year>(?:19|20)\d\d)",
        r"(?P<day>1[3-9]|2\d|3[01])[/-](?P<month>0?[1-9]|1[0-2])[/-](?P<year>(?:19|20)\d\d)",
        rf"{_DAY}(?:\.|º|er)? (?:de )?{_WORD},? (?:del? )?(?P<year>(?:19|20)\d\d)",
        r"(?P<year>(?:19|20)\d\d)[年년] ?(?P<month>[01]?\d)[月월] ?(?P<day>[0-3]?\d)[日일]",
    )
)
# Zones that pages name, of America and of Central Europe.
_ZONES = {
    "EST": "-0500", "EDT": "-0400", "CST": "-0600", "CDT": "-0500", "MST": "-0700",
    "MDT": "-0600", "PST": "-0800", "PDT": "-0700", "CET": "+0100", "CEST": "+0200",
}  # fmt: skip
# The date comes first in a text that states it.
_MAX_CHARACTERS = 200


def read_time(text: str) -> datetime | None:
    """An ISO 8601 date in UTC, to the second; None for anything else."""
    found = _ISO.match(text.strip()) or _BASIC.match(text.strip())
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    try:
        time = datetime(year, month, day, hour, minute, second, tzinfo=_zone(found[7]))
        return time.astimezone(timezone.utc) if year >= FIRST_YEAR else None
    except (ValueError, OverflowError):
        return None


def _zone(offset: str | None) -> timezone:
    if offset in (None, "Z", "UTC", "GMT"):
        return timezone.utc
    minutes = int(offset[1:3]) * 60 + int(offset[3:].lstrip(":") or 0)
    return timezone(timedelta(minutes=-minutes if offset[0] == "-" else minutes))


def written_time(text: str) -> datetime | None:
    """The first point in time in a short text, in UTC; None if there is none.

    "3/4/2022" is ambiguous (March or April), so it gives None.
    """
    if stated := read_time(text):
        return stated
    for pattern in _WRITTEN:
        found = pattern.search(text[:_MAX_CHARACTERS])
        if found and (number := _month(found["month"].lower())):
            return _time(found, number)
    return None


def _month(month: str) -> int:
    """The number of a month, or 0."""
    if month.isdigit():
        return int(month)
    if month in MONTH_NUMBERS:
        return MONTH_NUMBERS[month]
    # Without regard to case, "ſep" matches too.
    return _MONTHS.index(month[:3]) + 1 if month[:3] in _MONTHS else 0


def _time(found: re.Match[str], month: int) -> datetime | None:
    year, hour = found["year"], int(found["hour"] or 0)
    if found["half"]:
        hour = hour % 12 + 12 * (found["half"][0].lower() == "p")
    zone = _ZONES.get((found["named"] or "").upper(), found["zone"])
    try:
        time = datetime(
            int(year.replace("'", "20")), month, int(found["day"]), hour,
            int(found["minute"] or 0), tzinfo=_zone(zone),
        )  # fmt: skip
        return time.astimezone(timezone.utc)
    except ValueError:
        return None
