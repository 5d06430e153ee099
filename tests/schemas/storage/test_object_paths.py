from __future__ import annotations

import base64
import errno
import hashlib

import pytest

from factmill.schemas.errors import CorruptStore, FactmillError, OptionError, Unreachable
from factmill.schemas.storage.object_paths import ObjectPath
from factmill.schemas.storage.object_stat import ObjectStat


@pytest.mark.parametrize("name", ["..", "../x", "a/../../x", "/etc", "", "a//b", "."])
def test_name_that_leads_out_of_a_folder_of_objects_is_corrupt(name: str) -> None:
    with pytest.raises(CorruptStore):
        ObjectPath("s3", "bucket/folder") / name


def test_tag_is_what_a_store_says_of_the_content() -> None:
    digest = hashlib.md5(b"x").digest()
    s3 = {"name": "b/a", "size": 1, "ETag": f'"{digest.hex()}"'}
    gs = {"name": "b/a", "size": 1, "etag": "CAE=", "md5Hash": base64.b64encode(digest).decode()}
    assert ObjectStat.of(s3) == ObjectStat.of(gs) == ObjectStat(1, digest.hex())
    # Where it says nothing, no two objects are the same.
    composed = {"name": "b/a", "size": 1, "etag": "CAE="}
    assert ObjectStat.of(composed) != ObjectStat.of(composed | {"name": "b/c"})
    assert ObjectStat.of(composed) != ObjectStat.of(composed | {"etag": "CAI="})


def test_failures_of_a_store_are_named_and_a_full_disk_is_not(folder: ObjectPath) -> None:
    path = folder / "file"
    for error in (OSError(errno.EIO, "server said\nno"), PermissionError("denied"), TimeoutError()):
        with pytest.raises(Unreachable, match=str(path)) as caught, path.named_errors():
            raise error
        assert "\n" not in str(caught.value)
    with pytest.raises(OSError, match="full") as full, path.named_errors():
        raise OSError(errno.ENOSPC, "full")
    assert not isinstance(full.value, FactmillError)
    with pytest.raises(OptionError, match="no such bucket"), path.named_errors(writing=True):
        raise FileNotFoundError
    with pytest.raises(ZeroDivisionError), path.named_errors():
        raise ZeroDivisionError
