"""Logs of systems against the protocols that they should follow."""
