"""Particles on a shape, their agents and the boundaries, flattened to arrays."""

from amoebot.system.build import build, comes_first
from amoebot.system.model import PORTS, WIRING, Boundary, Ground, System

__all__ = ["PORTS", "WIRING", "Boundary", "Ground", "System", "build", "comes_first"]
