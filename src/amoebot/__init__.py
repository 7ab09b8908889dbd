"""Leader election in the geometric amoebot model."""

__version__ = "0.1.0"
