"""The constants of replication.tla, and how far its numbers can go.

The state constraint ends every run, so each number has a last value; sorts reach one step
further than the constraint, because a state outside it is computed and then not entered.
"""

from bmc.lang import Integer, Parameter, Scalarset

nodes = Parameter("nodes", 2, 1, 6, "number of data nodes")
document_ids = Parameter("document_ids", 1, 1, 8, "number of document ids", monotone=True)
max_client_value = Parameter(
    "max_client_value",
    2,
    1,
    8,
    "the constraint's last value of nextClientValue",
    monotone=True,
)
max_messages = Parameter(
    "max_messages", 3, 0, 64, "the constraint's number of messages in flight", monotone=True
)

Node = Scalarset("Node", nodes)
DocumentId = Scalarset("DocumentId", document_ids)

ClientValue = Integer("ClientValue", 1, max_client_value)
NextClientValue = ClientValue.to(max_client_value + 1)

# An operation takes the slot after the last filled one, so slots are no more than operations.
Seq = Integer("Seq", 1, max_client_value)
CheckPoint = Integer("Seq", 0, max_client_value)
"""A sequence number, or 0 before the first."""

# The term grows when a primary fails, and a node that failed is not assigned again.
PrimaryTerm = Integer("PrimaryTerm", 1, nodes + 1)

# An operation takes one id; a promotion takes one a slot above the global checkpoint and one to
# trim. A node is promoted once, and the first primary never; the last operation, which leaves
# the constraint, needs the id that the last slot does not.
RequestId = Integer("RequestId", 1, nodes * max_client_value)
NextRequestId = RequestId.to(nodes * max_client_value + 1)
