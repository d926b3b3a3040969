"""Readings: what a term means.

``value`` evaluates terms on concrete states and is the judge of the others. ``expand`` turns terms
into circuits of scalars, at given parameters; ``vector`` runs circuits on numpy's columns, and
``gates`` makes an and-inverter graph of them. ``quantified`` reads terms as first-order formulas,
at no particular parameters. Nothing here knows an engine, a verdict or a protocol.
"""
