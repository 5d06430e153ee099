"""Metadata of an object: its size and tag."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any


@dataclass(frozen=True, slots=True)
class ObjectStat:
    """`tag` is the store's content tag: objects of one bucket with equal tags and sizes are equal.
    It is the hexadecimal MD5 of most objects uploaded with one request.
    """

    st_size: int
    tag: str

    @property
    def st_mtime_ns(self) -> int:
        """A number that changes with the tag. It stands in for the modification time, which stores
        give only in seconds: too coarse to notice a quick rewrite.
        """
        return int.from_bytes(hashlib.sha256(self.tag.encode()).digest()[:7], "big")

    @classmethod
    def of(cls, found: dict[str, Any]) -> ObjectStat:
        """From fsspec's metadata."""
        if found.get("md5Hash"):  # of Cloud Storage, whose ETags differ even for copies
            tag = base64.b64decode(found["md5Hash"]).hex()
        elif "ETag" in found:
            tag = re.sub(r'["\s]', "", str(found["ETag"]))
        else:
            made = found.get("created")
            if isinstance(made, float):  # in a listing of fsspec's own objects in memory
                made = datetime.fromtimestamp(made, timezone.utc)
            tag = f"{found['name']} {found.get('etag') or made}"
        return cls(int(found["size"]), tag)
