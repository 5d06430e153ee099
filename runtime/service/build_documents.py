"""Documents about the current build and about the service."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from factmill.runtime.service.search_documents import WireDocument
from factmill.schemas.errors import StoreError
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import OLDEST_TABLES, Manifest, read_manifest
from factmill.schemas.tables import PAGES_TABLE, PROPOSITIONS_TABLE, QA_PAIRS_TABLE, SEGMENTS_TABLE

_COUNTED = {
    "pages": PAGES_TABLE,
    "segments": SEGMENTS_TABLE,
    "propositions": PROPOSITIONS_TABLE,
    "qa_pairs": QA_PAIRS_TABLE,
}


class CountsDocument(WireDocument):
    """Numbers of rows."""

    pages: int = Field(description="Pages")
    segments: int = Field(description="Segments of them")
    propositions: int = Field(description="Propositions drawn from the segments")
    qa_pairs: int = Field(description="QA pairs drawn from the segments")


class ParentDocument(WireDocument):
    """The build before this one."""

    build_id: str = Field(description="Its id")
    created_at: str | None = Field(description="When it was made; null if it was removed")
    counts: CountsDocument | None = Field(description="Its numbers of rows; null if it was removed")


class BuildDocument(WireDocument):
    """The build that is being served."""

    build_id: str = Field(description="Id of the build")
    created_at: str = Field(description="When it was made (ISO 8601, UTC)")
    counts: CountsDocument = Field(description="What it has")
    parent: ParentDocument | None = Field(description="The build that it is based on")
    encoder: str = Field(description="The model that encodes queries")
    reader: str = Field(description="The reader that drew units from segments")
    code_version: str = Field(description="Version of the code that built it")
    strategies: list[str] = Field(description="The available strategies")
    default_strategy: str = Field(description="The default strategy")
    llm_model: str | None = Field(description="The model name of the LLM, if any")
    not_served: str | None = Field(
        description="Why a newer build, or this one, cannot be served; null if none is faulty"
    )


class HealthDocument(WireDocument):
    """Whether the service works."""

    status: str = Field(description="ok")
    build_id: str | None = Field(None, description="The build that is served, once there is one")


class ProblemError(WireDocument):
    """The problem in the form of OpenAI's API."""

    message: str = Field(description="What is wrong")
    type: str = Field(description="A short, stable code")
    code: str = Field(description="The same code")


class ProblemField(WireDocument):
    """What is wrong with a field."""

    field: str = Field(description='Path of the field, "filters.sites.0"')
    message: str = Field(description="What is wrong with it")


class ProblemDocument(WireDocument):
    """What went wrong (RFC 9457)."""

    type: str = Field(description="urn:factmill:problem: followed by a short, stable code")
    title: str = Field(description="The meaning of the status")
    status: int = Field(description="The status of the response")
    detail: str = Field(description="What is wrong with this request")
    errors: list[ProblemField] = Field(
        default_factory=list, description="What is wrong, field by field"
    )
    error: ProblemError = Field(description="The same for clients of OpenAI's API")


def counts_json(manifest: Manifest) -> dict[str, int]:
    """The fields of a CountsDocument."""
    tables = manifest.tables
    return {name: tables[table].rows if table in tables else 0 for name, table in _COUNTED.items()}


def parent_json(build: BuildDir, manifest: Manifest) -> dict[str, Any] | None:
    """The fields of a ParentDocument. The parent may have been removed."""
    if manifest.parent is None:
        return None
    try:
        parent = read_manifest(build.store.build(manifest.parent), OLDEST_TABLES)
    except StoreError:
        return {"build_id": manifest.parent, "created_at": None, "counts": None}
    counts = counts_json(parent)
    return {"build_id": manifest.parent, "created_at": parent.created_at, "counts": counts}
