"""Solvers behind one small incremental interface; a file a backend.

Backends translate circuit operators and answer satisfiability. They know scalars only: no
protocol, transition system or verdict. :func:`create` imports a backend when it is asked for.
"""
