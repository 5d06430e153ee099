"""What each stage of a build is run with: a fingerprint over its code, its libraries and the
settings it sees.

A stage takes over from the parent build what the same stage made there of the same. Where the
fingerprint differs it makes everything anew, and so does whatever comes after it and sees another
input. Cleaning is not among them: a capture's own fingerprint covers what extracting it depends on.
"""

from __future__ import annotations

import hashlib
import json

from pipelines.extract import reader_fingerprint
from pipelines.settings import BuildSettings
from schemas.fingerprint import code_fingerprint
from schemas.libraries import installed, library_versions

# The files that decide what a stage makes; a test compares them with what they import.
CODE = {
    "segments": (
        "transforms/merging.py",
        "transforms/segmenting.py",
        "transforms/chunks.py",
        "models/entities.py",
        "models/function_words.py",
        "models/sentences.py",
        "models/trained_entities.py",
        "schemas/ids.py",
    ),
    "extract": (
        "transforms/extract_units.py",
        "models/readers/reading.py",
        "models/readers/rules.py",
        "schemas/ids.py",
    ),
    "compose": (
        "transforms/compose_questions.py",
        "transforms/linking_questions.py",
        "models/composing",
        "models/entities.py",
        "models/function_words.py",
        "models/readers/rules.py",
        "models/titles.py",
        "models/trained_entities.py",
        "schemas/ids.py",
    ),
    "encode": ("transforms/unit_texts.py", "models/encoder.py", "models/encoding.py"),
    "index": (
        "transforms/index_shards.py",
        "transforms/lexical_shard.py",
        "transforms/unit_texts.py",
        "transforms/centroids.py",
        "models/encoder.py",
        "models/encoding.py",
        "models/gaps.py",
        "models/lexical.py",
        "models/page_names.py",
        "models/titles.py",
        "schemas/fields.py",
        "schemas/index_files.py",
        "schemas/lexical_files.py",
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
