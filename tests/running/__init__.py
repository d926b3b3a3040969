"""Processes, their limits and their ends."""
