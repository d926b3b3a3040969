"""Two-phase commit, after Lamport's TwoPhase.tla: the example of docs/language.md.

The transaction manager collects promises and decides. The set of messages ever sent is held in
two parts: ``preparedMsgs`` are the senders of Prepared messages, ``decision`` is the one Commit or
Abort message, once it is sent.
"""

from bmc.lang import (
    EnumSort,
    MapSort,
    OptionSort,
    Parameter,
    Protocol,
    Scalarset,
    SetSort,
    Variable,
    action,
    conj,
    empty,
    everything,
    exists,
    implies,
    insert,
    invariant,
    is_none,
    lemma,
    mapping,
    member,
    one_of,
    witness,
)


class TwoPhaseCommit(Protocol):
    """Resource managers that a transaction manager brings to one decision."""

    rms = Parameter("rms", default=3, low=1, high=12, about="number of resource managers")

    RM = Scalarset("RM", rms)
    RMState = EnumSort("RMState", ("working", "prepared", "committed", "aborted"))
    TMState = EnumSort("TMState", ("init", "committed", "aborted"))
    Decision = EnumSort("Decision", ("Commit", "Abort"))

    rmState = Variable(MapSort(RM, RMState), "what each resource manager has done")
    tmState = Variable(TMState, "what the transaction manager has decided")
    tmPrepared = Variable(SetSort(RM), "whose promise the transaction manager has received")
    preparedMsgs = Variable(SetSort(RM), "the Prepared messages, by sender")
    decision = Variable(OptionSort(Decision), "the Commit or Abort message, once it is sent")

    @action()
    def Init(self, s):
        s.rmState = mapping(self.RM, lambda rm: "working", self.RMState)
        s.tmState = "init"
        s.tmPrepared = empty(SetSort(self.RM))
        s.preparedMsgs = empty(SetSort(self.RM))
        s.decision = None

    @action()
    def TMCommit(self, s):
        s.require(s.tmState == "init", s.tmPrepared == everything(self.RM))
        s.tmState = "committed"
        s.decision = "Commit"

    @action()
    def TMAbort(self, s):
        s.require(s.tmState == "init")
        s.tmState = "aborted"
        s.decision = "Abort"

    @action(rm=RM)
    def TMRcvPrepared(self, s, rm):
        s.require(s.tmState == "init", member(rm, s.preparedMsgs))
        s.tmPrepared = insert(s.tmPrepared, rm)

    @action(rm=RM)
    def RMPrepare(self, s, rm):
        s.require(s.rmState[rm] == "working")
        s.rmState[rm] = "prepared"
        s.preparedMsgs = insert(s.preparedMsgs, rm)

    @action(rm=RM)
    def RMChooseToAbort(self, s, rm):
        s.require(s.rmState[rm] == "working")
        s.rmState[rm] = "aborted"

    @action(rm=RM)
    def RMRcvCommitMsg(self, s, rm):
        s.require(s.decision == "Commit")
        s.rmState[rm] = "committed"

    @action(rm=RM)
    def RMRcvAbortMsg(self, s, rm):
        s.require(s.decision == "Abort")
        s.rmState[rm] = "aborted"

    Next = one_of(
        TMCommit,
        TMAbort,
        TMRcvPrepared,
        RMPrepare,
        RMChooseToAbort,
        RMRcvCommitMsg,
        RMRcvAbortMsg,
    )

    @invariant("no resource manager commits while another aborts", a=RM, b=RM)
    def TCConsistent(self, s, a, b):
        return ~((s.rmState[a] == "aborted") & (s.rmState[b] == "committed"))

    @lemma("who is believed to have promised has promised", rm=RM)
    def promised(self, s, rm):
        return implies(member(rm, s.tmPrepared), member(rm, s.preparedMsgs))

    @lemma("who has promised works no more, and aborts by a decision only", rm=RM)
    def promise_kept(self, s, rm):
        return implies(
            member(rm, s.preparedMsgs),
            (s.rmState[rm] != "working")
            & implies(s.rmState[rm] == "aborted", s.decision == "Abort"),
        )

    @lemma("nobody commits before the decision", rm=RM)
    def no_early_commit(self, s, rm):
        return implies(s.rmState[rm] == "committed", s.decision == "Commit")

    @lemma("a decision to commit had every promise")
    def commit_is_unanimous(self, s):
        return conj(
            is_none(s.decision) == (s.tmState == "init"),
            implies(
                s.decision == "Commit",
                (s.tmState == "committed") & (s.tmPrepared == everything(self.RM)),
            ),
        )

    @witness("everybody has committed")
    def AllCommitted(self, s):
        return ~exists(self.RM, lambda rm: s.rmState[rm] != "committed")
