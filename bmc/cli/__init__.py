"""The command line: a file a command, and what the commands share.

A command turns words into a task, hands it to an engine, and the answer to a report. Whatever
takes time to import (solvers, protocols, rich) is imported inside the command that needs it, so
that `bmc --help` answers at once. No verdict is made here.
"""
