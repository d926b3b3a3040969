"""The TLA+ front end: reading, evaluating, translating, and the comparison of the last two."""
