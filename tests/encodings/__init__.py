"""Encodings are faithful: to the specifications' counts, verdicts and traces."""
