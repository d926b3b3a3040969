"""One exploration by several processes, each with the states of its share of the hashes.

A level is explored in turns. In a turn each process takes in what the others sent it in the turn
before, expands one block of its own states, keeps the successors that are its own, and sends the
others theirs through shared memory. Everything a process does depends on such turns only, so that
each run gives the same numbers.
"""
