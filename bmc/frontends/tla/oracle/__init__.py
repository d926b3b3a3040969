"""An evaluator of TLA+ that shares nothing with the translator, and watches it.

`Machine` compiles a specification to closures; `search` explores it as TLC does.
"""
