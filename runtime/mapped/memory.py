"""Compiled access to memory by address: numbers read, bytes copied, and bytes asked for ahead.

For columns of mapped files, which kernels get as addresses. Nothing is checked here: callers do.
Importing this module loads the compiler.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from factmill.models.codes.compiled import helper

_INT, _LONG = ir.IntType(32), ir.IntType(64)
_FETCHED = 1024


# A decorator with a type: numba's own says less than it knows.
generated: Callable[[Any], Any] = intrinsic


def load_as(builder: Any, address: Any, kind: Any) -> Any:
    """Within code that is being generated: what lies at an address, aligned or not."""
    return builder.load(builder.inttoptr(address, kind.as_pointer()), align=1)


def _loader(result: Any, kind: Any) -> Any:
    """A function that reads a number at an address, aligned or not."""

    @generated
    def load(_context: Any, _address: Any) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return load_as(builder, arguments[0], kind)

        return result(types.int64), generate

    return load


load_byte = _loader(types.uint8, ir.IntType(8))
load_int = _loader(types.int32, _INT)
load_long = _loader(types.int64, _LONG)


@generated
def _fetch(_context: Any, _address: Any) -> Any:
    """Begin to read the memory at an address, and go on."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, _INT, _INT, _INT])
        fetch = builder.module.declare_intrinsic("llvm.prefetch.p0", (), kind)
        # To be read, used again, and no instruction.
        builder.call(fetch, [pointer, _INT(0), _INT(3), _INT(1)])
        return _context.get_dummy_value()

    return types.none(types.int64), generate


@generated
def copy(_context: Any, _target: Any, _source: Any, _size: Any) -> Any:
    """Copy so many bytes from one address to another; they do not overlap."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        target, source, size = arguments
        pointer = ir.IntType(8).as_pointer()
        cgutils.raw_memcpy(
            builder, builder.inttoptr(target, pointer), builder.inttoptr(source, pointer), size, 1
        )
        return _context.get_dummy_value()

    return types.none(types.int64, types.int64, types.int64), generate


@helper
def fetch(address: int, size: int) -> None:
    """Begin to read so many bytes at an address, but no more than a few lines of the cache."""
    for offset in range(0, min(size, _FETCHED), 64):
        _fetch(address + offset)
