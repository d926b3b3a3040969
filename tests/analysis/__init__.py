"""Tests of lemma inference."""
