"""Shows the alternative text for browsers without scripts, which script-written pages
often have.
"""

from __future__ import annotations

from lxml.html import HtmlElement

# Shorter ones only say that the page needs a script, or contain a picture.
_LONG = 500


def show_without_script(tree: HtmlElement) -> None:
    """Unwrap `noscript` elements that contain more text than the page shows."""
    notes = list(tree.iter("noscript"))
    if not notes:
        return
    inside = sum(_characters(note) for note in notes)
    if inside < _LONG:
        return
    unseen = sum(_characters(element) for element in tree.iter("script", "style"))
    if inside > _characters(tree) - unseen - inside:
        for note in notes:
            note.tag = "div"


def _characters(element: HtmlElement) -> int:
    """The length of the element's text, with single spaces."""
    return len(" ".join(element.text_content().split()))
