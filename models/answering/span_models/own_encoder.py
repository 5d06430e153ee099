"""The encoder of a span model that was tuned from another one than the build's queries have.

    30_models/<name>/encoder/   card.json, model.safetensors, tokenizer.json

`published_encoder.py` reads it. Without that folder, a model has the build's query encoder.
"""

from __future__ import annotations

from factmill.models.answering.span_models.span_model import FILES
from factmill.models.encoding.published_encoder import CARD, PublishedEncoder
from factmill.models.encoding.published_encoder import FILES as ENCODER_FILES
from factmill.schemas.storage.paths import StoragePath

FOLDER = "encoder"


def own_encoder(model: StoragePath) -> PublishedEncoder | None:
    """The encoder in a model's folder, if it has one."""
    folder = model / FOLDER
    return PublishedEncoder(folder) if (folder / CARD).is_file() else None


def model_files(model: StoragePath) -> list[StoragePath]:
    """All files of a model, the one that makes it complete last."""
    own = own_encoder(model)
    encoder = [own.folder / name for name in ENCODER_FILES] if own else []
    return [*encoder, *(model / name for name in FILES)]
