"""States by the million, as rows of machine words: layout, formulas, successors, the table.

Everything here works on blocks of states at vector speed. What a search does with them, and
what it says about them, belongs to the engine.
"""
