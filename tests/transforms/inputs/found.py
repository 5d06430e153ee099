"""What readers of inputs give: a page, or a reject."""

from __future__ import annotations

from factmill.schemas.records import Reject
from factmill.transforms.inputs.raw_page import RawPage


def rejected(found: object, reason: str) -> Reject:
    assert isinstance(found, Reject)
    assert found.reason == reason
    assert found.stage == "clean"
    return found


def page_in(found: object) -> RawPage:
    assert isinstance(found, RawPage)
    return found
