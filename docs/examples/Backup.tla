------------------------------- MODULE Backup -------------------------------
(* A value on several servers: a leader writes, the others copy, and what a  *)
(* quorum holds is confirmed. A new leader is up to date with a quorum.      *)
EXTENDS Naturals, FiniteSets

CONSTANTS Servers, MaxEpoch, None

VARIABLES epoch,      \* the number of elections up to now
          leader,     \* the server that was elected last, or None
          stored,     \* what each server holds: the epoch of the last write it has
          confirmed   \* the last write that was confirmed to a client

vars == <<epoch, leader, stored, confirmed>>

Quorums == {Q \in SUBSET Servers : 2 * Cardinality(Q) > Cardinality(Servers)}

AnyServer == {{s} : s \in Servers}   \* quorums that are too small, for Careless.cfg

Init ==
    /\ epoch = 0
    /\ leader = None
    /\ stored = [s \in Servers |-> 0]
    /\ confirmed = 0

Elect(s) ==
    /\ epoch < MaxEpoch
    /\ \E Q \in Quorums : \A other \in Q : stored[other] <= stored[s]
    /\ epoch' = epoch + 1
    /\ leader' = s
    /\ UNCHANGED <<stored, confirmed>>

Write ==
    /\ leader # None
    /\ stored' = [stored EXCEPT ![leader] = epoch]
    /\ UNCHANGED <<epoch, leader, confirmed>>

Copy(s) ==
    /\ leader # None
    /\ stored' = [stored EXCEPT ![s] = stored[leader]]
    /\ UNCHANGED <<epoch, leader, confirmed>>

Confirm ==
    /\ leader # None
    /\ \E Q \in Quorums : \A s \in Q : stored[s] = stored[leader]
    /\ confirmed' = stored[leader]
    /\ UNCHANGED <<epoch, leader, stored>>

Next ==
    \/ \E s \in Servers : Elect(s) \/ Copy(s)
    \/ Write
    \/ Confirm

Spec == Init /\ [][Next]_vars /\ WF_vars(\E s \in Servers : Elect(s))

-----------------------------------------------------------------------------

\* What was confirmed is not lost.
Kept == leader # None => stored[leader] >= confirmed

\* Why: a quorum holds it. Offered for induction with --lemma Held.
Held == \E Q \in Quorums : \A s \in Q : stored[s] >= confirmed

\* Time does not run backwards.
Forward == [][epoch' >= epoch]_vars

\* Some server is elected at last.
Elected == <>(leader # None)
=============================================================================
