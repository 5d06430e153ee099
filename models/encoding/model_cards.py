"""Cards of models on disk: small, untrusted JSON files that describe a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from factmill.schemas.errors import CorruptStore
from factmill.schemas.storage.paths import StoragePath, read_start

_MAX_CARD_BYTES = 1 << 16
_Card = TypeVar("_Card")


def read_card(path: StoragePath, parse: Callable[[bytes], _Card], model: str) -> _Card:
    """The card of a model; `model` names it in messages, for example "an encoder". `parse` raises
    ValueError, TypeError or KeyError for an invalid card. Raises CorruptStore.
    """
    try:
        content = read_start(path, _MAX_CARD_BYTES + 1)
        if len(content) > _MAX_CARD_BYTES:
            raise ValueError("longer than a card can be")
        return parse(content)
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise CorruptStore(f"{path}: not the card of {model} ({error})") from None
