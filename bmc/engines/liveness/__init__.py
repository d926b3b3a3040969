"""Liveness: whether every fair behaviour satisfies a temporal claim.

A claim is refuted by a lasso: a path to a loop that meets every fairness condition and on which
the claim's negation holds. `automaton` (of `bmc.system`) turns the negation into a Büchi automaton, `graph` holds
the reachable states and steps, `fair_cycles` looks for the loop in their product (Emerson and Lei,
*Modalities for model checking*, 1987, for strong fairness), and the interpreter judges it.
"""
