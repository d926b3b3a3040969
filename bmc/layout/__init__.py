"""Sorts at given parameters: their values, and each value as scalars and back.

Whatever has to walk a sort, part by part, stands here. What is made of the scalars (a circuit,
columns, formulas) belongs to the readings.
"""
