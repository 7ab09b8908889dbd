"""An end that comes whatever Python is doing: a thread of machine code counts the time down.

While one function in C works, such as that behind ``sum(range(10**12))``, no other line of Python
runs: no thread, no alarm, and not what Ctrl-C is handled by.
"""

from __future__ import annotations

import atexit
import ctypes
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil
from signal import SIGINT
from typing import Any

#: Seconds between two looks.
STEP = 0.25

#: Seconds that Python has to hear of Ctrl-C.
GRACE = 3.0

#: Seconds that need not be counted: some years.
LATE = 1e8

#: Where the machine code finds its numbers: looks so far; the look at which the program ends, or 0;
#: and the address and the length of what is said then.
_LOOKS, _END, _WORDS, _LENGTH = range(4)

_numbers = (ctypes.c_int64 * 4)()

_INTERRUPTED = b"amoebot: interrupted\n"

_ends: dict[object, tuple[int, bytes]] = {}  # the look and the words, by what they are about
_changing = threading.RLock()
_is_started = False


def start(heard: socket.socket) -> None:
    """Begin to look, also whether signals stay unread, where the system supports it."""
    global _is_started
    if _is_started or not hasattr(socket, "MSG_DONTWAIT"):  # Windows
        return
    _is_started = True
    look = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int32)(_compiled())
    for kept in (_numbers, _INTERRUPTED):  # even when Python has taken everything down
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))
    atexit.register(_numbers.__setitem__, _END, 0)
    given = ctypes.addressof(_numbers), heard.fileno()
    threading.Thread(target=look, args=given, daemon=True, name="last resort").start()


def end_in(seconds: float, about: object, words: str) -> None:
    """End the program with these words, unless cancelled or rescheduled first."""
    if _is_started:
        text = f"amoebot: {words}\n".encode(errors="replace")
        look = _numbers[_LOOKS] + ceil(min(seconds, LATE) / STEP)
        _change(about, (look, text))


def call_off(about: object) -> None:
    """Let the program go on."""
    if about in _ends:
        _change(about, None)


@contextmanager
def ending_in(seconds: float, words: str) -> Iterator[None]:
    """End the program with these words if this goes on for well over that time."""
    about = object()
    end_in(seconds, about, words)
    try:
        yield
    finally:
        call_off(about)


def _change(about: object, end: tuple[int, bytes] | None) -> None:
    with _changing:
        _numbers[_END] = 0
        _ends.pop(about, None)
        if end is not None:
            _ends[about] = end
        if _ends:
            look, words = min(_ends.values())
            _numbers[_WORDS], _numbers[_LENGTH] = _address(words), len(words)
            _numbers[_END] = look


def _address(words: bytes) -> int:
    return ctypes.cast(ctypes.c_char_p(words), ctypes.c_void_p).value or 0


def _compiled() -> int:
    """Compile the loop, and return its address.

    It calls what every C library has, sleeps for a step, and looks: has Ctrl-C been waiting to be
    heard for too long, or has the first of the ends come?
    """
    from llvmlite import binding, ir

    whole, small, byte, nothing = ir.IntType(64), ir.IntType(32), ir.IntType(8), ir.VoidType()
    module = ir.Module("last_resort")

    def function(name: str, result: Any, *arguments: Any) -> Any:
        return ir.Function(module, ir.FunctionType(result, arguments), name)

    usleep, leave = function("usleep", small, small), function("_exit", nothing, small)
    receive = function("recv", whole, small, byte.as_pointer(), whole, small)
    write = function("write", whole, small, whole, whole)
    watch = function("watch", nothing, whole, small)
    names = ("begin", "look", "check", "interrupted", "given_up")
    begin, look, check, interrupted, given_up = map(watch.append_basic_block, names)

    at = ir.IRBuilder(begin)
    signal, unheard = at.alloca(byte), at.alloca(whole)
    at.store(whole(0), unheard)

    def place(number: int) -> Any:
        return at.inttoptr(at.add(watch.args[0], whole(8 * number)), whole.as_pointer())

    at.branch(look)
    at.position_at_end(look)
    at.call(usleep, (small(int(STEP * 1e6)),))
    looks = at.add(at.load(place(_LOOKS)), whole(1))
    at.store(looks, place(_LOOKS))
    how = small(socket.MSG_PEEK | socket.MSG_DONTWAIT)
    found = at.call(receive, (watch.args[1], signal, whole(1), how))
    is_one = at.icmp_signed("==", found, whole(1))
    is_ctrl_c = at.and_(is_one, at.icmp_signed("==", at.load(signal), byte(SIGINT)))
    times = at.select(is_ctrl_c, at.add(at.load(unheard), whole(1)), whole(0))
    at.store(times, unheard)
    at.cbranch(at.icmp_signed(">=", times, whole(int(GRACE / STEP))), interrupted, check)

    at.position_at_end(check)
    end = at.load(place(_END))
    is_late = at.icmp_signed("<=", end, looks)
    at.cbranch(at.and_(is_late, at.icmp_signed(">", end, whole(0))), given_up, look)

    at.position_at_end(given_up)
    at.call(write, (small(2), at.load(place(_WORDS)), at.load(place(_LENGTH))))
    at.call(leave, (small(2),))
    at.unreachable()
    at.position_at_end(interrupted)
    at.call(write, (small(2), whole(_address(_INTERRUPTED)), whole(len(_INTERRUPTED))))
    at.call(leave, (small(130),))
    at.unreachable()

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine()
    engine = binding.create_mcjit_compiler(binding.parse_assembly(str(module)), machine)
    engine.finalize_object()
    address = int(engine.get_function_address("watch"))
    engine.detach()  # the loop runs on while Python takes everything else down
    return address
