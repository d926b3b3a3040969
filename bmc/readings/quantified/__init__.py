"""The `quantified` reading: terms as first-order formulas, at no particular parameter values.

Scalarsets become uninterpreted sorts, integers stay integers between symbolic bounds, maps become
functions and sets predicates. Nothing here knows a solver, a proof obligation or a search.
"""
