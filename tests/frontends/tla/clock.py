"""The text of a clock with a lamp, and how a command is given it."""

from collections.abc import Callable

CLOCK = """---- MODULE Clock ----
EXTENDS Naturals
CONSTANTS Most, Off
VARIABLES clock, lamp
vars == <<clock, lamp>>
Init == clock = 0 /\\ lamp = Off
Tick == clock < Most /\\ clock' = clock + 1 /\\ UNCHANGED lamp
Switch == lamp' = (IF lamp = Off THEN clock ELSE Off) /\\ UNCHANGED clock
Next == Tick \\/ Switch
Spec == Init /\\ [][Next]_vars
Small == clock < 2
Bounded == clock <= Most
Tight == clock < 2
Lit == lamp = Off \\/ lamp <= clock
Forward == [][clock' >= clock]_vars
Live == <>(clock = Most)
Forth == clock' < 2
Both == [time |-> clock, light |-> lamp]
====
"""
CONSTANTS = "SPECIFICATION Spec CONSTANTS Most = 3 Off = Off\n"

Bmc = Callable[..., tuple[int, str]]
"""A command, what the configuration has beside the constants, and options: the exit code and what
is printed."""
