"""An election's engine as LLVM text: run as a program of its own, for the sake of its settings.

    python -m amoebot.browser.compiling ALGORITHM [RULES] > engine.json

The settings of the compiler are those of the process: neither what this machine's processor can do
nor what was compiled before may have an influence on the result.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import llvmlite.binding as llvm
from numba import cfunc

from amoebot import jit
from amoebot.linking import Rules, link


def engine(algorithm: str, rules: Rules | None) -> dict[str, Any]:
    """Return the text, and the names of the functions that are called from outside."""
    linked = link(algorithm, rules, by_address=False)
    kernel = linked.module("browser.kernel")
    made = {
        jit.source(one).__name__: _function(jit.source(one), kind)
        for one, kind in kernel.EXPORTS.items()
    }
    first, *others = made.values()
    for other in others:
        first.link_in(other)
    return {"exported": [*made], "text": str(first)}


def _function(function: Any, kind: Any) -> Any:
    """Compile a function, and return it with all that it calls."""
    compiled = cfunc(kind, error_model="numpy")(function)
    text = compiled.inspect_llvm().replace(compiled._wrapper_name, function.__name__)
    return llvm.parse_assembly(text)


def main() -> None:
    """Print the text."""
    algorithm, *files = sys.argv[1:]
    print(json.dumps(engine(algorithm, Rules.read(files[0], algorithm) if files else None)))


if __name__ == "__main__":
    main()
