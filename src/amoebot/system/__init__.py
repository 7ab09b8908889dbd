"""Particles on a shape, their agents and the boundaries, flattened to arrays."""

from amoebot.system.build import build
from amoebot.system.model import PORTS, WIRING, Boundary, System

__all__ = ["PORTS", "WIRING", "Boundary", "System", "build"]
