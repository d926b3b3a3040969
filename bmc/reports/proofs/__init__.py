"""Proofs: verdicts, counterexamples to induction, lemmas as text, and why a proof holds."""
