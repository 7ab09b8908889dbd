"""The algorithm: an agent's memory, one module for each phase of Section 2, one activation."""
