"""Processes and files: what bmc does to the machine that it runs on.

There is one supervisor of forked children, with limits, that leaves none of them behind.

A solver can be neither interrupted nor limited inside a call; the process it runs in can. Engines,
checkers, sweeps and regression runs start their processes here and nowhere else, and every
command writes its files here.
"""
