"""What a global checkpoint once covered, for lemmas: a primary may lower what it knows.

A promoted node starts with what others reported to an earlier primary, but computes the next
global checkpoint from what it was told itself.
"""

from bmc.encodings.elasticsearch import ElasticsearchReplication
from bmc.encodings.elasticsearch.constants import Seq
from bmc.properties.elasticsearch.words import locked

from bmc.lang import History, SetSort, Step, Variable, after, filtered


class SettledHistory(History):
    """The slots that were at or below a global checkpoint that counts."""

    settled = Variable(SetSort(Seq), "slots that some global checkpoint once covered")

    def initially(self, s: Step) -> None:
        s.settled = frozenset()

    @after(*ElasticsearchReplication.Next)
    def settle(self, s: Step) -> None:
        s.settled = s.settled | filtered(Seq, lambda seq: locked(s, seq))
