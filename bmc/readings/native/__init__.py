"""The circuit reading as machine code, for blocks of 64 states.

LLVM makes the code while bmc runs (llvmlite, the extra `native`), so that a user needs no compiler.
Everything that is done this way numpy does as well, from :mod:`bmc.readings.vector`.
"""
