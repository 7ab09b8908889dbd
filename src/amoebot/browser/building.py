"""From an election to a WebAssembly module.

The engine is compiled by Numba to LLVM text (``compiling``), which is optimised and turned into an
object for WebAssembly by the LLVM that comes with Numba, and linked with a small runtime by
``wasm-ld`` from the package ``ziglang``. The same sources give the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import llvmlite
import llvmlite.binding as llvm
from filelock import FileLock

from amoebot.algorithms import registry
from amoebot.cache import cache_folder
from amoebot.errors import ExplainedError
from amoebot.linking import Rules
from amoebot.render import changes

TRIPLE = "wasm32-unknown-unknown"
LAYOUT = "e-m:e-p:32:32-p10:8:8-p20:8:8-i64:64-i128:128-n32:64-S128-ni:1:10:20"

#: WebAssembly features that all browsers have had for years.
FEATURES = "+bulk-memory,+mutable-globals,+nontrapping-fptoint,+sign-ext"

#: Settings of the compiler under which the text depends on the sources alone.
SETTINGS = {
    "NUMBA_CPU_NAME": "generic",
    "NUMBA_CPU_FEATURES": "",
    "NUMBA_OPT": "0",  # which leaves the layout of records open, and it differs there
    "PYTHONHASHSEED": "0",
}

#: Sources that only describe and wrap the module.
NO_PART_OF_THE_MODULE = ("__init__.py", "about.py", "amoebot.d.mts", "live.py")

#: The functions of the runtime that are called from outside.
OF_RUNTIME = ("allocate", "mark", "release")


class BuildError(ExplainedError, ValueError):
    """The module cannot be built."""

    topic = "live"


def engine(algorithm: str, rules: Rules | None = None) -> bytes:
    """Return the module of an election, built when it is first asked for."""
    kept = _kept(algorithm, rules)
    if kept is None:
        return build(algorithm, rules)
    with FileLock(kept.with_suffix(".lock")):
        if not kept.exists():
            half = kept.with_suffix(".half")
            half.write_bytes(build(algorithm, rules))
            half.replace(kept)
        return kept.read_bytes()


def _kept(algorithm: str, rules: Rules | None) -> Path | None:
    """Return where a finished module is kept: beside the compiled code of the same sources."""
    election = registry.find(algorithm).digest + (f"-{rules.digest}" if rules else "")
    tools = f"{llvmlite.__version__}-{_linker()}"
    folder = cache_folder(f"{tools}-{_digest()}-{election}", "browser")
    return folder / "engine.wasm" if folder else None


def _linker() -> str:
    """Return the version of the linker's package, which has a part in the bytes."""
    try:
        return version("ziglang")
    except PackageNotFoundError:
        return ""


def _digest() -> str:
    """Return a digest of what builds the module, and of what it holds beside the engine."""
    digest = hashlib.sha256()
    for file in (*sorted(Path(__file__).parent.iterdir()), Path(changes.__file__)):
        if file.is_file() and file.name not in NO_PART_OF_THE_MODULE:
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def build(algorithm: str, rules: Rules | None = None) -> bytes:
    """Build the module of an election."""
    rules_file = rules.file if rules else None
    if rules and not rules_file:
        raise BuildError(f"the rules {rules.name} must be read from a file")
    print("Building the engine for browsers …", file=sys.stderr, flush=True)
    with TemporaryDirectory() as name:
        folder = Path(name)
        text, exported = _engine_text(algorithm, rules_file, folder)
        (folder / "engine.o").write_bytes(_object(_retargeted(text), exported))
        _zig(folder, "cc", *_CC, str(_runtime()), "-o", str(folder / "runtime.o"))
        exports = [f"--export={name}" for name in (*OF_RUNTIME, *exported)]
        objects = [str(folder / file) for file in ("engine.o", "runtime.o")]
        linked = str(folder / "engine.wasm")
        _zig(folder, "wasm-ld", *_LD, *exports, "-o", linked, *objects)
        return Path(linked).read_bytes()


_CC = ("--target=wasm32-freestanding", "-mbulk-memory", "-O2", "-g0", "-fno-sanitize=all", "-c")
_LD = ("--no-entry", "--gc-sections", "--strip-all", "-O2", "-z", "stack-size=1048576")


def _runtime() -> Path:
    return Path(str(files("amoebot.browser").joinpath("runtime.c")))


def _engine_text(algorithm: str, rules_file: Path | None, folder: Path) -> tuple[str, list[str]]:
    """Compile the engine in a process with settings of its own and an empty cache.

    Return the text, and the names of the functions that are called from outside.
    """
    command = [sys.executable, "-m", "amoebot.browser.compiling", algorithm]
    command += [str(rules_file)] if rules_file else []
    environment = {**os.environ, **SETTINGS, "AMOEBOT_CACHE": str(folder / "cache")}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["no reason given"]
        raise BuildError(f"{algorithm} cannot be compiled for browsers: {last[0]}")
    made = json.loads(done.stdout)
    return made["text"], made["exported"]


#: A function of Python or of Numba's runtime that is declared only.
_DECLARED = re.compile(
    r"^declare ([^@\n]*@((?:Py|_Py|numba_|NRT_)\w+)\([^\n]*\))[^\n]*$", re.MULTILINE
)

#: What differs between machines, and what WebAssembly does not know.
_REPLACED = {
    r'^target triple = "[^"]*"': f'target triple = "{TRIPLE}"',
    r'^target datalayout = "[^"]*"': f'target datalayout = "{LAYOUT}"',
    r'"(target-cpu|target-features|tune-cpu)"="[^"]*"': "",
    # Counting references is up to the runtime: threads, which make it costly, do not exist there.
    r"^define [^@\n]*@NRT_(in|de)cref\(.*?^\}": r"declare void @NRT_\1cref(ptr)",
    # Addresses have four bytes there, and so has their alignment.
    r"^( *(?:%[^\n]* = )?(?:alloca|load|store) (?:ptr|\{[^}\n]*ptr)[^\n]*), align 8": r"\1",
    r"= common ((?:local_unnamed_addr )?global)": r"= internal \1",
}


#: What differs from machine to machine: where objects were in memory while the text was made, in
#: names and as dead pointers, and digests of what errors would say.
_ADDRESS = re.compile(
    r"(?<=globals\.)[0-9a-f]{9,}|(?<=_0x)[0-9a-f]{9,}|(?<=inttoptr \(i64 )\d{9,}"
    r"|(?<=pickledata\.)[0-9a-f]{40}|(?<=picklebuf\.)[0-9a-f]{40}"
)

#: What errors would say, which has paths of source files in it and is heard by nobody.
_SAID = re.compile(r'^(@\.const\.pickledata\.\S+ = internal constant) \[\d+ x i8\] c"[^"]*"', re.M)
_LENGTH = re.compile(r"(\{ ptr @\.const\.pickledata\.\S+, i32) \d+")


def _retargeted(text: str) -> str:
    """Return LLVM text for the other machine, the same wherever it is made.

    What Numba would call in Python, to raise an exception, does not exist there: it stops the
    module instead.
    """
    numbers: dict[str, str] = {}
    text = _ADDRESS.sub(lambda found: numbers.setdefault(found[0], str(len(numbers))), text)
    text = _LENGTH.sub(r"\1 0", _SAID.sub(r"\1 [0 x i8] zeroinitializer", text))
    for pattern, replacement in _REPLACED.items():
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE | re.DOTALL)
    runtime = _runtime().read_text(encoding="utf-8")

    def defined(found: re.Match[str]) -> str:
        if re.search(rf"\b{re.escape(found[2])}\(", runtime):
            return found[0]
        return f"define {found[1]} {{\n  call void @llvm.trap()\n  unreachable\n}}"

    text = _DECLARED.sub(defined, text)
    if "declare void @llvm.trap()" not in text:
        text += "\ndeclare void @llvm.trap()\n"
    return text


def _object(text: str, exported: list[str]) -> bytes:
    """Optimise LLVM text, and turn it into an object file.

    All but what is called from outside is internal, so that what is not needed can go.
    """
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module = llvm.parse_assembly(text)
    module.verify()
    for function in module.functions:
        if not function.is_declaration and function.name not in exported:
            function.linkage = llvm.Linkage.internal
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(
        opt=3, features=FEATURES, jit=False
    )
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_vectorization = tuning.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, tuning)
    _without_needless_counting(module, builder)
    builder.getModulePassManager().run(module, builder)
    return bytes(machine.emit_object(module))


def _without_needless_counting(module: Any, builder: Any) -> None:
    """Drop pairs of calls that count a reference up and down again: half of the time goes there."""
    passes = llvm.create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    passes.add_refprune_pass()
    passes.run(module, builder)


def _zig(folder: Path, *arguments: str) -> None:
    """Run a tool of the package ``ziglang``."""
    environment = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(folder / "zig")}
    environment["ZIG_LOCAL_CACHE_DIR"] = environment["ZIG_GLOBAL_CACHE_DIR"]
    command = [sys.executable, "-m", "ziglang", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if "No module named ziglang" in done.stderr:
        raise BuildError("this needs the builder's tools: pip install '.[browser]'")
    if done.returncode:
        raise BuildError(f"{arguments[0]} failed: {done.stderr.strip().splitlines()[-1]}")
