"""Arithmetic on packed codes at an address: Hamming distance, and products with a float query.

Both are written as vectors of fixed length, which the compiler turns into the widest instructions
of the machine (here AVX-512 counts 16 bytes, and adds 16 floats chosen by 16 bits, at a time). A
loop in Python over words or a table of 256 sums for each byte of a code took three times as long.
Importing this module loads the compiler.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from factmill.models.codes.compiled import helper
from factmill.runtime.mapped.memory import generated, load_as, load_byte

_INT, _LONG = ir.IntType(32), ir.IntType(64)
_WORDS = ir.VectorType(_LONG, 2)
_LANES = 16
_FLOATS = ir.VectorType(ir.FloatType(), _LANES)
_MASK = ir.VectorType(ir.IntType(1), _LANES)


@generated
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
            one = load_as(builder, builder.add(code, offset), _WORDS)
            two = load_as(builder, builder.add(other, offset), _WORDS)
            ones = builder.call(count, [builder.xor(one, two)])
            builder.store(builder.add(builder.load(total), ones), total)
        words = builder.load(total)
        return builder.add(
            builder.extract_element(words, _INT(0)), builder.extract_element(words, _INT(1))
        )

    return types.int64(types.int64, types.int64, types.int64), generate


@generated
def _chosen(_context: Any, _code: Any, _vector: Any, _pieces: Any) -> Any:
    """The sum of the floats whose bits are set, in so many pieces of 16 bits."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        code, vector, pieces = arguments
        zeros = ir.Constant(_FLOATS, [0.0] * _LANES)
        total = cgutils.alloca_once_value(builder, zeros)
        with cgutils.for_range(builder, pieces) as loop:
            bits = load_as(
                builder, builder.add(code, builder.shl(loop.index, _LONG(1))), ir.IntType(_LANES)
            )
            floats = load_as(
                builder, builder.add(vector, builder.shl(loop.index, _LONG(6))), _FLOATS
            )
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
