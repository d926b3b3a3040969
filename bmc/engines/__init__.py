"""Engines: ways to decide properties of a transition system.

Each takes a :class:`~bmc.engines.task.Task` and an observer and returns verdicts with evidence.
No engine prints, and none knows the command line or a protocol.
"""
