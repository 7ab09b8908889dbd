"""The elections, one package each, and rules that several share; see ``interface``."""
