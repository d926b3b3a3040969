"""The inner loops of an exploration as machine code: successors, formulas, and the table of states.

Each does what a class of `bmc/engines/packed/` does with numpy, on the same arrays.
"""
