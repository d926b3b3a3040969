"""Exports: a transition system in the formats that other checkers read."""
