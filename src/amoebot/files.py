"""Python files of the user's: read, and run as modules of their own; functions as such files."""

from __future__ import annotations

import ast
import dis
import hashlib
import inspect
import io
import linecache
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from amoebot import last_resort

#: Seconds that a file may take to be read, unless another limit is given.
READING = 10.0

#: Bytes that the text of a file may have.
LONGEST = 1 << 24

_limit: ContextVar[float | None] = ContextVar("limit", default=None)

#: Seconds that no clock need count beyond: some years.
LATE = 1e8

#: Seconds until an outer limit that has passed meanwhile takes effect.
SOON = 0.001

#: Seconds until the alarm rings again: an error raised while garbage is collected goes nowhere.
AGAIN = 1.0

#: Seconds until machine code ends a program which no alarm has reached.
LATER = 3.0

#: Functions of ``os`` that end the program at once, whatever is under way.
ENDING = ("_exit", "abort", "execv", "execve")

_readers: list[tuple[int, int]] = []  # the process and the thread of each file being read
_replaced: dict[str, Any] = {}  # those functions themselves, while a file is read
_replacing = threading.RLock()


def as_path(given: object, refusal: type[ValueError]) -> Path:
    """Return a path, or say that this is not one."""
    if not isinstance(given, str | os.PathLike) or isinstance(os.fspath(given), bytes):
        raise refusal(f"{given!r} is not a path: a string or a Path is expected")
    if not os.fspath(given):
        raise refusal("the path is empty")
    if "\0" in os.fspath(given):
        raise refusal(f"{given!r} is not a path: it has a zero byte")
    return Path(given)


def read_text(path: Path, refusal: type[ValueError]) -> str:
    """Return the text of a file, or say why there is none."""
    limit = _seconds()
    try:
        with at_most(limit), path.open("rb") as file:  # nobody may write to a pipe
            content = file.read(LONGEST + 1)
        if len(content) > LONGEST:
            raise refusal(f"{path}: this is longer than {LONGEST >> 20} MiB")
        # Editors on Windows write a byte order mark, and end lines in their own way.
        return io.TextIOWrapper(io.BytesIO(content), "utf-8-sig").read()
    except TimeoutError:
        raise refusal(f"{path}: {_late(limit)}") from None
    except OSError as error:
        raise refusal(f"{path}: {(error.strerror or str(error)).lower()}") from None
    except UnicodeDecodeError:
        raise refusal(f"{path}: this is not a text file") from None


def shown(file: str) -> str:
    """Return the name of a file as messages have it, also of one that was run as a module."""
    if file.startswith("<"):  # without a blank, it is Python's name for what is in no file
        return file[1:-1].rpartition(" ")[0] or file
    return Path(file).name


def run_file(text: str, name: str, refusal: type[ValueError]) -> ModuleType:
    """Run the text of a Python file as a module of its own; say in one sentence why it cannot."""
    if "\0" in text:
        line = _lines(text[: text.index("\0") + 1])
        raise refusal(f"{name}.py, line {len(line)}: it has a zero byte, and so is not a text file")
    file = f"<{name}.py {hashlib.sha256(text.encode(errors='surrogatepass')).hexdigest()[:16]}>"
    # As for a file, tracebacks and ``inspect`` find the source there.
    linecache.cache[file] = (len(text), None, _lines(text), file)
    module = ModuleType(f"own {name}")  # with a blank, no import finds it
    with reading(f"{name}.py", refusal), _among_modules(module):
        exec(compile(text, file, "exec"), vars(module))
    return module


def _lines(text: str) -> list[str]:
    """Return the lines of a text as Python counts them: a form feed, for one, ends none."""
    return [*io.StringIO(text, newline=None)]


@contextmanager
def _among_modules(module: ModuleType) -> Iterator[None]:
    """Let a module be found by its name meanwhile, as ``dataclass`` wants to."""
    sys.modules.setdefault(module.__name__, module)
    try:
        yield
    finally:
        if sys.modules.get(module.__name__) is module:
            del sys.modules[module.__name__]


def text_of(function: Callable[..., object], refusal: type[ValueError]) -> str:
    """Return a function as the text of a file that defines it, or say why there is none.

    It has to be complete by itself: what it refers to are its arguments, and modules.
    """
    name = getattr(function, "__name__", repr(function))

    def refuse(reason: str) -> ValueError:
        return refusal(f"{name} {reason}: write it into a Python file and give its name")

    is_named = isinstance(function, FunctionType) and name == function.__qualname__ != "<lambda>"
    if not is_named:
        raise refuse("is not a function of a module")
    try:
        text = inspect.getsource(function)
        tree = ast.parse(text).body[0]
    except (OSError, SyntaxError):
        raise refuse("has no source that can be found") from None
    if not isinstance(tree, ast.FunctionDef) or tree.decorator_list or function.__defaults__:
        raise refuse("is not a function without decorators and defaults")
    imports = []
    for used in globals_of(function.__code__):
        value = function.__globals__.get(used)
        if isinstance(value, ModuleType):
            imports.append(f"import {value.__name__} as {used}\n")
        elif used in function.__globals__:
            raise refuse(f"refers to {used} outside of it")
    # Types are written down, and never looked up.
    return "from __future__ import annotations\n" + "".join(imports) + f"\n\n{text}"


def globals_of(code: CodeType) -> list[str]:
    """Return the global names that code refers to, that of functions within it included."""
    own = [one.argval for one in dis.get_instructions(code) if one.opname == "LOAD_GLOBAL"]
    inner = (globals_of(one) for one in code.co_consts if isinstance(one, CodeType))
    return [*dict.fromkeys([*own, *chain(*inner)])]


@contextmanager
def reading_within(seconds: float | None) -> Iterator[None]:
    """Let files that are read meanwhile take this long, each."""
    before = _limit.set(seconds)
    try:
        yield
    finally:
        _limit.reset(before)


def _seconds() -> float:
    limit = _limit.get()
    return READING if limit is None else limit


def _late(seconds: float) -> str:
    return f"it takes longer than {seconds:g} s to be read"


@contextmanager
def reading(name: str, refusal: type[ValueError]) -> Iterator[None]:
    """Say in one sentence why a file of the user's cannot be run, whatever it does."""
    limit = _seconds()
    late = _late(limit)
    was_closed = getattr(sys.stdout, "closed", False)
    try:
        with _not_ending(), last_resort.ending_in(limit + LATER, f"{name}: {late}"), at_most(limit):
            yield
        if getattr(sys.stdout, "closed", False) and not was_closed:
            raise refusal(f"{name}: it closes standard output")
    except refusal:
        raise
    except TimeoutError:
        raise refusal(f"{name}: {late}") from None
    except SystemExit as error:
        call = error.code if isinstance(error, _Ending) else SystemExit.__name__
        words = "it ends the program instead of defining functions"
        raise refusal(f"{name}: {call}: {words}") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever is in it
        if isinstance(error, SyntaxError) and error.lineno is not None:
            place = name if _is_called(error.filename, name) else shown(str(error.filename))
            raise refusal(f"{place}, line {error.lineno}: {error.msg}") from None
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if _is_called(frame.filename, name)]
        where = f"{name}, line {lines[-1]}" if lines else name
        raise refusal(f"{where}: {named(error)}") from error


def _is_called(file: str | None, name: str) -> bool:
    return file is None or shown(file) == Path(name).name


class _Ending(SystemExit):
    """What a file calls that would end the program at once."""


@contextmanager
def _not_ending() -> Iterator[None]:
    """Have what would end the program at once raise an error instead, in this thread."""
    reader = (os.getpid(), threading.get_ident())
    with _replacing:
        if not _readers:
            _replaced.update({name: getattr(os, name) for name in ENDING})
            for name in ENDING:
                setattr(os, name, _raising(name, _replaced[name]))
        _readers.append(reader)
    try:
        yield
    finally:
        with _replacing:
            _readers.remove(reader)
            if not _readers:
                for name, function in _replaced.items():
                    setattr(os, name, function)


def _raising(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def end(*given: Any, **named: Any) -> Any:
        # Other threads and processes that a file starts end as ever, and so does Ctrl-C.
        caller = str(sys._getframe(1).f_globals.get("__name__"))
        is_reader = (os.getpid(), threading.get_ident()) in _readers
        if not is_reader or caller.partition(".")[0] == "amoebot":
            return function(*given, **named)
        raise _Ending(f"os.{name}")

    return end


def named(error: BaseException) -> str:
    """Return what an error is called, and what it says if it says anything."""
    return f"{type(error).__name__}: {error}".removesuffix(": ")


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise TimeoutError if this takes longer; only where there is an alarm, in the main thread."""
    has_alarm = hasattr(signal, "setitimer")  # Windows has none
    if not has_alarm or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(number: int, frame: object) -> None:
        raise TimeoutError

    theirs, start = signal.signal(signal.SIGALRM, ring), time.monotonic()
    # What is left is that of a limit around this one; 0 s would mean none.
    left, _ = signal.setitimer(signal.ITIMER_REAL, min(max(seconds, SOON), LATE), AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, theirs)
        if left:
            rest = left - (time.monotonic() - start)
            signal.setitimer(signal.ITIMER_REAL, max(rest, SOON), AGAIN)
