"""The encoder of a span model that was tuned from another one than the build's queries have.

    30_models/<name>/encoder/   card.json, model.safetensors, tokenizer.json

`published_encoder.py` reads it. Without that folder, a model has the build's query encoder.
"""

from __future__ import annotations

from factmill.models.answering.span_models.span_model import MODEL_FILES
from factmill.models.encoding.published_encoder import CARD, ENCODER_FILES, PublishedEncoder
from factmill.schemas.storage.paths import StoragePath

OWN_ENCODER = "encoder"


def own_encoder(model: StoragePath) -> PublishedEncoder | None:
    """The encoder in a model's folder, if it has one."""
    folder = model / OWN_ENCODER
    return PublishedEncoder(folder) if (folder / CARD).is_file() else None


def model_files(model: StoragePath) -> list[StoragePath]:
    """All files of a model, the one that makes it complete last."""
    own = own_encoder(model)
    encoder = [own.folder / name for name in ENCODER_FILES] if own else []
    return [*encoder, *(model / name for name in MODEL_FILES)]
