---- MODULE HybridReliableBroadcast ----
(* Reliable broadcast with four kinds of faults (Widder and Schmid 2007), from the model in the     *)
(* mypyvy collection (hybrid_reliable_broadcast, after Berkovits et al., CAV 2019). That has two    *)
(* sorts of quorums, and axioms on how they meet the faulty. Here quorums are the sets of the sizes *)
(* from which the axioms follow, for every choice of how many may be faulty and of who is.          *)
EXTENDS Naturals, FiniteSets

CONSTANT Node

VARIABLES limit, kind, told, accepts, sent, spoke, received

fixed == <<limit, kind, told>>

(* At most so many send to all or to none (crash), to some (omit), say anything to all or to none  *)
(* (lie), or anything to anyone (arbitrary).                                                       *)
Few == 0..(Cardinality(Node) - 1)
Limits == {l \in [crash : Few, omit : Few, lie : Few, arbitrary : Few] :
              l.crash + 3 * l.arbitrary + 2 * l.lie + 2 * l.omit < Cardinality(Node)}
Kinds == {"correct", "crash", "omit", "lie", "arbitrary"}

Are(k) == {n \in Node : kind[n] = k}
Obedient == {n \in Node : kind[n] \notin {"lie", "arbitrary"}}

IsA(Q) == Cardinality(Q) >= limit.arbitrary + limit.lie + 1
IsB(Q) == Cardinality(Q) + limit.crash + limit.arbitrary + limit.lie + limit.omit
              >= Cardinality(Node)

Init ==
    /\ limit \in Limits
    /\ kind \in [Node -> Kinds]
    /\ Cardinality(Are("crash")) <= limit.crash
    /\ Cardinality(Are("omit")) <= limit.omit
    /\ Cardinality(Are("lie")) <= limit.lie
    /\ Cardinality(Are("arbitrary")) <= limit.arbitrary
    /\ told \in SUBSET Node
    /\ accepts = {}
    /\ sent = [s \in Node |-> {}]
    /\ spoke = {}
    /\ received = [n \in Node |-> {}]

HeardA(heard) == \E Q \in SUBSET Node : IsA(Q) /\ \A m \in Q : m \in heard
HeardB(heard) == \E Q \in SUBSET Node : IsB(Q) /\ \A m \in Q : m \in heard

SendToAll(n) ==
    /\ sent' = [sent EXCEPT ![n] = Node]
    /\ spoke' = spoke \union {n}

SendToSome(n) ==
    \E to \in SUBSET Node :
        /\ sent' = [sent EXCEPT ![n] = @ \union to]
        /\ spoke' = IF sent[n] \union to = {} THEN spoke \ {n} ELSE spoke \union {n}

Receive(n, s) ==
    LET heard == received[n] \union {s} IN
    /\ n \in sent[s]
    /\ received' = [received EXCEPT ![n] = heard]
    /\ accepts' = IF HeardB(heard) THEN accepts \union {n} ELSE accepts

Begin(n) ==
    /\ n \in told
    /\ SendToAll(n)
    /\ UNCHANGED <<fixed, accepts, received>>

Hear(n, s) ==
    /\ Receive(n, s)
    /\ IF HeardA(received[n] \union {s}) THEN SendToAll(n) ELSE UNCHANGED <<sent, spoke>>
    /\ UNCHANGED fixed

HearAndOmit(n, s) ==
    /\ kind[n] = "crash"
    /\ Receive(n, s)
    /\ UNCHANGED <<fixed, sent, spoke>>

BeginPartly(n) ==
    /\ kind[n] = "omit"
    /\ n \in told
    /\ SendToSome(n)
    /\ UNCHANGED <<fixed, accepts, received>>

HearPartly(n, s) ==
    /\ kind[n] = "omit"
    /\ Receive(n, s)
    /\ IF HeardA(received[n] \union {s}) THEN SendToSome(n) ELSE UNCHANGED <<sent, spoke>>
    /\ UNCHANGED fixed

Lie(n) ==
    /\ kind[n] = "lie"
    /\ SendToAll(n)
    /\ UNCHANGED <<fixed, accepts, received>>

Forget(n) ==
    /\ kind[n] \in {"lie", "arbitrary"}
    /\ \E heard \in SUBSET Node : received' = [received EXCEPT ![n] = heard]
    /\ \E yes \in BOOLEAN : accepts' = IF yes THEN accepts \union {n} ELSE accepts \ {n}
    /\ UNCHANGED <<fixed, sent, spoke>>

LieToSome(n) ==
    /\ kind[n] = "arbitrary"
    /\ SendToSome(n)
    /\ UNCHANGED <<fixed, accepts, received>>

Next ==
    \/ \E n \in Node : Begin(n)
    \/ \E n, s \in Node : Hear(n, s)
    \/ \E n, s \in Node : HearAndOmit(n, s)
    \/ \E n \in Node : BeginPartly(n)
    \/ \E n, s \in Node : HearPartly(n, s)
    \/ \E n \in Node : Lie(n)
    \/ \E n \in Node : Forget(n)
    \/ \E n \in Node : LieToSome(n)

Unforgeable ==
    (\E n \in Obedient : n \in accepts)
        => \E n \in Obedient : n \in told
====
