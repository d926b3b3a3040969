"""Lemma inference: quantified lemmas for a property, from nothing but the protocol.

It works backwards from the property (Schultz, Ashton, Howard and Tripakis, *Scalable, interpretable
distributed protocol verification by inductive proof slicing*, 2024): each step that breaks
something is excluded by a lemma that holds in every explored state, and that lemma has to be
preserved in its turn. What is found is proposed: only the ordinary engines, whose certificates
the ordinary judge re-checks, say that anything is proved.
"""
