"""The link scorer that a build trained, or the one in the package.

    30_models/link_scorer/card.json           what was trained, on what, and its figures
                          model.safetensors   the network, float32

The card is written last. A trained scorer that is not better than the package's on held-out
questions leaves only a card, and the package's scorer stays in use. Files are not trusted:
inconsistent ones are CorruptStore. Knows nothing of training.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from factmill.models.encoding.model_cards import read_card
from factmill.models.links.asked_question import Recalls
from factmill.models.links.link_scorer import FEATURES, LinkScorer, default_scorer
from factmill.schemas.errors import CorruptStore
from factmill.schemas.layout import BuildDir
from factmill.schemas.storage.atomic import whole_file
from factmill.schemas.storage.paths import StoragePath, read_start

WEIGHTS, CARD = "model.safetensors", "card.json"
SCORER_FILES = (WEIGHTS, CARD)
FORMAT = 1
_MAX_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class LinkScorerCard:
    """The content of `card.json`. `features` are the inputs of the network, in order; `encoder` is
    the fingerprint of the encoder behind the scores; `build` is the build that trained it. `better`
    says whether there are weights; `training` describes data and settings, `held_out` the mean
    recall of held-out questions, by scorer, data set and depth.
    """

    features: list[str]
    encoder: str
    build: str
    better: bool
    training: dict[str, Any]
    held_out: dict[str, dict[str, Recalls]]
    made_with: list[str]
    format: int = FORMAT

    def __post_init__(self) -> None:
        if self.format != FORMAT:
            raise ValueError(f"format {self.format!r}, this version reads {FORMAT}")
        if self.features != list(FEATURES):
            raise ValueError("it reads other features than this version computes")
        if type(self.better) is not bool:
            raise ValueError(f"better is {self.better!r}")
        if not isinstance(self.training, dict):
            raise ValueError("its training is not an object")
        if not all(type(figure) is float for figure in _figures(self.held_out)):
            raise ValueError("its figures are not numbers")

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=1, sort_keys=True, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: bytes) -> LinkScorerCard:
        """Raises ValueError, TypeError, KeyError or RecursionError for an invalid card."""
        return cls(**json.loads(text))


def _figures(held_out: dict[str, dict[str, Recalls]]) -> list[float]:
    """Raises TypeError for another structure."""
    try:
        return [
            figure
            for of_scorer in held_out.values()
            for of_dataset in of_scorer.values()
            for figure in of_dataset.values()
        ]
    except AttributeError:
        raise TypeError("its figures are not by scorer, dataset and depth") from None


def link_scorer_card(build: BuildDir) -> LinkScorerCard | None:
    """The card of a build; None if none was trained. Raises CorruptStore."""
    path = build.link_scorer / CARD
    return read_card(path, LinkScorerCard.from_json, "a link scorer") if path.is_file() else None


def build_scorer(build: BuildDir, encoder: str) -> LinkScorer:
    """The link scorer for a build with this encoder. Raises CorruptStore."""
    card = link_scorer_card(build)
    if card is None or not card.better:
        return default_scorer()
    path = build.link_scorer / WEIGHTS
    if card.encoder != encoder:
        raise CorruptStore(f"{path}: trained for another encoder than the build has")
    return _read_scorer(path)


def write_scorer(build: BuildDir, card: LinkScorerCard, scorer: LinkScorer | None) -> None:
    """Write the scorer, if the card has one, then the card."""
    if scorer is not None:
        with whole_file(build.link_scorer / WEIGHTS) as temporary:
            temporary.write_bytes(save(scorer.tensors()))
    with whole_file(build.link_scorer / CARD) as temporary:
        temporary.write_text(card.to_json(), encoding="utf-8")


def _read_scorer(path: StoragePath) -> LinkScorer:
    try:
        content = read_start(path, _MAX_BYTES + 1)
        if len(content) > _MAX_BYTES:
            raise ValueError("longer than the weights of a scorer")
        tensors = load(content)
        scorer = LinkScorer.of(tensors)
        units = len(scorer.out)
        shapes = {
            "hidden": (len(FEATURES), units), "hidden_bias": (units,), "out": (units,),
            "out_bias": (1,),
        }  # fmt: skip
        for name, shape in shapes.items():
            found = tensors[name]
            if found.dtype != np.float32 or found.shape != shape or not np.isfinite(found).all():
                raise ValueError(f"{name} is not {shape} of finite 32-bit floats")
    except (
        OSError, SafetensorError, KeyError, TypeError, ValueError, AttributeError
    ) as error:  # fmt: skip
        raise CorruptStore(f"{path}: not the weights of a link scorer ({error})") from None
    return scorer
