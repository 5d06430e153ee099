"""What an object store says of an object, beside its content."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ObjectStat:
    """`tag` is the store's own word for what an object holds: equal tags and sizes in one bucket,
    equal objects. It is the MD5, in hexadecimal, of most that were put with one request."""

    st_size: int
    tag: str

    @property
    def st_mtime_ns(self) -> int:
        """Stands for the time of a change, which stores state in seconds, in which much can happen:
        a number that is another when the tag is."""
        return int.from_bytes(hashlib.sha256(self.tag.encode()).digest()[:7], "big")

    @classmethod
    def of(cls, found: dict[str, Any]) -> ObjectStat:
        """From what fsspec says."""
        if found.get("md5Hash"):  # of Cloud Storage, whose ETags differ even for copies
            tag = base64.b64decode(found["md5Hash"]).hex()
        elif "ETag" in found:
            tag = re.sub(r'["\s]', "", str(found["ETag"]))
        else:
            tag = f"{found['name']} {found.get('etag') or found.get('created')}"
        return cls(int(found["size"]), tag)
