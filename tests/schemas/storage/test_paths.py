from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from factmill.schemas.errors import OptionError
from factmill.schemas.layout import PART, Store
from factmill.schemas.storage.object_paths import ObjectPath
from factmill.schemas.storage.paths import (
    name_below,
    parse_storage_path,
)


@pytest.mark.parametrize(
    "text",
    ["ftp://host/x", "file:///x", "memory://x", "s3://", "s3:///x", "s3://b/../x", "s3://b/./x",
     "s3://b//x", "s3://b/x?versionId=1", "s3://b/a\nb", "://", "://x"],
)  # fmt: skip
def test_storage_path_of_a_url_outside_object_stores_is_an_option_error(text: str) -> None:
    with pytest.raises(OptionError) as caught:
        parse_storage_path(text)
    assert "\n" not in str(caught.value).replace(text, "")


def test_storage_path_whose_package_is_missing_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(OptionError, match=r"gs://b/x: gcsfs is not installed.*factmill\[gs\]"):
        parse_storage_path("gs://b/x")


def test_storage_path_is_a_path_or_an_object_that_pickles_and_names_itself(tmp_path: Path) -> None:
    assert parse_storage_path(str(tmp_path)) == tmp_path
    found = parse_storage_path("s3://bucket/a/store/")
    assert found == ObjectPath("s3", "bucket/a/store") == pickle.loads(pickle.dumps(found))
    assert str(found) == "s3://bucket/a/store"
    build = Store(found).build("one")
    assert build.store == Store(found)
    assert (build.part("t", 7).name, build.part("t", 7).parent.name) == (PART, "shard=007")
    assert name_below(build.part("t", 7), build.root) == f"t/shard=007/{PART}"
