"""IC3: inductive invariants found clause by clause, without unrolling.

The search and what it asks live here (Bradley, *SAT-based model checking without unrolling*,
2011; Eén, Mishchenko and Brayton, *Efficient implementation of property directed reachability*,
2011). No judgement on its own findings: traces go to replay, invariants to certify.
"""
