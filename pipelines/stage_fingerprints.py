"""The fingerprint of each stage of a build, over its code, its libraries and the settings it sees.

A stage reuses what the same stage of the parent build made of the same input. When its fingerprint
differs, it computes everything anew, and so do the later stages whose input changes. Cleaning is
not included: a capture's own fingerprint covers what extraction depends on.
"""

from __future__ import annotations

import hashlib
import json

from factmill.pipelines.extract import reader_fingerprint
from factmill.pipelines.settings import BuildSettings
from factmill.schemas.fingerprint import code_fingerprint
from factmill.schemas.libraries import installed, library_versions

# The files that decide a stage's results; a test follows their imports.
CODE = {
    "segments": (
        "transforms/clean/merge_shard.py",
        "transforms/clean/segment_page.py",
        "transforms/clean/chunks.py",
        "transforms/markup/posts/post.py",
        "models/text/entities.py",
        "models/text/function_words.py",
        "models/text/sites.py",
        "models/text/spacy_entities.py",
        "schemas/ids.py",
    ),
    "extract": (
        "transforms/extract/extract_units.py",
        "transforms/extract/page_questions.py",
        "transforms/extract/page_segments.py",
        "models/readers/reading.py",
        "models/readers/question_rules.py",
        "models/text/sites.py",
        "schemas/ids.py",
    ),
    "compose": (
        "transforms/compose/compose_questions.py",
        "transforms/compose/link_questions.py",
        "models/composing",
        "models/text/entities.py",
        "models/text/function_words.py",
        "models/readers/question_rules.py",
        "models/text/titles.py",
        "models/text/spacy_entities.py",
        "schemas/ids.py",
    ),
    "encode": (
        "transforms/encode/unit_texts.py",
        "models/encoding/encoder.py",
        "models/encoding/batching.py",
    ),
    "index": (
        "transforms/index/index_shards.py",
        "transforms/index/lexical_shard.py",
        "transforms/index/link_pages.py",
        "transforms/index/link_shard.py",
        "transforms/index/mapped_tables.py",
        "transforms/encode/unit_texts.py",
        "transforms/index/centroids.py",
        "models/encoding/encoder.py",
        "models/encoding/batching.py",
        "models/lexical/postings_deltas.py",
        "models/lexical/bm25.py",
        "models/lexical/page_names.py",
        "models/lexical/names_in_texts.py",
        "models/text/titles.py",
        "schemas/fields.py",
        "schemas/index_files.py",
        "schemas/lexical_files.py",
        "schemas/link_files.py",
    ),
}


def stage_fingerprints(settings: BuildSettings) -> dict[str, str]:
    """Fingerprint of every stage, by its name."""
    sees = {
        "segments": installed(settings.cleaning.entities),
        "extract": reader_fingerprint(settings),
        "compose": "",
        "encode": "",
        "index": settings.store_embeddings,
    }
    return {
        stage: _digest(code_fingerprint(CODE[stage]), library_versions(stage), seen)
        for stage, seen in sees.items()
    }


def _digest(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]
