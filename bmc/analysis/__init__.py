"""Analyses above the engines: lemma mining, counterexamples to induction, validity cores."""
