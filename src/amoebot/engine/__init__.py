"""What runs the rules: schedulers, the round loop and the observer."""

from amoebot.engine.loop import activate_particle, advance
from amoebot.engine.schedulers import BY_HAND, SCHEDULERS, check_scheduler
from amoebot.engine.start import new_state, without_inner_boundaries
from amoebot.engine.state import LEADER, NO_CANDIDATES, TIED_IDENTIFIERS, State, changing

__all__ = [
    "BY_HAND",
    "LEADER",
    "NO_CANDIDATES",
    "SCHEDULERS",
    "TIED_IDENTIFIERS",
    "State",
    "activate_particle",
    "advance",
    "changing",
    "check_scheduler",
    "new_state",
    "without_inner_boundaries",
]
