"""A second judge of certificates, which shares nothing with the finder but the terms themselves.

Everything else that judges a symbolic answer stands on ``readings.expand``: terms become circuits
there, for the engines and for ``certify`` alike. This package reads the terms of a model once more,
by rules of its own that were written from ``docs/language.md``, and turns each claim of a
certificate into SMT-LIB text, which any solver can judge.

It imports ``bmc.lang`` and the certificate's format and nothing else of bmc; a test holds that.
"""
