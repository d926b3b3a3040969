"""Lemma mining: candidates in the protocol's own vocabulary, filtered by states and by induction.

What lives here proposes. A candidate is an ordinary property built of language terms, so that it
can be shown, pasted and proven like one that a person wrote; nothing found here is ever believed
without that. No search for violations and no verdicts here.
"""
