"""The hash head of a build: learned from the build's own pairs, or taken over from the parent."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from models.encoder import Encoder
from models.hash_head import HashHead
from models.hash_training import TrainingConfig, learn_head
from schemas.errors import BuildError
from schemas.layout import BuildDir, write_text
from schemas.manifest import StageCounts
from transforms.training_pairs import encode_pairs, text_pairs

STAGE = "learn"
REPORT = "hash_head.json"
# A head serves until there is twice as much to learn from; codes of old units then stay valid.
_RETRAIN_AT = 2


@dataclass(frozen=True)
class LearnHead:
    """Train the head on a sample of the build, or copy the parent's when it still fits."""

    build: BuildDir
    shards: int
    encoder: Encoder
    config: TrainingConfig
    parent: BuildDir | None

    def __call__(self, _piece: int) -> StageCounts:
        pairs = text_pairs(self.build, self.shards)
        if not pairs:
            raise BuildError("there is nothing to index: the input gave no proposition")
        inherited = self._inherited(len(pairs))
        if inherited:
            inherited.save(self.build.hash_head)
            report: dict[str, Any] = {"inherited_from": self.parent.build_id if self.parent else ""}
        else:
            vectors = encode_pairs(pairs, self.encoder)
            head, losses = learn_head(vectors, self.config, self.encoder.fingerprint)
            head.save(self.build.hash_head)
            report = {"losses": losses}
        about = {"pairs": len(pairs), "training": asdict(self.config), **report}
        write_text(self.build.models / REPORT, json.dumps(about, indent=1, sort_keys=True) + "\n")
        return StageCounts(len(pairs), len(pairs))

    def _inherited(self, pairs: int) -> HashHead | None:
        if self.parent is None or not self.parent.hash_head.is_file():
            return None
        head = HashHead.load(self.parent.hash_head)
        fits = head.bits == self.config.bits and head.encoder == self.encoder.fingerprint
        return head if fits and pairs < _RETRAIN_AT * head.trained_on else None
