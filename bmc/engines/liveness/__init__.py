"""Liveness: whether every fair behaviour satisfies a temporal claim.

A claim is refuted by a lasso: a path to a loop that meets every fairness condition and on which
the claim's negation holds. Five engines decide claims:

* `decide` holds the `graph` of all reachable states and steps; `fair_cycles` looks for the loop in
  its product with an automaton of the negation (Emerson and Lei, *Modalities for model checking*,
  1987). Where there is none the claim is proved.
* `lasso_search` unrolls the system in a SAT solver, for the shortest lasso.
* `ranked` shows by induction that a ranking does what it has to (`bmc.system.ranked`), and gives a
  certificate; it refutes nothing.
* `inductive` runs k-induction on the system beside a monitor of the claim (`bmc.system.watched`),
  with lemmas about the monitor that it guesses and proves, and gives a certificate.
* `monitored` runs IC3 there, which takes longer and finds more.

`decide_by` runs one of them, or several side by side. The interpreter judges every lasso.
"""
