"""Explorations whose states are on disk: sorted files, one for each level, merged level by level.

What a level adds is found by delayed duplicate detection (Stern and Dill, *Using Magnetic Disk
Instead of Main Memory in the Murphi Verifier*, 1998): successors are gathered first, and compared
with all states known in one pass over the files.
"""
