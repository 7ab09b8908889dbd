"""Expressions over memories, as data: evaluated here on arrays, and on the page in JavaScript.

    me.setup == BACK
    when(me.marked, me.reversed_digit, "none yet")
    text("{}, {} settled", me.x.positive.held, me.x.positive.settled)

They are built by operators from the fields of a unit's memory, which are whole numbers. ``&``,
``|`` and ``~`` are "and", "or" and "not" between conditions; between numbers, ``&`` and ``|`` work
on bits. Bits count up to the 31st, which is where JavaScript's end.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

#: What can stand in an expression, and wherever one is expected.
Value = Any


class Expression:
    """An operation on values that are not known yet."""

    __slots__ = ("_operands", "_operator")

    def __init__(self, name: str, *operands: Value) -> None:
        """Apply an operator, by its name, to expressions and constants."""
        self._operator, self._operands = name, operands

    def __bool__(self) -> bool:
        """Refuse: nothing is known yet."""
        raise TypeError("join conditions by &, | and ~, not by and, or and not")

    __hash__ = object.__hash__

    def __invert__(self) -> Expression:
        """Return the opposite of a condition."""
        return Expression("not", self)

    def __repr__(self) -> str:
        """Show it as it travels to the page."""
        return repr(as_json(self))


class Field(Expression):
    """A field of a memory. A record's own fields are its attributes, an array's its items."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        """Return a field of the record that this one is."""
        if name.startswith("_"):
            raise AttributeError(name)
        place, path = self._operator, *self._operands
        return Field(place, f"{path}.{name}" if path else name)

    def __getitem__(self, index: int) -> Any:
        """Return an item of the array that this field is."""
        return Field.__getattr__(self, str(index))


#: The memory of a unit.
me: Any = Field("me", "")

#: What its particle sees there: ``empty``, ``agent_identifier``, and ``boundary``, 0 for the outer
#: one. Elections on nodes have no view.
view: Any = Field("view", "")

#: The options of the run.
option: Any = Field("option", "")

#: For what an activation does: the unit before it, and its neighbours on the ring.
was: Any = Field("was", "")
pred: Any = Field("pred", "")
pred_was: Any = Field("pred_was", "")
succ: Any = Field("succ", "")
succ_was: Any = Field("succ_was", "")

#: Where fields can be read, and which of these places are memories.
MEMORIES = ("me", "was", "pred", "pred_was", "succ", "succ_was")
PLACES = (*MEMORIES, "view", "option")


def _plus(one: Any, other: Any) -> Any:
    return one * 1 + other * 1  # NumPy takes the sum of two conditions for "or"


def _minus(one: Any, other: Any) -> Any:
    return one * 1 - other * 1


#: The methods by which Python writes each operator, and what it does.
_BINARY: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "==": ("eq", operator.eq),
    "!=": ("ne", operator.ne),
    "<": ("lt", operator.lt),
    "<=": ("le", operator.le),
    ">": ("gt", operator.gt),
    ">=": ("ge", operator.ge),
    "+": ("add", _plus),
    "-": ("sub", _minus),
    "*": ("mul", operator.mul),
    "//": ("floordiv", operator.floordiv),
    "%": ("mod", operator.mod),
    "&": ("and", operator.and_),
    "|": ("or", operator.or_),
    "^": ("xor", operator.xor),
    "<<": ("lshift", operator.lshift),
    ">>": ("rshift", operator.rshift),
}


def _overload(name: str, method: str) -> None:
    def forwards(self: Expression, other: Value) -> Expression:
        return Expression(name, self, other)

    def backwards(self: Expression, other: Value) -> Expression:
        return Expression(name, other, self)

    setattr(Expression, f"__{method}__", forwards)
    if method not in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(Expression, f"__r{method}__", backwards)


for _name, (_method, _) in _BINARY.items():
    _overload(_name, _method)


def when(condition: Value, one: Value, other: Value) -> Value:
    """Return one value or another."""
    return Expression("when", condition, one, other)


def choose(index: Value, values: list[Any]) -> Value:
    """Return the constant at an index; beyond the end, the last one."""
    return Expression("choose", index, *values)


def text(template: str, *values: Value) -> Value:
    """Return text with values in the place of each ``{}``."""
    return Expression("text", template, *values)


def one_of(value: Value, *constants: int) -> Value:
    """Return whether a value is one of some constants."""
    found: Value = value == constants[0]
    for constant in constants[1:]:
        found = found | (value == constant)
    return found


def evaluate(value: Value, places: Mapping[str, Any]) -> Any:
    """Return what an expression comes to, for one record or for each of an array of them."""
    if not isinstance(value, Expression):
        return value
    name, operands = value._operator, value._operands
    if name in PLACES:
        found = places[name]
        for part in operands[0].split("."):
            found = found[..., int(part)] if part.isdigit() else found[part]
        return np.asarray(found).astype(np.int64)
    given = [evaluate(operand, places) for operand in operands]
    if name in _BINARY:
        return _BINARY[name][1](*given)
    return _OTHERS[name](*given)


def _when(condition: Any, one: Any, other: Any) -> Any:
    if any(np.asarray(value).dtype.kind in "OU" for value in (one, other)):
        one, other = np.asarray(one, object), np.asarray(other, object)
    return np.where(condition, one, other)


def _choose(index: Any, *values: Any) -> Any:
    kind = object if any(isinstance(value, str | None) for value in values) else None
    return np.asarray(values, kind)[np.clip(index, 0, len(values) - 1)]


def _text(template: str, *values: Any) -> Any:
    arrays = np.broadcast_arrays(*(np.asarray(value, object) for value in values))
    rows = zip(*(array.ravel() for array in arrays), strict=True)
    found = np.empty(arrays[0].size if arrays else 1, object)
    found[:] = [template.format(*row) for row in rows] if arrays else [template]
    return found.reshape(arrays[0].shape if arrays else ())


_OTHERS: dict[str, Callable[..., Any]] = {
    "not": np.logical_not,
    "when": _when,
    "choose": _choose,
    "text": _text,
}


def as_json(value: Any) -> Any:
    """Return an expression, or anything declared with some inside, ready for JSON.

    An operation is a list: its operator, then its operands. A field is a list too: whose it is,
    and its path.
    """
    if isinstance(value, Expression):
        return [value._operator, *map(as_json, value._operands)]
    if is_dataclass(value):
        return {field.name: as_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {key: as_json(one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return [as_json(one) for one in value]
    return value.item() if isinstance(value, np.generic) else value


def mentioned(value: Any) -> Iterator[tuple[str, str]]:
    """Yield the fields that the JSON of a declaration mentions, each as its place and path."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        if len(value) == 2 and value[0] in PLACES and isinstance(value[1], str):
            yield value[0], value[1]
        for one in value:
            yield from mentioned(one)
