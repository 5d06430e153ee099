"""Where models run: on a GPU if PyTorch has one, else on the processor; and on how many cores."""

from __future__ import annotations

import os

CPU = "cpu"


def best_device() -> str:
    """The name of PyTorch's fastest device here: `cuda`, `mps` or `cpu`."""
    import torch

    if torch.cuda.is_available():
        return "cuda"
    if torch.backends.mps.is_available():
        return "mps"
    return CPU


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
