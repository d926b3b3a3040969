"""Explorations, simulations and coverage: counts, and what was met on the way."""
