"""Evidence: verdicts, traces, counterexamples to induction, certificates, and their judges.

A judge (``replay``, ``certify``) shares no search code with the engine it judges. No search
strategy and no printing belongs here.
"""
