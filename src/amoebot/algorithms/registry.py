"""Which elections there are, and where to find them.

An election is known by the name of its package here, by a path (a Python file, or the folder of a
package), by the name under which Python imports it, or by an entry point in the group
``amoebot.elections``. The parts of it that need no compiler can be read without it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from threading import RLock
from types import ModuleType
from typing import Any

from amoebot import algorithms
from amoebot.algorithms.description import Course, Flag, Option, Outcome, Preset
from amoebot.errors import ExplainedError
from amoebot.files import reading

DEFAULT = "improved"
GROUP = "amoebot.elections"

#: An option that every election has.
TERMINATE = Flag("terminate", True, "everyone learns of the leader and stops (Appendix A.2)")

_loading = RLock()


class ElectionError(ExplainedError, ValueError):
    """Unknown or incomplete election."""

    topic = "own-election"


def built_in() -> list[str]:
    """Return the names of the elections that come with the package, the default one first."""
    found = [module.name for module in iter_modules(algorithms.__path__) if module.ispkg]
    names = [name.replace("_", "-") for name in found]
    return sorted(names, key=lambda name: (name != DEFAULT, name))


#: Of an election that tells nothing of its own.
NO_COURSE = Course((), ())


@dataclass(frozen=True)
class Election:
    """An election: its name, and where its modules are."""

    name: str
    module: str  #: under which Python imports it
    file: Path

    @property
    def is_package(self) -> bool:
        """Whether it is a package, with a module for each part."""
        return self.file.name == "__init__.py"

    @property
    def is_built_in(self) -> bool:
        """Whether it comes with this package."""
        return self.module.startswith("amoebot.")

    @property
    def digest(self) -> str:
        """Its name and, if it is not built in, a digest of its sources."""
        return self.name if self.is_built_in else _digest(self.file)

    def part(self, name: str) -> ModuleType | None:
        """Return one of its modules, such as ``options``; None if it has no such part."""
        return _part(self, name)

    def provides(self, part: str, name: str, default: Any = None) -> Any:
        """Return one of the names that a part provides."""
        return getattr(self.part(part), name, default)

    @property
    def course(self) -> Course:
        """Its milestones and phases."""
        course: Course = self.provides("course", "COURSE", NO_COURSE)
        return course

    @property
    def outcomes(self) -> dict[int, Outcome]:
        """How it can end without a leader, by number."""
        outcomes: dict[int, Outcome] = self.provides("course", "OUTCOMES", {})
        return outcomes

    @property
    def explored(self) -> dict[str, Any]:
        """The options that differ from the defaults when all states are explored."""
        explored: dict[str, Any] = self.provides("options", "EXPLORED", {})
        return explored

    @property
    def title(self) -> str:
        """What people call it."""
        return str(self.provides("options", "TITLE", "") or self.name)


@cache
def _part(election: Election, name: str) -> ModuleType | None:
    if not election.is_package:
        return import_module(election.module)
    file = election.file.parent / f"{name}.py"
    if not file.exists():
        return None
    if election.is_built_in:
        return import_module(f"{election.module}.{name}")
    with reading(str(file), ElectionError):
        return import_module(f"{election.module}.{name}")


def is_path(name: str) -> bool:
    """Whether an election is given by the path of a file or folder."""
    return name.endswith(".py") or "/" in name or "\\" in name


def find(name: str) -> Election:
    """Return an election by its name or path, or say which there are."""
    return _from_path(Path(name)) if is_path(name) else _find(name)


@cache
def _find(name: str) -> Election:
    if name in built_in():
        module = f"amoebot.algorithms.{name.replace('-', '_')}"
        folder = Path(algorithms.__path__[0]) / name.replace("-", "_")
        return Election(name, module, folder / "__init__.py")
    from importlib.metadata import entry_points  # which takes as long as all of ``--help``

    for entry in entry_points(group=GROUP):
        if entry.name == name:
            return _from_module(name, entry.value)
    if all(part.isidentifier() for part in name.split(".")):
        found = _spec(name)
        if found is not None:
            return _from_module(name, name)
    raise ElectionError(f"there is no election {name!r}: choose from {', '.join(built_in())}")


def options_of(algorithm: str) -> tuple[Option, ...]:
    """Return all options that an election has, beside those of every run."""
    own: tuple[Option, ...] = find(algorithm).provides("options", "OPTIONS", ())
    return (*own, TERMINATE)


def presets_of(algorithm: str) -> tuple[Preset, ...]:
    """Return the variants of an election that have a name."""
    presets: tuple[Preset, ...] = find(algorithm).provides("options", "PRESETS", ())
    return presets


def preset(algorithm: str, name: str) -> dict[str, Any]:
    """Return the options that a variant stands for, or say which variants there are."""
    known = {preset.name: preset for preset in presets_of(algorithm)}
    if name not in known:
        choices = ", ".join(known) or "none"
        raise ElectionError(f"{algorithm} has no variant {name!r}: choose from {choices}")
    return dict(known[name].values)


def _spec(name: str) -> Any:
    try:
        return importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None


def _from_module(name: str, module: str) -> Election:
    spec = _spec(module)
    if spec is None or spec.origin is None:
        raise ElectionError(f"the election {name} cannot be imported from {module}")
    return Election(name, module, Path(spec.origin))


def _from_path(path: Path) -> Election:
    """Return the election in a file or folder, under a module name that its content has alone."""
    file = (path / "__init__.py" if path.is_dir() else path).resolve()
    if not file.is_file():
        raise ElectionError(f"{path}: there is no election here")
    name = file.parent.name if file.name == "__init__.py" else file.stem
    taken = {module.name for module in iter_modules(algorithms.__path__)}
    if name in taken or not name.isidentifier():
        raise ElectionError(f"an election cannot be called {name}: rename {path}")
    module = f"amoebot_election_{name}_{_digest(file)}"
    with _loading:  # or another thread would take a module that is half executed
        if module not in sys.modules:
            load(module, file)
    return Election(name, module, file)


def _digest(file: Path) -> str:
    """Return a digest of the sources of a module, or of a package by its ``__init__.py``."""
    sources = sorted(file.parent.rglob("*.py")) if file.name == "__init__.py" else [file]
    digest = hashlib.sha256(str(file).encode())
    for source in sources:
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def load(module: str, file: Path) -> ModuleType:
    """Import a file, or a package by its ``__init__.py``, under a name of its own."""
    import amoebot.jit  # noqa: F401  # which may take a while, and is not the file's fault

    folders = [str(file.parent)] if file.name == "__init__.py" else None
    spec = importlib.util.spec_from_file_location(module, file, submodule_search_locations=folders)
    if spec is None or spec.loader is None:
        raise ElectionError(f"{file}: this is not a Python file")
    made = importlib.util.module_from_spec(spec)
    sys.modules[module] = made
    try:
        with reading(str(file), ElectionError):
            spec.loader.exec_module(made)
    except BaseException:
        del sys.modules[module]
        raise
    return made
