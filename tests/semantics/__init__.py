"""That all readings of a term mean the same: the promise everything else rests on.

Whatever is stated here of terms, shapes, circuits and steps is stated of random ones. Tests of
engines and of single protocols' properties belong elsewhere.
"""
