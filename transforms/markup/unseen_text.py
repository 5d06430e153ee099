"""Takes out text that a page's own styles keep from everybody's eyes: placed beside the screen, cut
to nothing, set in no size, or in the colour of its background.

Only `style` attributes are read. What scripts undo later stays, because it is content of many
pages: `opacity: 0` (faded in), a height of 0 (unfolded), `text-indent` (the name of a picture).
"""

from __future__ import annotations

import re

from lxml.etree import XPath
from lxml.html import HtmlElement

_STYLED = XPath("//*[@style]")
_MAX_STYLE = 2000
_MAY_HIDE = re.compile(r"absolute|fixed|font-size|background", re.IGNORECASE)
_KEPT = frozenset({"html", "body"})
_LENGTH = re.compile(r"(-?(?:\d+(?:\.\d+)?|\.\d+))(px|em|rem)")
# Beyond every screen. What slides is moved as far, but not absolutely.
_FAR_PIXELS = -999.0
_PIXELS = {"px": 1.0, "em": 16.0, "rem": 16.0}
_NO_SIZE = re.compile(r"(?:0|0?\.0)(?:px|em|rem|pt|%)?")
_APART = re.compile(r"[\s,]+")
_CUT = re.compile(r"rect\( ?[01](?:px)?(?: [01](?:px)?){3} ?\)|inset\((?:50|100)%\)")
_NAMED = {"white": "ffffff", "black": "000000"}
_RGB = re.compile(r"rgb\((\d{1,3}),\s*(\d{1,3}),\s*(\d{1,3})\)")
_HEX = re.compile(r"#([0-9a-f]{3}|[0-9a-f]{6})")


def drop_unseen(tree: HtmlElement) -> None:
    """Empty the elements that their own styles hide from everybody. Where elements inside may have
    another size or colour, only the text beside them is taken out.
    """
    for element in _STYLED(tree):
        style = element.get("style", "")[:_MAX_STYLE]
        if element.tag in _KEPT or not _MAY_HIDE.search(style):
            continue
        values = _declarations(style)
        if _is_out_of_sight(values):
            if element.text or next(iter(element), None) is not None:
                element.clear(keep_tail=True)
        elif _has_no_size(values) or _is_of_its_ground(values):
            element.text = None
            for child in element:
                child.tail = None


def _declarations(style: str) -> dict[str, str]:
    """The values by their properties; the last one counts."""
    found = {}
    first, *others = style.lower().split("/*")
    plain = first + "".join(other.partition("*/")[2] for other in others)
    for declaration in plain.split(";"):
        name, _, value = declaration.partition(":")
        found[name.strip()] = value.replace("!important", "").strip()
    return found


def _is_out_of_sight(style: dict[str, str]) -> bool:
    """Whether it stands beside the screen, or is cut to nothing."""
    if style.get("position") not in ("absolute", "fixed"):
        return False
    return any(_pixels(style.get(side, "")) <= _FAR_PIXELS for side in ("left", "top")) or any(
        _CUT.fullmatch(_APART.sub(" ", style.get(name, ""))) for name in ("clip", "clip-path")
    )


def _has_no_size(style: dict[str, str]) -> bool:
    return _NO_SIZE.fullmatch(style.get("font-size", "")) is not None


def _is_of_its_ground(style: dict[str, str]) -> bool:
    """Whether the text has the colour of its background."""
    ground = _colour(style.get("background-color", style.get("background", "")))
    return ground != "" and ground == _colour(style.get("color", ""))


def _pixels(length: str) -> float:
    match = _LENGTH.fullmatch(length)
    return float(match[1]) * _PIXELS[match[2]] if match else 0.0


def _colour(value: str) -> str:
    """The colour in six hexadecimal digits, "" for what is not one plain colour."""
    if value in _NAMED:
        return _NAMED[value]
    if match := _RGB.fullmatch(value):
        return "".join(f"{int(part):02x}" for part in match.groups())
    if match := _HEX.fullmatch(value):
        return match[1] if len(match[1]) == 6 else "".join(2 * digit for digit in match[1])
    return ""
