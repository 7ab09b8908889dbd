"""The schedulers by name, without what compiles them."""

from __future__ import annotations

from amoebot.errors import SchedulerError

#: What each scheduler does, in a few words.
SCHEDULERS = {
    "permutation": "everyone once a round, in a fresh random order",
    "uniform": "independent uniform picks; a round ends when everyone has been activated",
    "round-robin": "everyone once a round, in the order of their numbers",
    "with-cycle": "everyone once a round, along the boundaries",
    "against-cycle": "everyone once a round, against the direction of the boundaries",
    "adversarial": "everyone once a round, in an order that delays election and termination",
}

#: A round or a number of activations that is never reached: JavaScript's numbers hold it exactly.
NO_END = 1 << 62

#: With fewer agents on boundaries, it is quicker to activate one after another than in waves.
LEAST_AGENTS = 256

#: Smaller elections of which only the ends are wanted are run in groups: at most this many in one
#: call into compiled code.
GROUP = 128

#: They run side by side in waves where they have so many units, if what that takes is compiled: so
#: many elections are worth compiling it for a minute.
LEAST_UNITS, WORTHWHILE = 40, 5_000

#: The name of a schedule that the user provides.
BY_HAND = "by hand"


def check_scheduler(name: object) -> str:
    """Return a scheduler's name, or say which there are."""
    if not isinstance(name, str) or name not in SCHEDULERS:
        raise SchedulerError(f"there is no scheduler {name!r}: choose from {', '.join(SCHEDULERS)}")
    return name


def number_of(name: str) -> int:
    """Return the number of a scheduler, by which compiled code knows it."""
    return [*SCHEDULERS, BY_HAND].index(name)
