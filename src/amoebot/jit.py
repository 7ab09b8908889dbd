"""The one place that knows how functions are compiled.

The same source runs compiled (Numba) and interpreted (``NUMBA_DISABLE_JIT=1``).
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.errors import NumbaError
from numba.extending import intrinsic, register_jitable
from numba.np import arrayobj
from numpy.typing import NDArray

from amoebot import machine_code
from amoebot.cache import code_folder

#: Errors of the compiler.
CompilerError = NumbaError

#: True where functions run as plain Python.
INTERPRETED: bool = bool(numba.config.DISABLE_JIT)

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Arrays = TypeVar("_Arrays")


#: Whether this thread leaves functions as they are, for those who run rules on other things.
_plain: ContextVar[bool] = ContextVar("plain", default=False)


@contextmanager
def left_plain() -> Iterator[None]:
    """Leave the functions that this thread defines meanwhile to the interpreter."""
    before = _plain.set(True)
    try:
        yield
    finally:
        _plain.reset(before)


def compiled(function: _Function, checked: bool = False) -> _Function:
    """Compile a function when it is first called.

    A checked one notices the end of an array and a division by zero.
    """
    if INTERPRETED or _plain.get():
        return np.errstate(divide="raise")(function) if checked else function
    model = "python" if checked else "numpy"
    made: _Function = numba.njit(
        nogil=True,
        error_model=model,
        boundscheck=checked or None,
        no_cfunc_wrapper=True,  # nobody calls it from C
    )(function)
    folder = code_folder()
    if folder is not None and Path(function.__code__.co_filename).exists():
        machine_code.keep(made, folder)
    return made


def disjoint(function: _Function) -> _Function:
    """Compile a loop over arrays of which no two have memory in common.

    Knowing that, the compiler need not ask at each call whether vectors can be used.
    """
    made = compiled(function)
    if made is not function:
        made._compiler._customize_flags = _without_aliases  # type: ignore[attr-defined]
    return made


def _without_aliases(flags: Any) -> Any:
    flags.noalias = True
    return flags


def guarded(function: _Function) -> _Function:
    """Compile a function of the user's: it is kept nowhere, and notices the end of an array."""
    return function if INTERPRETED else numba.njit(nogil=True, boundscheck=True)(function)


def inlined(function: _Function) -> _Function:
    """Compile a function into each of its callers.

    For functions in the inner loop that take arrays: at a call that is not inlined, each array's
    references are counted, which costs more than the call.
    """
    plain = INTERPRETED or _plain.get()
    return function if plain else numba.njit(inline="always")(function)


def compilable(function: _Function) -> _Function:
    """Leave a function to Python, and let compiled functions call it all the same.

    For what NumPy does quickly by itself here, and has to be compiled elsewhere.
    """
    return register_jitable(function)  # type: ignore[no-any-return]


def rule(function: _Function) -> _Function:
    """Compile a rule of an election, which can be replaced by one of the user's own."""
    return compiled(_marked(function))


def inlined_rule(function: _Function) -> _Function:
    """Compile a rule into those that call it, because it is part of the inner loop."""
    return inlined(_marked(function))


def _marked(function: _Function) -> _Function:
    function.__dict__["is_rule"] = True
    return function


def takes_long(name: str, seconds: int) -> Callable[[_Function], _Function]:
    """Say of a function what users call it, and about how long they wait for it to be compiled."""

    def mark(function: _Function) -> _Function:
        function.__dict__["takes_long"] = name, seconds
        return function

    return mark


def is_rule(function: Any) -> bool:
    """Whether a function, compiled or not, is a rule that can be replaced."""
    return getattr(source(function), "is_rule", False) is True  # this module has the name too


if INTERPRETED:

    def record(kind: np.dtype[Any]) -> np.dtype[Any]:
        """Return a type whose fields are attributes; NumPy's own takes five times as long.

        Compiled rules reckon with 64 bits whatever a field's size is, and Python's numbers are as
        wide; NumPy's would wrap around in a byte.
        """

        def field(name: str, kind: np.dtype[Any]) -> property:
            get = itemgetter(name)
            if kind.kind in "iub" and kind.itemsize < 8:
                return property(lambda self: get(self).item(), setter(name))
            return property(get, setter(name))

        def setter(name: str) -> Callable[[Any, Any], None]:
            return lambda self, value: self.__setitem__(name, value)

        own = {name: field(name, place[0]) for name, place in (kind.fields or {}).items()}
        return np.dtype((type("Record", (np.void,), {"__slots__": (), **own}), kind))

    def borrowed(arrays: _Arrays) -> _Arrays:
        """Return the array itself, or the tuple of arrays."""
        return arrays

    def acquire(lock: NDArray[np.int64]) -> None:
        """Do nothing: the interpreter runs one thread at a time here."""

    def read_shared(array: NDArray[Any], place: int) -> int:
        """Return a number of an array."""
        return int(array[place])

    def write_shared(array: NDArray[Any], place: int, number: int) -> None:
        """Write a number into an array."""
        array[place] = number

    def give_way() -> None:
        """Do nothing, likewise."""

    def prefetch(array: NDArray[Any], place: int) -> None:
        """Do nothing: there is no cache to speak of."""

else:

    def record(kind: np.dtype[Any]) -> np.dtype[Any]:
        """Return a type whose fields are attributes."""
        return np.dtype((np.record, kind))

    @intrinsic  # type: ignore[untyped-decorator]
    def borrowed(typing: Any, arrays: Any) -> Any:
        """Return the same array without its reference count, or all arrays in a tuple.

        For loops that hand them to functions: counting is an atomic operation at every call,
        inlined or not. Whoever calls this holds on to the arrays for as long as the loop runs.
        """

        def lend(context: Any, builder: Any, kind: Any, value: Any) -> Any:
            if isinstance(kind, types.BaseTuple):
                for place, of_item in enumerate(kind):
                    item = lend(context, builder, of_item, builder.extract_value(value, place))
                    value = builder.insert_value(value, item, place)
            elif isinstance(kind, types.Array):
                made = arrayobj.make_array(kind)(context, builder, value=value)
                made.meminfo = cgutils.get_null_value(made.meminfo.type)
                value = made._getvalue()
            return value

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return lend(context, builder, signature.args[0], arguments[0])

        return arrays(arrays), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def acquire(typing: Any, lock: Any) -> Any:
        """Wait until the one number of an array is 0, and make it 1: nobody else can meanwhile."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = arrayobj.make_array(signature.args[0])(context, builder, arguments[0]).data
            kind = context.get_value_type(types.int64)
            trying, done = builder.append_basic_block(), builder.append_basic_block()
            builder.branch(trying)
            builder.position_at_end(trying)
            old = builder.cmpxchg(place, kind(0), kind(1), "acq_rel", "monotonic")
            builder.cbranch(builder.extract_value(old, 1), done, trying)
            builder.position_at_end(done)
            return context.get_dummy_value()

        return types.void(lock), generate

    def _place_in(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        """Return a pointer to one number of an array of numbers, without gaps."""
        made = arrayobj.make_array(signature.args[0])(context, builder, arguments[0])
        return builder.gep(made.data, [arguments[1]])

    @intrinsic  # type: ignore[untyped-decorator]
    def read_shared(typing: Any, array: Any, place: Any) -> Any:
        """Return a number that another thread may be writing with ``write_shared``."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            there = _place_in(context, builder, signature, arguments)
            return builder.load_atomic(there, "acquire", array.dtype.bitwidth // 8)

        return array.dtype(array, types.int64), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def write_shared(typing: Any, array: Any, place: Any, number: Any) -> Any:
        """Write a number: whoever reads it there sees all that was written before."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            there = _place_in(context, builder, signature, arguments)
            builder.store_atomic(arguments[2], there, "release", array.dtype.bitwidth // 8)
            return context.get_dummy_value()

        return types.void(array, types.int64, array.dtype), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def give_way(typing: Any) -> Any:
        """Let another thread have this core, where the system has a call for that."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            if os.name == "posix":
                shape = ir.FunctionType(ir.IntType(32), [])
                call = cgutils.get_or_insert_function(builder.module, shape, "sched_yield")
                builder.call(call, [])
            return context.get_dummy_value()

        return types.void(), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def prefetch(typing: Any, array: Any, place: Any) -> Any:
        """Have a row of an array brought into the cache, which is needed soon."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = signature.args[0]
            made = arrayobj.make_array(kind)(context, builder, arguments[0])
            step = builder.extract_value(made.strides, 0)
            start = builder.ptrtoint(made.data, step.type)
            there = builder.add(start, builder.mul(arguments[1], step))
            word, pointer = ir.IntType(32), ir.IntType(8).as_pointer()
            shape = ir.FunctionType(ir.VoidType(), [pointer, word, word, word])
            hint = cgutils.get_or_insert_function(builder.module, shape, "llvm.prefetch.p0")
            builder.call(hint, [builder.inttoptr(there, pointer), word(0), word(3), word(1)])
            return context.get_dummy_value()

        return types.void(array, types.int64), generate


def source(function: Any) -> Any:
    """Return the plain function behind one that may have been compiled or wrapped."""
    return inspect.unwrap(getattr(function, "py_func", function))


def like(original: Any, function: _Function, checked: bool = False) -> _Function:
    """Compile a function the way another one is compiled; a checked one is never inlined."""
    options = getattr(original, "targetoptions", {})
    inline = options.get("inline") == "always" and not checked
    return inlined(function) if inline else compiled(function, checked)


def wrapping(function: _Function) -> _Function:
    """Compile a function whose unsigned integers are meant to wrap around, as hashes do."""
    return np.errstate(over="ignore")(function) if INTERPRETED else compiled(function)


def reason(error: BaseException) -> str:
    """Return in one line why a function could not be compiled or run."""
    if isinstance(error, KeyError):  # what the compiler says of a field that a record lacks
        return f"there is no field {error}"
    if not isinstance(error, CompilerError):
        return f"{type(error).__name__}: {error}"
    lines = [line.strip() for line in plain(error).splitlines()]
    said = [line for line in lines if line and not line.startswith(_FRAMING)]
    if not said:
        return type(error).__name__
    more = said[1].removeprefix(">>> ") if said[0].endswith(":") and len(said) > 1 else ""
    return shortened(f"{said[0]} {more}".strip())


def shortened(text: str) -> str:
    """Return the beginning of what the compiler says: it lists types by the thousand letters."""
    return text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]} …"


def plain(error: BaseException) -> str:
    """Return what the compiler says, without its colours."""
    return _COLOURS.sub("", str(error))


#: Letters of the compiler that are told.
MOST_LETTERS = 300

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")

#: Prefixes of lines in the compiler's messages that give context rather than the error.
_FRAMING = ("Failed in", "During:", "File", "<", "[", "-", "def ", "^", "...", "There are")
