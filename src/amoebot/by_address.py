"""Calls of compiled functions by their address.

A caller is compiled once, for all functions with arguments and a result of these types. A table has
a row for each function: the address of its machine code, and a digest of the types of its
arguments, so that what was compiled for others is never run.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from llvmlite import ir
from numba import typeof
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array
from numba.np.numpy_support import from_dtype
from numpy.typing import NDArray

ADDRESS, DIGEST, COLUMNS = 0, 1, 2

#: Types of results.
NOTHING, TRUTH, NUMBER = types.none, types.boolean, types.int64
TWO_NUMBERS = types.UniTuple(types.int64, 2)

type_of, record_type = typeof, from_dtype


def new_table(rows: int) -> NDArray[np.int64]:
    """Return a table without any function."""
    return np.zeros((rows, COLUMNS), dtype=np.int64)


def put(
    table: NDArray[np.int64], row: int, function: Any, result: Any, kinds: tuple[Any, ...]
) -> None:
    """Compile a function for arguments of these types, unless it is there, and enter its address.

    Raises:
        TypeError: If its result is of another type than callers take it for.
    """
    found = result_of(function, kinds)
    if found != result:
        raise TypeError(f"{function.py_func.__name__.lstrip('_')} returns {found}, not {result}")
    made = function.overloads[kinds]
    table[row] = made.library.get_pointer_to_function(made.fndesc.llvm_func_name), _digest(kinds)


def result_of(function: Any, kinds: tuple[Any, ...]) -> Any:
    """Return the type of a function's result, and compile it if need be."""
    if kinds not in function.overloads:  # compiling waits for other threads that do
        function.compile(kinds)
    return function.overloads[kinds].signature.return_type


def is_whole(kind: Any) -> bool:
    """Whether a type is one of whole numbers."""
    return isinstance(kind, types.Integer | types.Boolean)


def called_at(row: int, result: Any) -> Any:
    """Return a function of a table and some arguments, which calls what is in a row with these."""

    @intrinsic  # type: ignore[untyped-decorator]
    def call(typing: Any, table: Any, *arguments: Any) -> Any:
        kinds = tuple(map(types.unliteral, arguments))

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            there = make_array(signature.args[0])(context, builder, values[0]).data
            digest = builder.load(_place(builder, there, row, DIGEST))
            wrong = builder.icmp_unsigned("!=", digest, digest.type(_digest(kinds)))
            with cgutils.if_unlikely(builder, wrong):
                words = f"function {row} was not compiled for these arguments"
                context.call_conv.return_user_exc(builder, TypeError, (words,))
            shape = context.call_conv.get_function_type(result, kinds)
            address = builder.load(_place(builder, there, row, ADDRESS))
            callee = builder.inttoptr(address, shape.as_pointer())
            given = [
                context.cast(builder, builder.extract_value(values[1], place), kind, kinds[place])
                for place, kind in enumerate(signature.args[1])
            ]
            status, found = context.call_conv.call_function(builder, callee, result, kinds, given)
            with cgutils.if_unlikely(builder, status.is_error):
                context.call_conv.return_status_propagate(builder, status)
            return found

        return result(table, types.StarArgTuple.from_types(arguments)), generate

    return call


def _place(builder: Any, table: Any, row: int, column: int) -> Any:
    return builder.gep(table, [ir.IntType(64)(COLUMNS * row + column)])


def _digest(kinds: tuple[Any, ...]) -> int:
    """Return a digest of all about types that matters to a call."""
    text = " ".join(map(_spelled, kinds))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:7], "big")


def _spelled(kind: Any) -> str:
    """Return a text for a type. Of a record only the size counts: callers hand over its address."""
    if isinstance(kind, types.Record):
        return f"record of {kind.size}"
    if isinstance(kind, types.Array):
        return f"{kind.ndim} {kind.layout} {kind.mutable} array of {_spelled(kind.dtype)}"
    if isinstance(kind, types.BaseTuple):
        return f"({', '.join(map(_spelled, kind))})"
    return str(kind)
