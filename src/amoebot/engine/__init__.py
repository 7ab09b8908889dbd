"""What runs the rules: schedulers, the round loop and the observer."""

from amoebot.engine.loop import activate, advance
from amoebot.engine.schedulers import SCHEDULERS, actors, check_scheduler
from amoebot.engine.state import LEADER, NO_CANDIDATES, RUN, TIED_IDENTIFIERS, WATCH, State

__all__ = [
    "LEADER",
    "NO_CANDIDATES",
    "RUN",
    "SCHEDULERS",
    "TIED_IDENTIFIERS",
    "WATCH",
    "State",
    "activate",
    "actors",
    "advance",
    "check_scheduler",
]
