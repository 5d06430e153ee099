from __future__ import annotations

import pytest

from factmill.pipelines.runners.reachable import StoreNeeded, unreachable
from factmill.schemas.errors import Unreachable

SAID = "s3://bucket/store/CURRENT: Could not connect"
TRACE = f"""Traceback (most recent call last):
  File "pieces.py", line 31, in process
factmill.schemas.errors.Unreachable: {SAID} [while running 'Encode units/Run task']
"""


def test_worker_that_met_no_store_is_one_line() -> None:
    assert unreachable(RuntimeError(TRACE)) == SAID
    with pytest.raises(Unreachable) as caught, StoreNeeded():
        raise RuntimeError(TRACE)
    assert str(caught.value) == SAID


@pytest.mark.parametrize(
    "error", [RuntimeError("the word Unreachable"), ValueError(TRACE), KeyboardInterrupt()]
)
def test_other_errors_stay_what_they_are(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught, StoreNeeded():
        raise error
    assert caught.value is error
