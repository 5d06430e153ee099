"""Which files of a build answer queries, and whether the manifest names them all.

    30_models   the hash head, the query encoder, the link scorer, the answer models; if the build
                published a query encoder, the tuned encoder is left out
    50_index    everything

An unlisted file has no size and checksum to be compared with.
"""

from __future__ import annotations

from collections.abc import Iterator

from factmill.models.answering.answer_models import SPAN_MODELS
from factmill.models.answering.span_models.own_encoder import OWN_ENCODER
from factmill.models.answering.span_models.span_model import MODEL_FILES
from factmill.models.encoding.published_encoder import ENCODER_FILES
from factmill.models.links.build_scorer import SCORER_FILES
from factmill.schemas.errors import CorruptStore
from factmill.schemas.index_files import CENTROIDS, EMBEDDINGS, FILES, INVERTED_LIST_FILES
from factmill.schemas.layout import INDEX, MODELS, BuildDir
from factmill.schemas.lexical_files import LEXICAL_FILES
from factmill.schemas.link_files import LINK_FILES
from factmill.schemas.manifest import FileEntry, Manifest
from factmill.schemas.storage.paths import StoragePath, name_below

# A model up to this size is compared with its checksum at every opening: each byte affects every
# answer, and reading it takes a fifth of a second.
_SMALL_MODEL = 256_000_000


def served_files(build: BuildDir, manifest: Manifest) -> list[FileEntry]:
    """The files that queries are answered from."""
    models, index = _listed(manifest, MODELS), _listed(manifest, INDEX)
    unused = ""
    if name_below(build.query_encoder_card, build.root) in models:
        unused = name_below(build.tuned_encoder, build.root) + "/"
    return [
        *(file for name, file in models.items() if not (unused and name.startswith(unused))),
        *index.values(),
    ]


def decides_all(file: FileEntry) -> bool:
    """Whether a file is small and all answers depend on it."""
    return file.path.startswith(f"{MODELS}/") and file.bytes <= _SMALL_MODEL


def check_listed(build: BuildDir, manifest: Manifest) -> None:
    """Raises CorruptStore for a file that would be opened but is not in the manifest."""
    listed = {*_listed(manifest, MODELS), *_listed(manifest, INDEX)}
    for path, is_optional in _opened(build, manifest.shards):
        if name_below(path, build.root) not in listed and not (is_optional and not path.is_file()):
            raise CorruptStore(f"{path}: not in the manifest")


def _opened(build: BuildDir, shards: int) -> Iterator[tuple[StoragePath, bool]]:
    """The files that opening looks for, and whether each is optional."""
    yield build.hash_head, False
    for name in ENCODER_FILES:
        yield build.query_encoder / name, True
    for name in SCORER_FILES:
        yield build.link_scorer / name, True
    for name in SPAN_MODELS:
        for file in MODEL_FILES:
            yield build.span_model(name) / file, True
        for file in ENCODER_FILES:
            yield build.span_model(name) / OWN_ENCODER / file, True
    yield build.root / INDEX / CENTROIDS, True
    for shard in range(shards):
        folder = build.shard(INDEX, shard)
        for name in (*FILES, *LEXICAL_FILES):
            yield folder / name, False
        for name in (*INVERTED_LIST_FILES, EMBEDDINGS, *LINK_FILES):
            yield folder / name, True


def _listed(manifest: Manifest, table: str) -> dict[str, FileEntry]:
    entry = manifest.tables.get(table)
    return {file.path: file for file in entry.files} if entry else {}
