"""How statements and faults are written: on one line, with a capital and a full stop."""

from __future__ import annotations

from factmill.models.readers.reading import Fault

_FAULT_CHARACTERS = 300


def finished(text: str) -> str:
    """With a capital and a full stop."""
    text = spaced_once(capitalized(text)).rstrip(" ,;:")
    return text if text[-1:] in ".!?" or text[-2:-1] in ".!?" else text + "."


def capitalized(text: str) -> str:
    """With a capital."""
    return text[:1].upper() + text[1:]


def spaced_once(text: str) -> str:
    """With single spaces for any white space."""
    return " ".join(text.split())


def short_fault(reason: str, text: str) -> Fault:
    """A fault with the beginning of its text."""
    return Fault(reason, text[:_FAULT_CHARACTERS])
