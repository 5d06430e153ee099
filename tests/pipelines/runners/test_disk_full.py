from __future__ import annotations

import errno
import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from factmill.pipelines.runners.worker_errors import ClearErrors, disk_full
from factmill.schemas.errors import NoSpace, OptionError
from factmill.schemas.layout import Store
from factmill.schemas.storage.atomic import whole_file, write_text
from factmill.transforms.index.centroids import write_codes
from tests.hash_heads import symmetric_head

FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/x")


def _caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    "error",
    [
        FULL,
        OSError(errno.EDQUOT, "quota"),
        RuntimeError("Traceback ...\nOSError: [Errno 28] No space left on device [while running]"),
        _caused(ValueError("nothing was written"), FULL),
        _caused(RuntimeError("a"), _caused(ValueError("b"), OSError(errno.EFBIG, "large"))),
    ],
)
def test_full_disk_is_seen_however_a_library_words_it(error: Exception, tmp_path: Path) -> None:
    with pytest.raises(NoSpace, match="nothing was published"), ClearErrors(Store(tmp_path)):
        raise error


@pytest.mark.parametrize(
    "error", [ValueError("x"), OSError(errno.EACCES, "denied"), OptionError("--input")]
)
def test_other_errors_stay_what_they_are(error: Exception, tmp_path: Path) -> None:
    assert disk_full(error) == ""
    with pytest.raises(type(error)) as caught, ClearErrors(Store(tmp_path)):
        raise error
    assert caught.value is error


def test_disk_full_of_an_error_that_is_its_own_cause_ends() -> None:
    error = ValueError("x")
    error.__cause__ = _caused(RuntimeError("y"), error)
    assert disk_full(error) == ""


ROWS = [os.urandom(8) for _ in range(10_000)]


def _write_parquet(path: Path) -> None:
    with whole_file(path) as temporary:
        pq.write_table(pa.table({"x": ROWS}), temporary)


def _write_arrow(path: Path) -> None:
    table = pa.table({"x": ROWS})
    with whole_file(path) as temporary, pa.ipc.new_file(str(temporary), table.schema) as file:
        file.write_table(table)


def _write_head(path: Path) -> None:
    matrix, bias = np.ones((800, 80), np.float32), np.ones(800, np.float32)
    symmetric_head(matrix, bias, "e", 1).save(path)


WRITERS: dict[str, Callable[[Path], object]] = {
    "text": lambda path: write_text(path, "x" * 100_000),
    "parquet": _write_parquet,
    "arrow": _write_arrow,
    "codes": lambda path: write_codes(path, np.zeros((10_000, 8), np.uint8)),
    "head": _write_head,
}


@contextmanager
def _files_of_at_most(size: int) -> Iterator[None]:
    """This process writes no file further than that; Python ignores the signal that says so."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("kind", WRITERS)
def test_every_way_of_writing_that_meets_a_limit_is_no_space_and_leaves_nothing(
    tmp_path: Path, kind: str
) -> None:
    with pytest.raises(NoSpace), ClearErrors(Store(tmp_path)), _files_of_at_most(20_000):
        WRITERS[kind](tmp_path / "file")
    assert list(tmp_path.iterdir()) == []
