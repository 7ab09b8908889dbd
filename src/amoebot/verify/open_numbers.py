"""Numbers that are left open: only as much of them is chosen as is asked.

Rules run with them as with any others; where a rule asks something of one, every answer is tried.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

Binary = Callable[[Any, Any], Any]


class Choices:
    """Answers to what is left open. Who asks is run again until every answer has been given."""

    def __init__(self) -> None:
        """Begin with the first answer to everything."""
        self._answers: list[int] = []
        self._ways: list[int] = []
        self._asked = 0

    def choose(self, values: Sequence[int]) -> int:
        """Return one of these values, the same one whenever this is run with the same answers."""
        if len(values) == 1:
            return values[0]
        if self._asked == len(self._answers):
            self._answers.append(0)
            self._ways.append(len(values))
        answer = self._answers[self._asked]
        self._asked += 1
        return values[answer]

    def all(self) -> Iterator[None]:
        """Go through all answers to what is asked meanwhile."""
        while True:
            self._asked = 0
            yield
            del self._answers[self._asked :], self._ways[self._asked :]
            while self._answers and self._answers[-1] + 1 == self._ways[-1]:
                self._answers.pop()
                self._ways.pop()
            if not self._answers:
                return
            self._answers[-1] += 1


def same(value: int) -> int:
    """Return a number as it is."""
    return value


def both_ways(function: Binary) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return an operator of open numbers on the left, and on the right."""

    def left(self: Open, other: Any) -> Any:
        return self.meet(other, function)

    def right(self: Open, other: Any) -> Any:
        return self.meet(other, lambda one, two: function(two, one))

    return left, right


def alone(function: Callable[[int], int]) -> Callable[..., Any]:
    """Return an operator of one open number."""
    return lambda self: self.then(function)


def compared(function: Binary) -> Callable[..., Any]:
    """Return a comparison, whose answer is chosen."""
    return lambda self, other: bool(self.meet(other, function))


class Source:
    """Something left open: what it can still be."""

    def __init__(self, choices: Choices, values: Sequence[int]) -> None:
        """Begin with all values that it can have."""
        self.choices, self.values = choices, values


class Open:
    """A number of which only as much is chosen as a rule asks.

    What is computed from it stays open too. Two numbers left open meet when the one that can be
    fewer things has been chosen.
    """

    __array_ufunc__ = None  # so that NumPy leaves operators to this class

    def __init__(self, source: Source, value: Callable[[int], int]) -> None:
        """Be computed from something that is left open."""
        self._source, self._value = source, value

    def ask(self, question: Callable[[int], int]) -> int:
        """Choose an answer to a question, and leave open the rest."""
        answers: dict[int, list[int]] = {}
        for value in self._source.values:
            answers.setdefault(int(question(self._value(value))), []).append(value)
        answer = self._source.choices.choose([*answers])
        self._source.values = answers[answer]
        return answer

    def then(self, function: Callable[[int], int]) -> Open:
        """Compute something from it."""
        value = self._value
        return Open(self._source, lambda source: function(value(source)))

    def meet(self, other: Any, function: Callable[[int, int], int]) -> Any:
        """Compute something from it and from another number."""
        if not isinstance(other, Open):
            number = int(other)
            return self.then(lambda value: function(value, number))
        if other._source is self._source:
            one, two = self._value, other._value
            return Open(self._source, lambda source: function(one(source), two(source)))
        if self._ways() < other._ways():
            number = int(self)
            return other.then(lambda value: function(number, value))
        return self.meet(int(other), function)

    def _ways(self) -> int:
        return len({self._value(value) for value in self._source.values})

    def __int__(self) -> int:
        """Choose what it is."""
        return self.ask(same)

    def __bool__(self) -> bool:
        """Choose whether it is something else than 0."""
        return bool(self.ask(bool))

    __index__ = __int__
    __hash__ = None  # type: ignore[assignment]
    __and__, __rand__ = both_ways(operator.and_)
    __or__, __ror__ = both_ways(operator.or_)
    __xor__, __rxor__ = both_ways(operator.xor)
    __add__, __radd__ = both_ways(operator.add)
    __sub__, __rsub__ = both_ways(operator.sub)
    __mul__, __rmul__ = both_ways(operator.mul)
    __mod__, __rmod__ = both_ways(operator.mod)
    __floordiv__, __rfloordiv__ = both_ways(operator.floordiv)
    __lshift__, __rlshift__ = both_ways(operator.lshift)
    __rshift__, __rrshift__ = both_ways(operator.rshift)
    __invert__, __neg__ = alone(operator.invert), alone(operator.neg)
    __eq__, __ne__ = compared(operator.eq), compared(operator.ne)
    __lt__, __le__ = compared(operator.lt), compared(operator.le)
    __gt__, __ge__ = compared(operator.gt), compared(operator.ge)


def answer(value: Any, question: Callable[[int], int]) -> int:
    """Answer a question about a number, open or not."""
    return value.ask(question) if isinstance(value, Open) else int(question(int(value)))


def as_word(kind: Any) -> Callable[[Any], Any]:
    """Return what makes words of numbers, open ones too, as a type of NumPy does."""
    mask = (1 << 8 * kind().itemsize) - 1

    def converted(value: Any) -> Any:
        return value & mask if isinstance(value, Open) else kind(value)

    return converted


def one_or_other(choose: Callable[..., Any]) -> Callable[..., Any]:
    """Return what chooses between two numbers by a condition, and leaves both open."""

    def chosen(condition: Any, one: Any, other: Any) -> Any:
        number = int(condition)
        return (other, one)[number] if number in (0, 1) else choose(number, one, other)

    return chosen
