"""Raft as etcd runs it, by the action names of its specification, to check what its nodes trace.

The actions are those of ``etcdraft.tla`` in etcd-io/raft, in the language of bmc. It differs where
its trace says more than that specification does:

- a change of the configuration is an entry that says what changes, not the configuration after it:
  a server that joins applies all of them, beginning with an empty configuration. Joint
  configurations are entered and left as ``confchange`` does it, of which ``etcdraft.tla`` has
  nothing; that one is left is an entry that nobody traces;
- ``Start`` and ``Bootstrap`` are what ``RawNode.Bootstrap`` does with its list of peers, of which
  all servers are given the same: ``peers`` is its length, known once a server was Ready with it;
- a handler is one step. A term that is adopted, a conflict that is cut and an answer that is sent
  are part of it, as in ``raft.Step``. Of a leader that hears of its own term it knows no step.
  What comes with an earlier term is ignored, and while a leader's lease lasts (CheckQuorum) so are
  candidates;
- a leader tells its own commit index, also to whom has not all that is committed;
- a snapshot brings the configuration at its index with it, which ``history`` has for each server:
  the answer to it is traced before the configuration is. ``LoadSnapshot`` and ``LoadConfig`` are
  what a server does that begins with a snapshot in its storage;
- a change is proposed whether or not the server is a member already, as the library does: the
  specification has members removed only, and others added;
- ``sent`` is the last message that a server sent, so that a log can show what it was.

Messages are bags: of equal ones each has a number. Compaction is not in it (a log keeps what a
snapshot has), nor are messages of pre-votes, reads and transfers, of which etcd traces nothing.

Its parts are beside this file: ``etcd_raft_state``, what servers know; ``etcd_raft_network``, what
they send; and the steps of ``lifecycle``, ``elections``, ``replication``, ``membership`` and
``snapshots``.
"""

from etcd_raft_elections import Elections
from etcd_raft_lifecycle import Lifecycle
from etcd_raft_membership import Membership
from etcd_raft_network import Network
from etcd_raft_replication import Replication
from etcd_raft_snapshots import Snapshots

from bmc.lang import (
    Expr,
    State,
    conj,
    forall,
    implies,
    invariant,
    last,
    minimum,
    witness,
)


class EtcdRaft(Elections, Replication, Snapshots, Lifecycle):
    """Elections, replication and changes of the configuration, one server at a time."""

    Next = (
        Lifecycle.Start,
        Lifecycle.Bootstrap,
        Lifecycle.LoadSnapshot,
        Lifecycle.LoadConfig,
        Lifecycle.Restart,
        Lifecycle.Ready,
        Elections.Timeout,
        Elections.PreCampaign,
        Elections.StepDownToFollower,
        Elections.RequestVote,
        Elections.ReceiveRequestVoteRequest,
        Elections.ReceiveRequestVoteResponse,
        Elections.BecomeLeader,
        Replication.ClientRequest,
        Replication.AppendEntries,
        Replication.AppendEntriesToSelf,
        Replication.Heartbeat,
        Replication.ReceiveAppendEntriesRequest,
        Replication.ReceiveAppendEntriesResponse,
        Replication.AdvanceCommitIndex,
        Membership.AddNewServer,
        Membership.AddLearner,
        Membership.DeleteServer,
        Membership.ChangeServers,
        Membership.LeaveJoint,
        Membership.ApplyConfChange,
        Snapshots.SendSnapshot,
        Snapshots.ReceiveSnapshot,
        Snapshots.RestoreConfig,
        Network.IgnoreMessage,
        Network.TellTerm,
        Network.DropMessage,
        Network.DuplicateMessage,
    )

    # What etcdraft.tla claims.

    @invariant("at most one leader a term", i=Network.Server, j=Network.Server)
    def MoreThanOneLeaderInv(self, s: State, i: Expr, j: Expr) -> Expr:
        lead = conj(s.state[i] == "StateLeader", s.state[j] == "StateLeader")
        return implies(conj(s.currentTerm[i] == s.currentTerm[j], lead), i == j)

    @invariant("what two servers have committed agrees", i=Network.Server, j=Network.Server)
    def LogInv(self, s: State, i: Expr, j: Expr) -> Expr:
        both = minimum(s.commitIndex[i], s.commitIndex[j])
        return forall(
            self.Position,
            lambda k: implies(k <= both, s.log[i].entries[k] == s.log[j].entries[k]),
        )

    @invariant(
        "an index and a term determine a log up to there", i=Network.Server, j=Network.Server
    )
    def LogMatchingInv(self, s: State, i: Expr, j: Expr) -> Expr:
        one_, other = s.log[i], s.log[j]
        both = minimum(one_.length, other.length)
        same = last(
            self.Position,
            lambda k: conj(k <= both, self.TermAt(one_, k) == self.TermAt(other, k)),
            0,
        )
        return forall(
            self.Position,
            lambda k: implies(k <= same, one_.entries[k] == other.entries[k]),
        )

    @invariant("a leader persists before it commits", i=Network.Server)
    def CommittedIsDurableInv(self, s: State, i: Expr) -> Expr:
        leads = s.state[i] == "StateLeader"
        return implies(leads, s.commitIndex[i] <= s.durableState[i].length)

    @witness("somebody leads", i=Network.Server)
    def SomebodyLeads(self, s: State, i: Expr) -> Expr:
        return s.state[i] == "StateLeader"
