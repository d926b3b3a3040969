"""Transition systems: a model at one choice of parameters, as circuits; and its unrolling.

Initial states, rules (ground action instances), the state constraint and ground properties live
here. No search strategy, no verdict and no concrete solver does.
"""
