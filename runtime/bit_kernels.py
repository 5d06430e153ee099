"""Arithmetic on packed codes at an address: Hamming distance, and products with a float query.

Both are written as vectors of fixed length, which the compiler turns into the widest instructions
of the machine (here AVX-512 counts 16 bytes, and adds 16 floats chosen by 16 bits, at a time). A
loop in Python over words or a table of 256 sums for each byte of a code took three times as long.
Importing this module loads the compiler.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from models.compiled import helper

_INT, _LONG = ir.IntType(32), ir.IntType(64)
_WORDS = ir.VectorType(_LONG, 2)
_LANES = 16
_FETCHED = 1024
_FLOATS = ir.VectorType(ir.FloatType(), _LANES)
_MASK = ir.VectorType(ir.IntType(1), _LANES)


# A decorator with a type: numba's own says less than it knows.
_generated: Callable[[Any], Any] = intrinsic


def _load(builder: Any, address: Any, kind: Any) -> Any:
    return builder.load(builder.inttoptr(address, kind.as_pointer()), align=1)


def _loader(result: Any, kind: Any) -> Any:
    """A function that reads a number at an address, aligned or not."""

    @_generated
    def load(_context: Any, _address: Any) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return _load(builder, arguments[0], kind)

        return result(types.int64), generate

    return load


load_byte = _loader(types.uint8, ir.IntType(8))
load_int = _loader(types.int32, _INT)
load_long = _loader(types.int64, _LONG)


@_generated
def _differing(_context: Any, _code: Any, _other: Any, _pieces: Any) -> Any:
    """How many bits differ in so many pieces of 16 bytes."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        code, other, pieces = arguments
        count = builder.module.declare_intrinsic(
            "llvm.ctpop.v2i64", (), ir.FunctionType(_WORDS, [_WORDS])
        )
        total = cgutils.alloca_once_value(builder, ir.Constant(_WORDS, [0, 0]))
        with cgutils.for_range(builder, pieces) as loop:
            offset = builder.shl(loop.index, _LONG(4))
            one = _load(builder, builder.add(code, offset), _WORDS)
            two = _load(builder, builder.add(other, offset), _WORDS)
            ones = builder.call(count, [builder.xor(one, two)])
            builder.store(builder.add(builder.load(total), ones), total)
        words = builder.load(total)
        return builder.add(
            builder.extract_element(words, _INT(0)), builder.extract_element(words, _INT(1))
        )

    return types.int64(types.int64, types.int64, types.int64), generate


@_generated
def _chosen(_context: Any, _code: Any, _vector: Any, _pieces: Any) -> Any:
    """The sum of the floats whose bits are set, in so many pieces of 16 bits."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        code, vector, pieces = arguments
        zeros = ir.Constant(_FLOATS, [0.0] * _LANES)
        total = cgutils.alloca_once_value(builder, zeros)
        with cgutils.for_range(builder, pieces) as loop:
            bits = _load(
                builder, builder.add(code, builder.shl(loop.index, _LONG(1))), ir.IntType(_LANES)
            )
            floats = _load(builder, builder.add(vector, builder.shl(loop.index, _LONG(6))), _FLOATS)
            chosen = builder.select(builder.bitcast(bits, _MASK), floats, zeros)
            builder.store(builder.fadd(builder.load(total), chosen), total)
        sums, lanes = builder.load(total), _LANES
        while lanes > 1:
            lanes //= 2
            kind = ir.VectorType(_INT, lanes)
            low = ir.Constant(kind, list(range(lanes)))
            high = ir.Constant(kind, list(range(lanes, 2 * lanes)))
            sums = builder.fadd(
                builder.shuffle_vector(sums, sums, low), builder.shuffle_vector(sums, sums, high)
            )
        return builder.extract_element(sums, _INT(0))

    return types.float32(types.int64, types.int64, types.int64), generate


@_generated
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


@_generated
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


@helper
def distance(code: int, other: int, width: int) -> Any:
    """Hamming distance of two codes of `width` bytes."""
    total = _differing(code, other, width >> 4)
    for byte in range(width & ~15, width):
        differing = load_byte(code + byte) ^ load_byte(other + byte)
        while differing:
            differing &= differing - np.uint8(1)
            total += 1
    return total


@helper
def score(code: int, query: Any) -> Any:
    """`<v, h>` of a code, for a `query` made by `prepare`."""
    width = (len(query) - 1) >> 3
    chosen = _chosen(code, query.ctypes.data, width >> 1)
    if width & 1:
        last = load_byte(code + width - 1)
        for bit in range(8):
            if (last >> np.uint8(bit)) & np.uint8(1):
                chosen += query[8 * width - 8 + bit]
    # h = 2 bit - 1, so <v, h> = 2 <v, bit> - sum(v)
    return np.float32(2.0) * chosen - query[len(query) - 1]


def prepare(vector: Any) -> Any:
    """A projected query in the order of bits in memory, with its sum behind it.

    Codes are packed most significant bit first, and bit 0 of a byte is the least significant one.
    """
    reordered = vector.reshape(-1, 8)[:, ::-1].reshape(-1)
    return np.append(reordered, vector.sum(dtype=np.float32)).astype(np.float32)
