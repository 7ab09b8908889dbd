"""What runs the rules: schedulers, the round loop and the observer."""

from .loop import activate_particle, advance
from .schedulers import BY_HAND, SCHEDULERS, check_scheduler
from .start import new_state, without_inner_boundaries
from .state import LEADER, NO_CANDIDATES, TIED_IDENTIFIERS, State, changing

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
