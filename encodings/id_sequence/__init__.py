"""The id sequence: successive ids handed out from a bounded range.

Holds the protocol ``id-sequence`` and the operators that other encodings instantiate, as the
specification's IdSequence module does; no property belongs here.
"""

from bmc.encodings.id_sequence.sequence import IdSequence, Sequencer

__all__ = ["IdSequence", "Sequencer"]
