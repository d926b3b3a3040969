"""Regress: what was proven and what was refuted stays so.

A lock names, for each (protocol, parameters, property), the verdict, the evidence for it, and a
digest of every part of the model. Here it is read, judged against the model as it is now (from
the old evidence where that still does, by an engine where it does not) and written again. What a
lock has to say is decided here and told in `bmc.reports`; nothing here prints, finds protocols
by name, or knows an exit code.
"""
