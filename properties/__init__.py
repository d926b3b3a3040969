"""What is claimed of the protocols: invariants, lemmas, temporal properties and witnesses.

A package a protocol, imported as `bmc.properties.<protocol>`. They may use `bmc.lang`, the
protocols in `bmc.encodings` and each other, and nothing else of `bmc`. How a claim is proved,
and with which solver, has no place here.
"""

# With the root on PYTHONPATH this folder could also be imported as `properties`, and every
# property would exist twice, each unequal to its twin.
if __name__ != "bmc.properties":
    raise ImportError(f"import {__name__} as bmc.properties")
