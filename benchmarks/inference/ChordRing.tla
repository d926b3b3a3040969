---- MODULE ChordRing ----
(* How a ring of Chord is maintained, from I4's model of it (chord_ring_maintenance, after Zave):   *)
(* nodes join, fail and repair their successors, and the origin is reached from all that are active. *)
(* I4 leaves the cyclic order of the nodes open. Here it is that of the numbers and the origin is 0: *)
(* of every other choice the states are these under other names.                                     *)
EXTENDS Naturals

CONSTANT Nodes

Node == 0..(Nodes - 1)
Origin == 0

VARIABLES active, first, hasFirst, second, hasSecond, before, reaches, failed

vars == <<active, first, hasFirst, second, hasSecond, before, reaches, failed>>

Between(x, y, z) ==
    \/ x < y /\ y < z
    \/ y < z /\ z < x
    \/ z < x /\ x < y

Init ==
    \E other \in Node \ {Origin} :
        LET pair == [n \in Node |->
                        IF n = Origin THEN {other} ELSE IF n = other THEN {Origin} ELSE {}]
        IN  /\ active = {Origin, other}
            /\ first = pair
            /\ hasFirst = {Origin, other}
            /\ second = [n \in Node |-> {}]
            /\ hasSecond = {}
            /\ before = pair
            /\ reaches = {Origin}
            /\ failed = {}

Join(x, y) ==
    /\ x \notin active
    /\ y \in active
    /\ ~Between(x, Origin, y)
    /\ active' = active \union {x}
    /\ first' = [first EXCEPT ![x] = {y}]
    /\ hasFirst' = hasFirst \union {x}
    /\ second' = [second EXCEPT ![x] = {}]
    /\ hasSecond' = hasSecond \ {x}
    /\ before' = [before EXCEPT ![x] = {}]
    /\ UNCHANGED <<reaches, failed>>

Stabilize(x, y, z) ==
    /\ x \in active
    /\ y \in first[x]
    /\ y \in active
    /\ z \in before[y]
    /\ Between(x, z, y)
    /\ first' = [first EXCEPT ![x] = {z}]
    /\ hasFirst' = hasFirst \union {x}
    /\ second' = [second EXCEPT ![x] = {y}]
    /\ hasSecond' = hasSecond \union {x}
    /\ UNCHANGED <<active, before, reaches, failed>>

Notify(x, y, z) ==
    /\ x \in active
    /\ y \in first[x]
    /\ y \in active
    /\ z \in before[y] \/ before[y] = {}
    /\ Between(z, x, y)
    /\ before' = [before EXCEPT ![y] = {x}]
    /\ UNCHANGED <<active, first, hasFirst, second, hasSecond, reaches, failed>>

Inherit(x, y, z) ==
    /\ x \in active
    /\ y \in first[x]
    /\ y \in active
    /\ z \in first[y]
    /\ second' = [second EXCEPT ![x] = {z}]
    /\ hasSecond' = hasSecond \union {x}
    /\ UNCHANGED <<active, first, hasFirst, before, reaches, failed>>

Remove(x, y, z) ==
    /\ x \in active
    /\ y \in first[x]
    /\ y \notin active
    /\ z \in second[x]
    /\ first' = [first EXCEPT ![x] = {z}]
    /\ hasFirst' = hasFirst \union {x}
    /\ second' = [second EXCEPT ![x] = {}]
    /\ hasSecond' = hasSecond \ {x}
    /\ UNCHANGED <<active, before, reaches, failed>>

Fail(x) ==
    /\ x \in active
    /\ x # Origin
    /\ \A y \in Node : x \in first[y] => y \in hasSecond
    /\ \A y, z \in Node : x \in first[y] /\ z \in second[y] => z \in active
    /\ \A y, z \in Node : z \in first[y] /\ x \in second[y] => z # x /\ z \in active
    /\ active' = active \ {x}
    /\ before' = [before EXCEPT ![x] = {}]
    /\ first' = [first EXCEPT ![x] = {}]
    /\ hasFirst' = hasFirst \ {x}
    /\ second' = [second EXCEPT ![x] = {}]
    /\ hasSecond' = hasSecond \ {x}
    /\ UNCHANGED <<reaches, failed>>

ReachOrigin(x, y, z) ==
    /\ \/ y \in first[x] /\ y \in active /\ y \in reaches
       \/ y \in first[x] /\ y \notin active /\ z \in second[x] /\ z \in active /\ z \in reaches
    /\ reaches' = reaches \union {x}
    /\ UNCHANGED <<active, first, hasFirst, second, hasSecond, before, failed>>

LoseOrigin(x, y, z) ==
    /\ x # Origin
    /\ y \in first[x]
    /\ y \notin active \/ y \notin reaches
    /\ y \notin active => second[x] = {} \/ z \in second[x]
    /\ y \notin active /\ z \in second[x] => z \notin active \/ z \notin reaches
    /\ reaches' = reaches \ {x}
    /\ UNCHANGED <<active, first, hasFirst, second, hasSecond, before, failed>>

Test(x) ==
    /\ \A u, v \in Node : v \in first[u] /\ v \in active /\ v \in reaches => u \in reaches
    /\ \A u, v, w \in Node :
           v \in first[u] /\ v \notin active /\ w \in second[u] /\ w \in active /\ w \in reaches
               => u \in reaches
    /\ \A u \in Node : Between(x, u, Origin) /\ u \in active => u \in reaches
    /\ x \in active
    /\ x \notin reaches
    /\ x \in hasFirst => first[x] # {}
    /\ x \in hasSecond => second[x] # {}
    /\ failed' = failed \union {x}
    /\ UNCHANGED <<active, first, hasFirst, second, hasSecond, before, reaches>>

Next ==
    \/ \E x, y \in Node : Join(x, y)
    \/ \E x, y, z \in Node : Stabilize(x, y, z)
    \/ \E x, y, z \in Node : Notify(x, y, z)
    \/ \E x, y, z \in Node : Inherit(x, y, z)
    \/ \E x, y, z \in Node : Remove(x, y, z)
    \/ \E x \in Node : Fail(x)
    \/ \E x, y, z \in Node : ReachOrigin(x, y, z)
    \/ \E x, y, z \in Node : LoseOrigin(x, y, z)
    \/ \E x \in Node : Test(x)

TypeOK ==
    /\ active \subseteq Node /\ hasFirst \subseteq Node /\ hasSecond \subseteq Node
    /\ reaches \subseteq Node /\ failed \subseteq Node
    /\ first \in [Node -> SUBSET Node]
    /\ second \in [Node -> SUBSET Node]
    /\ before \in [Node -> SUBSET Node]

NoError == failed = {}
====
