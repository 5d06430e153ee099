"""Functions compiled to machine code by numba. Importing this module loads the compiler, so it is
imported where something is compiled, not at opening."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit

Decorator = Callable[[Any], Any]


def helper(function: Any) -> Any:
    """Compile a function that kernels call."""
    return njit(function)


def kernel_with(**options: Any) -> Decorator:
    """Compile, with these options of numba's, a function that releases the GIL, and keep what was
    compiled for the next process where a cache can be written."""

    def compiled(function: Any) -> Any:
        try:
            return njit(nogil=True, cache=True, **options)(function)
        except RuntimeError:  # neither this folder nor the user's cache can be written
            return njit(nogil=True, **options)(function)

    return compiled


kernel = kernel_with()
