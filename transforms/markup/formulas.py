"""Writes the formulas of a page as text, in the sentences that they are in.

A sentence without its formula says something else ("The period is seconds."), and so do the parts
of a formula that a script has set for the eye.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from lxml.html import HtmlElement

# Longer formulas are set by themselves, not within a sentence.
_MAX_CHARACTERS = 300
_MAX_ALT_CHARACTERS = 1000
_MAX_DEPTH = 40
_MAX_PARTS = 2000
# Set for the eye beside the source of the formula.
_SHOWN_BESIDE = frozenset({"katex-html", "MathJax", "MathJax_Preview", "MathJax_Display"})
# A formula as a picture, whose alternative text is its source.
_PICTURES = frozenset({
    "tex", "mwe-math-fallback-image-inline", "mwe-math-fallback-image-display",
    "mwe-math-fallback-png-inline",
})  # fmt: skip
_DISPLAY_STYLE = re.compile(r"\A\s*\{\\(?:display|text)style (.*)\}", re.DOTALL)
_NOT_SHOWN = frozenset({"annotation", "annotation-xml", "mphantom", "none", "mprescripts"})
_INVISIBLE = re.compile("[\u2061-\u2064\u200b]")
_RELATIONS = frozenset("=<>≤≥≈≠≡∈→⇒≪≫∼≅:∝⊂⊆")
_ONE_THING = re.compile(r"[+−-]?[\d.,]+|\w|√?\([^()]*\)")
_PRIMES = frozenset("′″‴'*†")


def write_formulas(tree: HtmlElement) -> None:
    """Replace the elements of formulas by their text."""
    inner: set[HtmlElement] = set()
    shown: list[HtmlElement] = []
    for element in [*tree.iter("math")]:
        if element not in inner:
            inner.update(element.iterdescendants("math"))
            text = _INVISIBLE.sub("", _linear(element, 0) or _annotation(element))
            shown += _write(element, text)
    _show_only(shown)
    scripts = [one for one in tree.iter("script") if (one.get("type") or "").startswith("math/tex")]
    _show_only(scripts)
    shown = [around for one in scripts for around in _write(one, one.text or "")]
    for element in [*tree.iter("img")]:
        if not _PICTURES.isdisjoint((element.get("class") or "").split()) and element.get("alt"):
            alone = element.getprevious() is None or "math" not in _class(element.getprevious())
            alt = element.get("alt", "") if alone else ""
            source = alt if len(alt) <= _MAX_ALT_CHARACTERS else ""
            shown += _write(element, _DISPLAY_STYLE.sub(r"\1", source))
    _show_only(shown)


def _write(element: HtmlElement, text: str) -> list[HtmlElement]:
    """Put a text instead of an element, and show it if the element was there to be heard. The
    `span` that has only this element, if there is one.
    """
    line = " ".join(text.split())
    element.clear(keep_tail=True)
    element.tag = "span"
    element.text = line if len(line) <= _MAX_CHARACTERS else ""
    around = element.getparent()
    if around is None or around.tag != "span":
        return []
    # `len` would count all children.
    if element.getprevious() is not None or element.getnext() is not None:
        return []
    around.attrib.pop("style", None)
    return [around]


def _show_only(sources: Iterable[HtmlElement]) -> None:
    """Take out what shows the same formulas beside their sources."""
    kept = dict.fromkeys(sources)
    for around in dict.fromkeys(source.getparent() for source in kept):
        for other in [] if around is None else [*around.iterchildren("span", "div")]:
            if other not in kept and not _SHOWN_BESIDE.isdisjoint(_class(other).split()):
                other.drop_tree()


def _class(element: HtmlElement) -> str:
    return str(element.get("class") or "")


def _annotation(formula: HtmlElement) -> str:
    """The source that goes with a formula, or ""."""
    return next(("".join(one.itertext()) for one in formula.iter("annotation")), "")


def _linear(element: HtmlElement, depth: int) -> str:
    """An element of MathML on one line: a/b, a^b, a_b, √(a)."""
    tag = element.tag
    if not isinstance(tag, str) or tag in _NOT_SHOWN:
        return ""
    if len(element) == 0:
        text = (element.text or "").strip()
        if tag == "mo" and text in _RELATIONS:
            return f" {text} "
        return " " if tag == "mspace" else text
    if depth > _MAX_DEPTH or len(element) > _MAX_PARTS:
        return " ".join("".join(element.itertext()).split())
    parts = [_linear(child, depth + 1) for child in element]
    return _joined(tag, parts)


def _joined(tag: str, parts: Sequence[str]) -> str:
    first, *others = parts
    if tag == "mfrac" and len(parts) == 2:
        return f" {_one(first)}/{_one(others[0])} "
    if tag in ("msup", "mover") and len(parts) == 2:
        return first + (others[0] if others[0] in _PRIMES else "^" + _one(others[0]))
    if tag in ("msub", "munder") and len(parts) == 2:
        return f"{first}_{_one(others[0])}"
    if tag in ("msubsup", "munderover") and len(parts) == 3:
        return f"{first}_{_one(others[0])}^{_one(others[1])}"
    if tag == "msqrt":
        return f"√({''.join(parts).strip()})"
    if tag == "mroot" and len(parts) == 2:
        return f"{_one(first)}^(1/{_one(others[0])})"
    if tag in ("mtr", "mlabeledtr", "mfenced"):
        row = ", ".join(part.strip() for part in parts)
        return f"({row})" if tag == "mfenced" else row
    return ("; " if tag == "mtable" else "").join(parts)


def _one(text: str) -> str:
    """In parentheses, unless it is one number or letter."""
    line = text.strip()
    return line if _ONE_THING.fullmatch(line) else f"({line})"
