"""Loads each encoder once, because a small build spends a tenth of its time on that."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import pytest

from factmill.models.encoding.encoder import Encoder


@contextmanager
def encoders_that_stay() -> Iterator[None]:
    """Within the block, an encoder that was loaded before is copied: training changes it."""
    load, loaded = Encoder.load, dict[str, Any]()

    def copy_of(encoder: Encoder) -> Any:
        if encoder.fingerprint not in loaded:
            loaded[encoder.fingerprint] = load(encoder)
        return deepcopy(loaded[encoder.fingerprint])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Encoder, "load", copy_of)
        yield
