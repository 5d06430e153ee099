"""Where models run: on a GPU when PyTorch has one, else on the processor."""

from __future__ import annotations

CPU = "cpu"


def best_device() -> str:
    """The name of PyTorch's fastest device here: `cuda`, `mps` or `cpu`."""
    import torch

    if torch.cuda.is_available():
        return "cuda"
    if torch.backends.mps.is_available():
        return "mps"
    return CPU
