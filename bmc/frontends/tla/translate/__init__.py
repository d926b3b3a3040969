"""Formulas of TLA+ as terms of the language, and a specification as a model."""
