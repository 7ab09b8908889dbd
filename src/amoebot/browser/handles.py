"""Values in the module's memory: arrays and tuples of them, behind an address.

What never leaves compiled code elsewhere has to outlive a call here. ``keep`` writes down where
the arrays of a value are, as two numbers of 32 bits for each: its address and its length; whole
numbers are written as they are. ``loader`` makes a function that finds the value again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np import arrayobj

_HALF = ir.IntType(32)

#: The type of a value, and the lengths of its arrays in all dimensions but the first.
Kind = tuple[Any, Any]


def kind_of(sample: Any) -> Kind:
    """Return the kind of an array, a whole number, or a tuple of such."""
    if isinstance(sample, np.ndarray):
        dtype = numba.from_dtype(sample.dtype)
        return types.Array(dtype, sample.ndim, "C"), sample.shape[1:]
    if isinstance(sample, tuple):
        kinds = [kind_of(one) for one in sample]
        members, shapes = zip(*kinds, strict=True)
        if hasattr(sample, "_fields"):
            return types.NamedTuple(members, type(sample)), shapes
        return types.Tuple(members), shapes
    return types.int64, ()


def loader(sample: Any) -> Callable[[int], Any]:
    """Return what loads values of the same kind from an address."""
    kind, shapes = kind_of(sample)

    @intrinsic  # type: ignore[untyped-decorator]
    def load(typing: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            at = builder.inttoptr(arguments[0], _HALF.as_pointer())
            return _load(context, builder, kind, shapes, at, [0])

        return kind(types.int32), generate

    return load  # type: ignore[no-any-return]


def _load(context: Any, builder: Any, kind: Any, shapes: Any, at: Any, place: list[int]) -> Any:
    if isinstance(kind, types.BaseTuple):
        members = [
            _load(context, builder, member, shape, at, place)
            for member, shape in zip(kind.types, shapes, strict=True)
        ]
        return context.make_tuple(builder, kind, members)
    first, second = _place(builder, at, place)
    if not isinstance(kind, types.Array):
        return builder.sext(builder.load(first), context.get_value_type(kind))
    word = context.get_value_type(types.intp)
    made = context.make_array(kind)(context, builder)
    shape = [builder.zext(builder.load(second), word), *(ir.Constant(word, n) for n in shapes)]
    size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    strides = [ir.Constant(word, int(size * np.prod(shapes[i:]))) for i in range(len(shape))]
    arrayobj.populate_array(
        made,
        data=builder.inttoptr(builder.load(first), made.data.type),
        shape=shape,
        strides=strides,
        itemsize=ir.Constant(word, size),
        meminfo=None,
    )
    return made._getvalue()


@intrinsic  # type: ignore[untyped-decorator]
def keep(typing: Any, value: Any, address: Any) -> Any:
    """Write the place of a value's arrays to an address; their memory is never freed."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        context.nrt.incref(builder, kind, arguments[0])
        at = builder.inttoptr(arguments[1], _HALF.as_pointer())
        _keep(context, builder, kind, arguments[0], at, [0])
        return context.get_dummy_value()

    return types.void(value, types.int32), generate


def _keep(context: Any, builder: Any, kind: Any, value: Any, at: Any, place: list[int]) -> None:
    if isinstance(kind, types.BaseTuple):
        for number, member in enumerate(kind.types):
            part = builder.extract_value(value, number)
            _keep(context, builder, member, part, at, place)
        return
    first, second = _place(builder, at, place)
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value=value)
        builder.store(builder.ptrtoint(array.data, _HALF), first)
        length = builder.extract_value(array.shape, 0)
        builder.store(builder.trunc(length, _HALF), second)
    else:
        builder.store(builder.trunc(value, _HALF), first)


def _place(builder: Any, at: Any, place: list[int]) -> tuple[Any, Any]:
    """Return where the next two numbers are."""
    place[0] += 2
    numbers = (ir.Constant(_HALF, place[0] - 2), ir.Constant(_HALF, place[0] - 1))
    return builder.gep(at, [numbers[0]]), builder.gep(at, [numbers[1]])
