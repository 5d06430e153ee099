"""Damages files: one bit of any file, or one part of a model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from safetensors.numpy import load_file, save_file


def flip_bit(path: Path, position: int | None = None) -> None:
    """Flip the lowest bit of the byte at a position, by default the middle one."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2 if position is None else position] ^= 1
    path.write_bytes(bytes(content))


def change_card(path: Path, **changed: Any) -> None:
    """Replace or add fields of a model's card."""
    card = json.loads(path.read_text())
    path.write_text(json.dumps(card | changed))


def change_weights(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Apply a function to the tensors of a file."""
    weights = load_file(path)
    change(weights)
    save_file(weights, path)
