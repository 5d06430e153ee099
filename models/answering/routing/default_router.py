"""The router in the package."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from safetensors.numpy import load

from factmill.models.answering.routing.learned_router import LearnedRouter, RouterWeights

ROUTER_WEIGHTS = "router_weights.safetensors"


def default_router(encoder: str = "") -> LearnedRouter:
    """The router for questions whose encoder has this fingerprint; it uses vectors of the default
    encoder only.
    """
    return LearnedRouter(_default_weights(), encoder)


@cache
def _default_weights() -> RouterWeights:
    folder = files("factmill.models.answering.routing")
    return RouterWeights.of(load(folder.joinpath(ROUTER_WEIGHTS).read_bytes()))
