"""Readings: what a term means, read three ways.

``value`` evaluates terms on concrete states and is the judge of the others; ``expand`` turns
terms into circuits of scalars, which ``smt`` hands to z3 or bitwuzla and ``vector`` to numpy.
Nothing here knows an engine, a verdict or a protocol.
"""
