"""Non-null Arrow fields, for the schemas of files that pass between jobs and of the index."""

from __future__ import annotations

import pyarrow as pa


def required(name: str, kind: pa.DataType) -> pa.Field:
    """A field that is never null."""
    return pa.field(name, kind, nullable=False)


def list_of(kind: pa.DataType) -> pa.DataType:
    """A list whose items are never null."""
    return pa.list_(required("item", kind))
