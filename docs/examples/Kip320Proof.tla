----------------------------- MODULE Kip320Proof -----------------------------
(***************************************************************************)
(* Why KIP-320 keeps what was committed: lemmas that `bmc prove` shows to  *)
(* be inductive together, over the published Kip320.tla, which has to lie  *)
(* beside this module with the modules that it extends.                    *)
(*                                                                         *)
(* `committed` is a history variable: every record ever exposed, at the    *)
(* epoch of the leader that first moved its high watermark over it. Steps  *)
(* do not read it.                                                         *)
(***************************************************************************)
EXTENDS Kip320

VARIABLE committed

Offsets == ReplicaLog!Offsets
Epochs == LeaderEpochSeq!IdSet

NothingCommitted == [endOffset |-> 0, records |-> [offset \in Offsets |-> Nil]]

ProofInit == Init /\ committed = NothingCommitted

(* What is committed once a leader moves its high watermark.               *)
WithCommitOf(leader) ==
    LET hw == replicaState[leader].hw
    IN  IF committed.endOffset = hw /\ replicaLog[leader].records[hw] # Nil
        THEN [committed EXCEPT
                 !.endOffset = hw + 1,
                 !.records[hw] = [record |-> replicaLog[leader].records[hw],
                                  epoch |-> replicaState[leader].leaderEpoch]]
        ELSE committed

ProofNext ==
    \/ /\ \/ ControllerElectLeader
          \/ ControllerShrinkIsr
          \/ BecomeLeader
          \/ FencedLeaderExpandIsr
          \/ FencedLeaderShrinkIsr
          \/ LeaderWrite
          \/ FencedBecomeFollowerAndTruncate
          \/ FencedFollowerFetch
       /\ UNCHANGED committed
    \/ /\ FencedLeaderIncHighWatermark
       /\ \E leader \in Replicas :
             /\ replicaState'[leader] # replicaState[leader]
             /\ committed' = WithCommitOf(leader)

-----------------------------------------------------------------------------
(* Words of the lemmas.                                                      *)

Presumes(leader) == replicaState[leader].leader = leader
LeadsAt(leader, epoch) == Presumes(leader) /\ replicaState[leader].leaderEpoch = epoch

Sent(epoch) == \E request \in leaderAndIsrRequests : request.leaderEpoch = epoch
Elected(epoch, leader) ==
    \E request \in leaderAndIsrRequests :
        request.leaderEpoch = epoch /\ request.leader = leader
RequestedIn(epoch, replica) ==
    \E request \in leaderAndIsrRequests :
        request.leaderEpoch = epoch /\ replica \in request.isr

(* The ISR of an epoch is its leader's while that is at the epoch, else the  *)
(* one of the request.                                                       *)
InIsrOf(epoch, replica) ==
    IF \E leader \in Replicas :
          Elected(epoch, leader) /\ replicaState[leader].leaderEpoch = epoch
    THEN \E leader \in Replicas :
            /\ Elected(epoch, leader)
            /\ replicaState[leader].leaderEpoch = epoch
            /\ replica \in replicaState[leader].isr
    ELSE RequestedIn(epoch, replica)

Written(replica, offset) ==
    replicaLog[replica].endOffset > offset /\ replicaLog[replica].records[offset] # Nil
Entry(replica, offset) == replicaLog[replica].records[offset]
SameEntry(one, other, offset) ==
    /\ Written(one, offset)
    /\ Written(other, offset)
    /\ Entry(one, offset) = Entry(other, offset)

IsCommitted(offset) == committed.endOffset > offset /\ committed.records[offset] # Nil
CommittedAt(offset) == committed.records[offset].epoch
Keeps(replica, offset) ==
    /\ replicaLog[replica].endOffset > offset
    /\ Entry(replica, offset) = committed.records[offset].record
    /\ replicaState[replica].leaderEpoch >= CommittedAt(offset)

-----------------------------------------------------------------------------
(* Control: epochs, requests, leaders and ISRs.                              *)

QuorumAtLatestEpoch == quorumState.leaderEpoch = nextLeaderEpoch - 1

QuorumBeforeFirstEpoch ==
    nextLeaderEpoch = 0 => quorumState.leader = None /\ quorumState.isr = Replicas

QuorumHasLatestLeader ==
    \A epoch \in Epochs :
        nextLeaderEpoch - 1 = epoch => Elected(epoch, quorumState.leader)

OneRequestAnEpoch ==
    /\ \A epoch \in Epochs : Sent(epoch) <=> nextLeaderEpoch > epoch
    /\ \A request, other \in leaderAndIsrRequests :
          request.leaderEpoch = other.leaderEpoch => request = other

RequestLeaderInItsIsr ==
    \A request \in leaderAndIsrRequests :
        request.leader # None => request.leader \in request.isr

ReplicaEpochWasHandedOut ==
    \A replica \in Replicas : replicaState[replica].leaderEpoch < nextLeaderEpoch

EpochComesWithALeader ==
    \A replica \in Replicas :
        replicaState[replica].leaderEpoch = Nil <=> replicaState[replica].leader = None

LeaderComesFromTheRequest ==
    \A replica \in Replicas, epoch \in Epochs :
        replicaState[replica].leaderEpoch = epoch
            => Elected(epoch, replicaState[replica].leader)

LeaderIsAsNewAsItsFollowers ==
    \A replica, leader \in Replicas, epoch \in Epochs :
        Elected(epoch, leader) /\ replicaState[replica].leaderEpoch = epoch
            => replicaState[leader].leaderEpoch >= epoch

LeaderInAssumedIsr ==
    \A replica, leader \in Replicas :
        replicaState[replica].leader = leader => leader \in replicaState[replica].isr

QuorumIsrIsTheLatest ==
    \A epoch \in Epochs : nextLeaderEpoch - 1 = epoch =>
        \A replica \in Replicas : InIsrOf(epoch, replica) <=> replica \in quorumState.isr

-----------------------------------------------------------------------------
(* Fencing: an ISR that nobody has left covers every later one.              *)

NobodyLeft(epoch) ==
    \A replica \in Replicas :
        InIsrOf(epoch, replica) => replicaState[replica].leaderEpoch <= epoch

QuorumIsrInsideUnfencedIsr ==
    \A epoch \in Epochs : Sent(epoch) /\ NobodyLeft(epoch) =>
        \A replica \in Replicas : replica \in quorumState.isr => InIsrOf(epoch, replica)

LaterIsrInsideUnfencedIsr ==
    \A epoch, later \in Epochs :
        epoch < later /\ Sent(epoch) /\ Sent(later) /\ NobodyLeft(epoch) =>
            \A replica \in Replicas : RequestedIn(later, replica) => InIsrOf(epoch, replica)

-----------------------------------------------------------------------------
(* Logs.                                                                     *)

RecordsFillTheLog ==
    \A replica \in Replicas, offset \in Offsets :
        replicaLog[replica].endOffset > offset <=> replicaLog[replica].records[offset] # Nil

RecordIdWasHandedOut ==
    \A replica \in Replicas, offset \in Offsets :
        Written(replica, offset) => Entry(replica, offset).id < nextRecordId

RecordNotNewerThanReplica ==
    \A replica \in Replicas, offset \in Offsets : Written(replica, offset) =>
        /\ Entry(replica, offset).epoch <= replicaState[replica].leaderEpoch
        /\ Entry(replica, offset).epoch < nextLeaderEpoch

EpochsAreMonotone ==
    \A replica \in Replicas, lower, upper \in Offsets :
        lower < upper /\ Written(replica, upper) /\ Written(replica, lower)
            => Entry(replica, lower).epoch <= Entry(replica, upper).epoch

LeaderHoldsRecordsOfItsEpoch ==
    \A replica \in Replicas, offset \in Offsets : Written(replica, offset) =>
        \E leader \in Replicas :
            /\ Elected(Entry(replica, offset).epoch, leader)
            /\ replicaState[leader].leaderEpoch >= Entry(replica, offset).epoch
            /\ LeadsAt(leader, Entry(replica, offset).epoch)
                  => SameEntry(replica, leader, offset)

LogMatching ==
    \A one, other \in Replicas, offset \in Offsets :
        /\ Written(one, offset)
        /\ Written(other, offset)
        /\ Entry(one, offset).epoch = Entry(other, offset).epoch
        => \A lower \in Offsets : lower <= offset => SameEntry(one, other, lower)

FollowerPrefix ==
    \A leader, follower \in Replicas, offset \in Offsets :
        /\ Presumes(leader)
        /\ replicaState[follower].leader = leader
        /\ replicaState[follower].leaderEpoch = replicaState[leader].leaderEpoch
        /\ Written(follower, offset)
        => SameEntry(follower, leader, offset)

-----------------------------------------------------------------------------
(* What is committed.                                                        *)

RecordsFillTheCommittedLog ==
    \A offset \in Offsets : committed.endOffset > offset <=> committed.records[offset] # Nil

ReplicaKeepsBelowItsHighWatermark ==
    \A replica \in Replicas, offset \in Offsets :
        replicaState[replica].hw > offset => IsCommitted(offset) /\ Keeps(replica, offset)

QuorumIsrKeepsCommitted ==
    \A replica \in Replicas, offset \in Offsets :
        IsCommitted(offset) /\ replica \in quorumState.isr => Keeps(replica, offset)

RequestIsrKeepsCommitted ==
    \A replica \in Replicas, offset \in Offsets, epoch \in Epochs :
        IsCommitted(offset) /\ CommittedAt(offset) < epoch /\ RequestedIn(epoch, replica)
            => Keeps(replica, offset)

LeaderIsrKeepsCommitted ==
    \A leader, replica \in Replicas, offset \in Offsets :
        /\ IsCommitted(offset)
        /\ Presumes(leader)
        /\ replica \in replicaState[leader].isr
        /\ CommittedAt(offset) <= replicaState[leader].leaderEpoch
        => Keeps(replica, offset)

CommitNotOlderThanRecord ==
    \A offset \in Offsets : IsCommitted(offset) =>
        /\ committed.records[offset].record.epoch <= CommittedAt(offset)
        /\ CommittedAt(offset) < nextLeaderEpoch

CommitsAreMonotone ==
    \A lower, upper \in Offsets :
        lower < upper /\ IsCommitted(lower) /\ IsCommitted(upper)
            => CommittedAt(lower) <= CommittedAt(upper)

CommittingEpochHadALeader ==
    \A offset \in Offsets : IsCommitted(offset) =>
        \E leader \in Replicas :
            /\ Elected(CommittedAt(offset), leader)
            /\ replicaState[leader].leaderEpoch >= CommittedAt(offset)

LeaderCoversItsCommits ==
    \A leader \in Replicas, offset \in Offsets :
        IsCommitted(offset) /\ LeadsAt(leader, CommittedAt(offset))
            => replicaState[leader].hw > offset
=============================================================================
