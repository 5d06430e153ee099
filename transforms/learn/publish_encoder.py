"""The query encoder of a build, beside the hash head: exported, or linked from the parent build if
the encoder is the same.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from factmill.models.encoding.encoder import Encoder
from factmill.models.encoding.published_encoder import CARD, ENCODER_FILES, PublishedEncoder
from factmill.schemas.errors import CorruptStore
from factmill.schemas.layout import BuildDir
from factmill.schemas.progress_events import report_progress
from factmill.schemas.storage.atomic import discard, link_file, make_folder, whole_file
from factmill.schemas.storage.paths import StoragePath, name_below, scratch_folder
from factmill.transforms.tasks.notices import warn
from factmill.transforms.tasks.reused_files import intact

# The number of the build's texts whose vectors are compared.
CHECKED_TEXTS = 16


def publish_encoder(
    build: BuildDir, parent: BuildDir | None, encoder: Encoder, texts: Sequence[str], stage: str
) -> None:
    """Make `build.query_encoder`, atomically; `texts` are texts of the build. If the encoder cannot
    be exported, a notice says that queries need PyTorch.
    """
    from factmill.models.encoding.export_encoder import NotExportable

    report_progress("publishing the encoder", 0, 1)
    (build.query_encoder / CARD).unlink(missing_ok=True)
    if parent is not None and _is_of(parent, encoder.fingerprint):
        _link(parent.query_encoder, build.query_encoder)
        return
    try:
        export_to(build.query_encoder, encoder, texts, build.work)
    except NotExportable as error:
        discard(build.query_encoder)
        warn(stage, f"queries will need PyTorch: --encoder {encoder.name}: {error}")


def export_to(
    folder: StoragePath, encoder: Encoder, texts: Sequence[str], work: StoragePath
) -> PublishedEncoder:
    """Export an encoder to a folder, the card last, through a scratch folder below `work`. Raises
    NotExportable.
    """
    from factmill.models.encoding.export_encoder import export_encoder

    make_folder(work)
    with scratch_folder(work) as scratch:
        export_encoder(encoder.model, encoder.fingerprint, scratch, texts[:CHECKED_TEXTS])
        for name in ENCODER_FILES:
            with whole_file(folder / name) as temporary:
                shutil.move(scratch / name, temporary)
    return PublishedEncoder(folder)


def _is_of(build: BuildDir, encoder: str) -> bool:
    """Whether a published build has this query encoder, unchanged since it was published."""
    folder = build.query_encoder
    names = [name_below(folder / name, build.root) for name in ENCODER_FILES]
    try:
        return all(intact(build, name) for name in names) and (
            PublishedEncoder(folder).fingerprint == encoder
        )
    except CorruptStore:  # by a later version
        return False


def _link(source: StoragePath, target: StoragePath) -> None:
    """Link the files, the card last."""
    for name in ENCODER_FILES:
        link_file(source / name, target / name)
