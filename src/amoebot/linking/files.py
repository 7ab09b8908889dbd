"""Python files of the user's: read, and run as modules of their own."""

from __future__ import annotations

import hashlib
import linecache
from pathlib import Path
from types import ModuleType

from amoebot.linking import watchdog


def read_text(path: Path, refusal: type[ValueError]) -> str:
    """Return the text of a file, or say why there is none."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise refusal(f"{path}: {(error.strerror or str(error)).lower()}") from None
    except UnicodeDecodeError:
        raise refusal(f"{path}: this is not a text file") from None


def run_file(text: str, name: str, refusal: type[ValueError]) -> ModuleType:
    """Run the text of a Python file as a module of its own; say in one sentence why it cannot."""
    file = f"<{name}.py {hashlib.sha256(text.encode()).hexdigest()[:16]}>"
    # As for a file, tracebacks and ``inspect`` find the source there.
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    module = ModuleType(f"own_{name}")
    try:
        with watchdog.at_most(watchdog.READING):
            exec(compile(text, file, "exec"), vars(module))
    except SyntaxError as error:
        raise refusal(f"{name}.py, line {error.lineno}: {error.msg}") from None
    except TimeoutError:
        raise refusal(
            f"{name}.py: it takes longer than {watchdog.READING:g} s to be read"
        ) from None
    except SystemExit:
        raise refusal(
            f"{name}.py: SystemExit: it ends the program instead of defining functions"
        ) from None
    except Exception as error:
        raise refusal(f"{name}.py: {type(error).__name__}: {error}") from None
    return module
