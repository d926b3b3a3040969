"""The campaign: random protocols against an evaluator written from the page of the language."""
