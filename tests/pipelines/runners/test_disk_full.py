from __future__ import annotations

import errno
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from factmill.pipelines.runners.worker_errors import ClearErrors, disk_full
from factmill.schemas.errors import NoSpace, OptionError
from factmill.schemas.layout import Store
from tests.conftest import ROOT

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


WRITERS = {
    "text": "write_text(path, 'x' * 100_000)",
    "parquet": "with whole_file(path) as t: pq.write_table(pa.table({'x': rows}), t)",
    "arrow": "with whole_file(path) as t, pa.ipc.new_file(str(t), table.schema) as file:"
    " file.write_table(table)",
    "codes": "write_codes(path, np.zeros((10_000, 8), np.uint8))",
    "head": "HashHead.symmetric(np.ones((800, 80), np.float32), np.ones(800, np.float32), 'e', 1)"
    ".save(path)",
}
PROGRAM = """
import numpy as np, pyarrow as pa, pyarrow.parquet as pq
from pathlib import Path
from factmill.models.codes.hash_head import HashHead
from factmill.pipelines.runners.worker_errors import ClearErrors
from factmill.schemas.errors import NoSpace
from factmill.schemas.layout import Store
from factmill.schemas.storage.atomic import whole_file, write_text
from factmill.transforms.index.centroids import write_codes
import os
path, rows = Path({path!r}), [os.urandom(8) for _ in range(10_000)]
table = pa.table({{'x': rows}})
try:
    with ClearErrors(Store(path.parent)):
        {writer}
except NoSpace:
    print("no space")
"""


@pytest.mark.parametrize("kind", WRITERS)
def test_every_way_of_writing_that_meets_a_limit_is_no_space_and_leaves_nothing(
    tmp_path: Path, kind: str
) -> None:
    program = PROGRAM.format(path=str(tmp_path / "file"), writer=WRITERS[kind])
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)),
    )  # fmt: skip
    assert done.stdout == "no space\n", done.stderr
    assert list(tmp_path.iterdir()) == []
