"""The options that commands share.

Those of an election are made from what the elections declare: no command knows any of them.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from amoebot.algorithms import registry
from amoebot.algorithms.description import Flag, Option, Preset, read_setting
from amoebot.cli import streams
from amoebot.cli.refusing import BadInput, explaining_election, refusing, refusing_late
from amoebot.engine.names import SCHEDULERS
from amoebot.files import reading_within

if TYPE_CHECKING:
    from amoebot.options import Options as Options
    from amoebot.shapes import Shape
else:
    Options = Any  # to import it takes the compiler

_Command = Callable[..., Any]

#: Options of an election, and the words of the command line that set them.
_Given = tuple[str, Mapping[str, Any]]

ShapeSeed = Annotated[
    int,
    typer.Option(
        metavar="N", min=0, max=2**64 - 1, help="Seed of a random shape, and of --expanded."
    ),
]
Expanded = Annotated[
    float | None,
    typer.Option(
        metavar="FRACTION", help="Pair this share of the nodes, 0 to 1, to expanded particles."
    ),
]
Seed = Annotated[int, typer.Option(metavar="N", help="Seed of coins and schedule.")]
Scheduler = Annotated[
    str,
    typer.Option(
        metavar="NAME|FILE", help=f"One of {', '.join(SCHEDULERS)}, or a Python file of your own."
    ),
]
Algorithm = Annotated[
    str,
    typer.Option(
        metavar="NAME|FILE",
        help=f"The election: {', '.join(registry.built_in())}, or a Python file or package.",
    ),
]
Variant = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Options of the election that go together under one name."),
]
AnyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--option", "-O", metavar="NAME=VALUE", help="Any option of the election; may be repeated."
    ),
]
RulesFile = Annotated[
    Path | None,
    typer.Option("--rules", metavar="FILE", help="A Python file with rules of your own."),
]
Faults = Annotated[
    str, typer.Option(metavar="TEXT", help='Such as "crash 3@10, corrupt ?@20": see help faults.')
]
PropertiesFile = Annotated[
    Path | None,
    typer.Option("--properties", metavar="FILE", help="A Python file with properties of your own."),
]
Threads = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="Threads; by default, all processors.")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite what is there already.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, for programs to read.")]


class _Word(NamedTuple):
    """What sets options of an election: how it is declared, and how it is read."""

    annotation: Any
    read: Callable[[str, Any], list[_Given]]  #: of the election's name and what was given


def takes_options(
    *, schedule: bool = True, explored: bool = False
) -> Callable[[_Command], _Command]:
    """Give a command the options of a run, in the place of its parameter ``options``.

    It gets them as one ``Options``. Without a schedule there is neither a seed nor a scheduler;
    ``explored`` asks for the defaults that an election has for exploration. A command with a
    parameter ``typed`` gets the options on its line that say which run it is.
    """

    def decorate(command: _Command) -> _Command:
        own = inspect.signature(command, eval_str=True).parameters
        scheduled = {
            "seed": (Seed, 0),
            "scheduler": (Scheduler, "permutation"),
            "faults": (Faults, ""),
        }
        common: dict[str, tuple[Any, Any]] = {
            **(scheduled if schedule else {}),
            "algorithm": (Algorithm, registry.DEFAULT),
            "rules": (RulesFile, None),
        }
        words = _words({*own, *common}, explored)
        of_run = {*common, *words, "shape_seed", "expanded"}
        added = common | {name: (word.annotation, None) for name, word in words.items()}

        def run(**values: Any) -> Any:
            chosen = {name: values.pop(name) for name in common}
            given = {name: values.pop(name) for name in words}
            if "typed" in own:
                values["typed"] = _typed(values["typed"], of_run)
            with reading_within(values.get("time_limit")):
                with refusing():
                    options = _options(words, given, explored, **chosen)
                with explaining_election(options), refusing_late():
                    return command(**values, options=options)

        parameters = []
        for name, parameter in own.items():
            annotation = typer.Context if name == "typed" else parameter.annotation
            plain = {name: (annotation, parameter.default)}
            for each, (annotation, default) in (added if name == "options" else plain).items():
                kind = inspect.Parameter.KEYWORD_ONLY
                made = inspect.Parameter(each, kind, default=default, annotation=annotation)
                parameters.append(made)
        run.__name__, run.__doc__ = command.__name__, command.__doc__
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {made.name: made.annotation for made in parameters}
        return run

    return decorate


def _typed(context: typer.Context, of_run: set[str]) -> list[str]:
    """Return those of some options that are on the command line."""
    found = []
    for option in context.command.params:
        source = context.get_parameter_source(str(option.name))
        if option.name in of_run and source is not None and source.name == "COMMANDLINE":
            is_off = option.secondary_opts and context.params.get(str(option.name)) is False
            found.append(max(option.secondary_opts if is_off else option.opts, key=len))
    return found


def _words(taken: set[str], explored: bool) -> dict[str, _Word]:
    """Return what sets options of elections: a flag for each that a built-in one declares."""
    words: dict[str, _Word] = {}
    elections = registry.built_in()
    for election in elections:
        defaults = _explored(election) if explored else {}
        for option in registry.options_of(election):
            if option.name not in taken:
                default = defaults.get(option.name, option.default)
                whose = "" if option == registry.TERMINATE else election
                words.setdefault(option.name, _option_word(option, default, whose))
    for election in elections:
        for preset in registry.presets_of(election):
            name = preset.name.replace("-", "_")
            if name not in taken:  # an option may have the flag already
                words.setdefault(name, _preset_word(preset, election))
    words["variant"] = _Word(
        Variant, lambda algorithm, name: [(f"--variant {name}", registry.preset(algorithm, name))]
    )
    words["option"] = _Word(
        AnyOption,
        lambda _, texts: [(f"--option {text}", dict([read_setting(text)])) for text in texts],
    )
    return words


def _explored(algorithm: str) -> dict[str, Any]:
    """Return what differs from an election's defaults when all states are explored."""
    return registry.find(algorithm).explored


def _help(text: str, election: str) -> str:
    """Return a help text, with the name of the election that it is about."""
    return f"{election}: {text}" if election else text[0].upper() + text[1:]


def _option_word(option: Option, default: Any, election: str) -> _Word:
    flag, text = flag_of(option.name), _help(option.help, election)
    annotation: Any
    if isinstance(option, Flag):
        text += f"; by default, {'yes' if default else 'no'}."
        both = f"{flag}/{flag_of(option.name, False)}"
        annotation = Annotated[bool | None, typer.Option(both, help=text)]
    else:
        text += f", {option.least} to {option.most}; by default, {default}."
        annotation = Annotated[int | None, typer.Option(flag, metavar="N", help=text)]
    return _Word(annotation, lambda _, value: [(flag_of(option.name, value), {option.name: value})])


def _preset_word(preset: Preset, election: str) -> _Word:
    flag, text = f"--{preset.name}", f"{_help(preset.help, election)}."
    return _Word(
        Annotated[bool | None, typer.Option(flag, help=text)],
        lambda algorithm, _: [(flag, registry.preset(algorithm, preset.name))],
    )


def flag_of(name: str, value: Any = True) -> str:
    """Return the words that set an option on the command line."""
    flag = name.replace("_", "-")
    if isinstance(value, bool):
        return f"--{flag}" if value else f"--no-{flag}"
    return f"--{flag} {value}"


def _options(
    words: dict[str, _Word],
    given: dict[str, Any],
    explored: bool,
    algorithm: str,
    rules: Path | None,
    **run: Any,
) -> Options:
    """Return all that was given as one, or say which words contradict each other."""
    own: dict[str, Any] = {}
    source: dict[str, str] = {}
    for word, value in given.items():
        for said, values in words[word].read(algorithm, value) if value not in (None, []) else ():
            for name, setting in values.items():
                if own.setdefault(name, setting) != setting:
                    raise BadInput(f"{source[name]} and {said} contradict each other: {name}")
                source.setdefault(name, said)
    if explored:
        own = _explored(algorithm) | own
    from amoebot.linking import Rules
    from amoebot.options import Options

    changed = None if rules is None else Rules.read(rules, algorithm)
    return Options(**run, algorithm=algorithm, own=own, rules=changed)


def read_shape(text: str, seed: int, expanded: float | None) -> Shape:
    """Return the shape that a command was given; its own expanded particles stay if none are."""
    from amoebot.shapes import parse

    with refusing():
        shape = parse(text, seed)
        return shape if expanded is None else shape.with_expanded(expanded, seed)


def print_json(content: dict[str, Any]) -> None:
    """Print what a program is to read."""
    typer.echo(json.dumps(content, allow_nan=False), file=streams.for_object())
