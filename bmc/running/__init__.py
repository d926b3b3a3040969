"""Processes: one supervisor of forked children, with limits, that leaves none of them behind.

A solver can be neither interrupted nor limited inside a call; the process it runs in can. Engines,
checkers, sweeps and regression runs start their processes here and nowhere else.
"""
