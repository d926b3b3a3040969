------------------------- MODULE ElasticsearchProof -------------------------
(***************************************************************************)
(* Why Elasticsearch keeps what it has acknowledged: lemmas that           *)
(* `bmc prove` shows to be inductive together, over the published          *)
(* replication.tla, which has to lie beside this module.                   *)
(*                                                                         *)
(* `settled` is a history variable: the slots that a global checkpoint     *)
(* once covered. A primary may lower what it knows, since who is promoted  *)
(* computes the next one from what it was told itself. Steps do not read   *)
(* it.                                                                     *)
(***************************************************************************)
EXTENDS replication

CONSTANTS MaxClientValue, MaxMessages

VARIABLE settled

(* The bounds of the model; of the text's own, with numbers of one's choice. *)
Inside ==
    /\ nextClientValue <= MaxClientValue
    /\ Cardinality(messages) <= MaxMessages
    /\ 0 < Cardinality(Assigned(clusterStateOnMaster.routingTable))

WellFormed == WellFormedRoutingTable(clusterStateOnMaster.routingTable)

-----------------------------------------------------------------------------
(* Words of the lemmas.                                                      *)

Slots == 1..MaxClientValue
Operations == nextClientValue - 1

OnNode(n) == clusterStateOnNode[n].routingTable
PresumesPrimary(n) == OnNode(n)[n] = Primary

Filled(n, seq) == seq \in DOMAIN tlog[n]
SameOperation(n1, n2, seq) ==
    /\ Filled(n1, seq)
    /\ Filled(n2, seq)
    /\ tlog[n1][seq].id = tlog[n2][seq].id
    /\ tlog[n1][seq].value = tlog[n2][seq].value
    /\ tlog[n1][seq].term = tlog[n2][seq].term

(* Who called, whom, and at what term: of requests and of their responses.   *)
Caller(m) == IF m.request THEN m.source ELSE m.dest
Callee(m) == IF m.request THEN m.dest ELSE m.source
Term(m) == IF m.method = Replication THEN m.rterm ELSE m.term
Trims(m) == m.request /\ m.method = TrimTranslog
Succeeded(m) == ~m.request /\ m.success
Stored(n, m) ==
    /\ Filled(n, m.seq)
    /\ tlog[n][m.seq].id = m.id
    /\ tlog[n][m.seq].value = m.value
    /\ tlog[n][m.seq].term = m.sterm

(* A request that an active copy would obey.                                 *)
Acceptable(m) == m.request /\ ActiveShard(m.dest) /\ Term(m) >= currentTerm[m.dest]

(* A presumed primary that some active copy would still obey.                *)
HasVoice(c) ==
    PresumesPrimary(c) /\ \E r \in Nodes : ActiveShard(r) /\ currentTerm[r] <= currentTerm[c]

(* A global checkpoint at or above the slot is known to an active copy or a  *)
(* presumed primary, or is about to be.                                      *)
Locked(seq) ==
    \/ \E n \in Nodes :
          globalCheckPoint[n] >= seq /\ (ActiveShard(n) \/ PresumesPrimary(n))
    \/ \E m \in messages : Acceptable(m) /\ m.globalCP >= seq
Settled(seq) == seq \in settled \/ Locked(seq)

(* r has confirmed the slot to the primary c, or the response is in flight.  *)
Reported(c, r, seq) ==
    \/ localCheckPoint[c][r] >= seq
    \/ \E m \in messages :
          /\ Succeeded(m)
          /\ m.method = Replication
          /\ m.dest = c
          /\ m.source = r
          /\ m.localCP >= seq

(* A copy that c waits for obeys a later primary and has not confirmed the   *)
(* slot: the global checkpoint of c will never reach it.                     *)
NeverChecked(c, seq) ==
    \E i \in Nodes :
        /\ OnNode(c)[i] # Unassigned
        /\ currentTerm[i] > currentTerm[c]
        /\ ~Reported(c, i, seq)

(* The client request was answered as failed, or will be.                    *)
Doomed(req) ==
    \/ \E r \in clientResponses : ~r.success /\ r.req = req
    \/ \E m \in messages :
          /\ m.method = Replication
          /\ m.req = req
          /\ IF m.request
             THEN currentTerm[m.dest] > m.rterm
             ELSE ~m.success /\ m.rterm < clusterStateOnMaster.primaryTerm
Pending(m) == m.method = Replication /\ m.client /\ ~Doomed(m.req)

ProofInit == Init /\ settled = {}
ProofNext == Next /\ settled' = settled \cup {seq \in Slots : Locked(seq)}

-----------------------------------------------------------------------------
(* Control: cluster states in their order, terms, and who may call whom.     *)

OnePrimary(state) ==
    \E p \in Nodes : \A n \in Nodes : state.routingTable[n] = Primary <=> n = p
NothingAssigned == \A n \in Nodes : ~ActiveShard(n)

(* later may follow on state: its copies had one then, the primary only at   *)
(* its term.                                                                 *)
FollowsOn(later, state) ==
    /\ state.primaryTerm <= later.primaryTerm
    /\ \A n \in Nodes : later.routingTable[n] # Unassigned =>
          state.routingTable[n] =
              IF state.primaryTerm = later.primaryTerm THEN later.routingTable[n] ELSE Replica

MasterHasOnePrimary == OnePrimary(clusterStateOnMaster) \/ NothingAssigned

NodesHaveOnePrimary ==
    \A n \in Nodes : OnePrimary(clusterStateOnNode[n]) \/ NothingAssigned

MasterFollowsOnNodes == \A n \in Nodes : FollowsOn(clusterStateOnMaster, clusterStateOnNode[n])

NodesAreInOneOrder ==
    \A n1, n2 \in Nodes :
        \/ FollowsOn(clusterStateOnNode[n1], clusterStateOnNode[n2])
        \/ FollowsOn(clusterStateOnNode[n2], clusterStateOnNode[n1])

TermsCostCopies ==
    /\ clusterStateOnMaster.primaryTerm + Cardinality(Assigned(clusterStateOnMaster.routingTable))
           <= Cardinality(Nodes) + 1
    /\ \A n \in Nodes :
          clusterStateOnNode[n].primaryTerm + Cardinality(Assigned(OnNode(n)))
              <= Cardinality(Nodes) + 1

(* At a call's term there were its two copies, besides those the caller has. *)
CallTermsCostCopies ==
    \A m \in messages :
        LET state == clusterStateOnNode[Caller(m)]
        IN  /\ Term(m) < Cardinality(Nodes)
            /\ state.primaryTerm = Term(m)
                  => Term(m) + Cardinality(Assigned(state.routingTable) \cup {Callee(m)})
                        <= Cardinality(Nodes) + 1

TermsAreTheMasters ==
    \A n \in Nodes :
        /\ currentTerm[n] >= 1
        /\ currentTerm[n] <= clusterStateOnMaster.primaryTerm
        /\ clusterStateOnNode[n].primaryTerm >= 1

PresumedPrimaryAtItsTerm ==
    \A n \in Nodes : PresumesPrimary(n) => currentTerm[n] = clusterStateOnNode[n].primaryTerm

PromotionBringsANewTerm ==
    \A p, n \in Nodes :
        clusterStateOnMaster.routingTable[p] = Primary /\ ~PresumesPrimary(p)
            => currentTerm[n] < clusterStateOnMaster.primaryTerm

CallsAtTheCallersTerm ==
    \A m \in messages :
        /\ Caller(m) # Callee(m)
        /\ currentTerm[Caller(m)] = Term(m)
        /\ clusterStateOnNode[Caller(m)].primaryTerm >= Term(m)

CallFits(m, state) ==
    LET caller == state.routingTable[Caller(m)]
        callee == state.routingTable[Callee(m)]
    IN  /\ Term(m) > state.primaryTerm => caller = Replica /\ callee = Replica
        /\ Term(m) = state.primaryTerm
              => (caller = Primary /\ callee # Primary) \/ NothingAssigned
        /\ Term(m) < state.primaryTerm => caller = Unassigned

CallsFitClusterStates ==
    \A m \in messages :
        /\ CallFits(m, clusterStateOnMaster)
        /\ \A n \in Nodes : CallFits(m, clusterStateOnNode[n])

OneCallerATerm ==
    \A m1, m2 \in messages :
        /\ Term(m1) = Term(m2) => Caller(m1) = Caller(m2)
        /\ Term(m1) < Term(m2) => Caller(m1) # Caller(m2) /\ Caller(m1) # Callee(m2)

-----------------------------------------------------------------------------
(* Numbers and names: how far they go, and what they identify.               *)

SlotsNoMoreThanOperations == \A n \in Nodes : \A seq \in DOMAIN tlog[n] : seq <= Operations

MessagesOfTakenSlots ==
    \A m \in messages :
        /\ m.req < nextRequestId
        /\ IF m.method = Replication THEN m.seq <= Operations ELSE m.maxseq <= Operations

(* One an operation, and one a slot and promotion.                           *)
RequestIdsSuffice ==
    nextRequestId + MaxClientValue <= nextClientValue
        + MaxClientValue * Cardinality({n \in Nodes : ~ActiveShard(n) \/ OnNode(n)[n] # Replica})

ClientMessagesHaveDocuments ==
    \A m \in messages : m.method = Replication /\ m.client =>
        /\ m.id # Nil
        /\ m.value < nextClientValue
        /\ m.sterm = m.rterm

AcknowledgedWasHandedOut ==
    \A r \in clientResponses :
        IF r.success THEN r.value < nextClientValue ELSE r.req < nextRequestId

InFlightIsNotAcknowledged ==
    \A m \in messages, r \in clientResponses :
        m.method = Replication /\ m.client /\ r.success => r.value # m.value

RequestIdIdentifies ==
    \A m1, m2 \in messages : m1.req = m2.req =>
        /\ m1.method = m2.method
        /\ m1.method = TrimTranslog => m1.maxseq = m2.maxseq
        /\ Caller(m1) = Caller(m2)
        /\ Callee(m1) = Callee(m2) => m1 = m2
        /\ m1.method = Replication
              => m1.seq = m2.seq /\ m1.value = m2.value /\ m1.client = m2.client

ValueIdentifies ==
    \A m1, m2 \in messages :
        m1.method = Replication /\ m2.method = Replication /\ m1.client /\ m2.client
            /\ m1.value = m2.value => m1.req = m2.req

-----------------------------------------------------------------------------
(* Entries: whose they are, and what a primary has of those it speaks of.    *)

PrimaryHasNoHole ==
    \A n \in Nodes, seq \in Slots : PresumesPrimary(n) /\ seq <= MaxSeq(tlog[n]) => Filled(n, seq)

CallerHoldsWhatItSends ==
    \A m \in messages : m.method = Replication => Stored(Caller(m), m)

EntriesAreNotNewerThanTheirNode ==
    \A n \in Nodes : \A seq \in DOMAIN tlog[n] : tlog[n][seq].term <= currentTerm[n]

PrimaryHoldsEntriesOfItsTerm ==
    \A c, r \in Nodes : \A seq \in DOMAIN tlog[r] :
        PresumesPrimary(c) /\ tlog[r][seq].term = currentTerm[c] => SameOperation(c, r, seq)

PrimaryHoldsCallsOfItsTerm ==
    \A c \in Nodes, m \in messages :
        PresumesPrimary(c) /\ m.method = Replication /\ m.sterm = currentTerm[c] => Stored(c, m)

(* The first primary trims nothing.                                          *)
CallsOfEarlierEntries ==
    \A m \in messages : IF m.method = Replication THEN m.sterm <= m.rterm ELSE m.term > 1

(* A caller trims what it had no entry for at its term.                      *)
CallerTrimsBeyondItsTranslog ==
    \A m \in messages, seq \in Slots : m.method = TrimTranslog =>
        IF seq <= m.maxseq
        THEN Filled(Caller(m), seq)
        ELSE Filled(Caller(m), seq) => tlog[Caller(m)][seq].term = m.term

-----------------------------------------------------------------------------
(* Copies: what they hold that a primary counts on.                          *)

ReporterKnowsTheTerm ==
    \A c, r \in Nodes :
        PresumesPrimary(c) /\ localCheckPoint[c][r] > 0 => currentTerm[r] >= currentTerm[c]

ReporterKnowsTheCallersTerm ==
    \A m \in messages, r \in Nodes :
        localCheckPoint[Caller(m)][r] > 0 => currentTerm[r] >= Term(m)

ResponderKnowsTheTerm ==
    \A m \in messages : Succeeded(m) => currentTerm[m.source] >= Term(m)

OnlyPrimariesTrack ==
    \A c, r \in Nodes : OnNode(c)[c] = Replica => localCheckPoint[c][r] = 0

ConfirmedIsThePrimarys ==
    \A c, r \in Nodes : \A seq \in DOMAIN tlog[r] :
        /\ PresumesPrimary(c)
        /\ ActiveShard(r)
        /\ currentTerm[r] = currentTerm[c]
        /\ ~tlog[r][seq].pc
        => SameOperation(c, r, seq)

ReportedIsThePrimarys ==
    \A c, r \in Nodes, seq \in Slots :
        PresumesPrimary(c) /\ ActiveShard(r) /\ Reported(c, r, seq)
            => SameOperation(c, r, seq) \/ NeverChecked(c, seq)

LaterPrimaryAgrees ==
    \A c, later \in Nodes, seq \in Slots :
        PresumesPrimary(c) /\ PresumesPrimary(later) /\ currentTerm[c] < currentTerm[later]
            => SameOperation(c, later, seq) \/ NeverChecked(c, seq)

LaterCallAgrees ==
    \A c \in Nodes, m \in messages, seq \in Slots :
        /\ PresumesPrimary(c)
        /\ m.request
        /\ currentTerm[c] < Term(m)
        /\ IF m.method = Replication THEN m.seq = seq /\ ~Stored(c, m) ELSE m.maxseq < seq
        => NeverChecked(c, seq)

ActiveCopiesAgreeOnSettled ==
    \A n1, n2 \in Nodes, seq \in Slots :
        Settled(seq) /\ ActiveShard(n1) /\ ActiveShard(n2) => SameOperation(n1, n2, seq)

VoicesAgreeOnSettled ==
    \A c, n \in Nodes, seq \in Slots :
        Settled(seq) /\ HasVoice(c) /\ ActiveShard(n) => SameOperation(c, n, seq)

CallsAgreeOnSettled ==
    \A m \in messages, seq \in Slots : Acceptable(m) /\ Settled(seq) =>
        IF m.method = Replication
        THEN m.seq = seq => Stored(m.dest, m)
        ELSE m.maxseq < seq => Filled(m.dest, seq) /\ tlog[m.dest][seq].term >= m.term

-----------------------------------------------------------------------------
(* Client requests: who holds what may still be, or is, acknowledged.        *)

PendingIsHeld ==
    \A m \in messages, n \in Nodes :
        Pending(m) /\ ActiveShard(n) /\ n # Caller(m) =>
            \/ \E ms \in messages :
                  ms.req = m.req /\ Callee(ms) = n /\ (ms.request \/ ~ms.success)
            \/ Stored(n, m) /\ currentTerm[n] >= Term(m)

LaterPrimaryHoldsPending ==
    \A m \in messages, n \in Nodes :
        Pending(m) /\ PresumesPrimary(n) /\ currentTerm[n] > Term(m) => Stored(n, m)

LaterCallLeavesPending ==
    \A m, later \in messages : Pending(m) /\ later.request /\ Term(later) > Term(m) =>
        IF later.method = Replication
        THEN later.seq = m.seq
                => later.id = m.id /\ later.value = m.value /\ later.sterm = m.sterm
        ELSE later.maxseq >= m.seq

VoicesHoldAcknowledged ==
    \A c \in Nodes, r \in clientResponses : r.success /\ HasVoice(c) =>
        /\ Filled(c, r.seq)
        /\ tlog[c][r.seq].id = r.id
        /\ tlog[c][r.seq].value = r.value
        /\ tlog[c][r.seq].term = r.term

CallsLeaveAcknowledged ==
    \A m \in messages, r \in clientResponses : Acceptable(m) /\ r.success =>
        IF m.method = Replication
        THEN m.seq = r.seq => Stored(m.dest, m)
        ELSE m.maxseq < r.seq => r.term >= m.term

(* What the primary holds is on its way to a copy, or there; and so is that  *)
(* it holds no more.                                                         *)
Leads(c, r) ==
    /\ clusterStateOnMaster.routingTable[c] = Primary
    /\ PresumesPrimary(c)
    /\ ActiveShard(r)
    /\ c # r
Untold(c, r) ==
    {m \in messages : Caller(m) = c /\ Callee(m) = r /\ (m.request \/ ~m.success)}

EntriesAreOnTheirWay ==
    \A c, r \in Nodes : Leads(c, r) => \A seq \in DOMAIN tlog[c] :
        \/ Settled(seq)
        \/ currentTerm[r] = currentTerm[c] /\ SameOperation(c, r, seq)
        \/ \E m \in Untold(c, r) : m.method = Replication /\ m.seq = seq

TrimIsOnItsWay ==
    \A c, r \in Nodes : Leads(c, r) =>
        \/ currentTerm[r] = currentTerm[c] /\ DOMAIN tlog[r] \subseteq DOMAIN tlog[c]
        \/ \E m \in Untold(c, r) : m.method = TrimTranslog

-----------------------------------------------------------------------------
(* Checkpoints: what is known as global is confirmed locally.                *)

ActiveCopiesConfirmed ==
    \A n, r \in Nodes :
        ActiveShard(n) /\ ActiveShard(r) => globalCheckPoint[n] <= MaxConfirmedSeq(tlog[r])

ObedientCopiesConfirmed ==
    \A c, r \in Nodes :
        PresumesPrimary(c) /\ OnNode(c)[r] = Replica /\ currentTerm[r] <= currentTerm[c]
            => globalCheckPoint[c] <= MaxConfirmedSeq(tlog[r])

RequestsConfirmed ==
    \A m \in messages : m.request =>
        /\ m.globalCP <= globalCheckPoint[m.source]
        /\ Term(m) >= currentTerm[m.dest] => m.globalCP <= MaxConfirmedSeq(tlog[m.dest])
        /\ \A r \in Nodes :
              Acceptable(m) /\ ActiveShard(r) => m.globalCP <= MaxConfirmedSeq(tlog[r])

TrackedIsConfirmed ==
    \A c, r \in Nodes :
        PresumesPrimary(c) /\ currentTerm[r] <= currentTerm[c]
            => localCheckPoint[c][r] <= MaxConfirmedSeq(tlog[r])

AnswersConfirmed ==
    \A m \in messages :
        m.method = Replication /\ Succeeded(m) /\ currentTerm[m.source] = Term(m)
            => m.localCP <= MaxConfirmedSeq(tlog[m.source])

FirstPrimaryWaitsForAll ==
    \A c, r \in Nodes :
        PresumesPrimary(c) /\ currentTerm[c] = 1 /\ OnNode(c)[r] = Replica
            => globalCheckPoint[c] <= localCheckPoint[c][r]

AnswersKeepGlobal ==
    \A m \in messages :
        /\ m.method = Replication
        /\ Succeeded(m)
        /\ PresumesPrimary(m.dest)
        /\ OnNode(m.dest)[m.source] = Replica
        => \/ m.localCP >= globalCheckPoint[m.dest]
           \/ localCheckPoint[m.dest][m.source] >= globalCheckPoint[m.dest]

(* A global checkpoint advances by reports of all.                           *)
AdvanceWasReported ==
    \A m \in messages, r \in Nodes :
        /\ m.request
        /\ PresumesPrimary(m.source)
        /\ OnNode(m.source)[r] = Replica
        /\ globalCheckPoint[m.source] > m.globalCP
        => localCheckPoint[m.source][r] >= globalCheckPoint[m.source]

ToldAdvanceWasReported ==
    \A m1, m2 \in messages :
        m1.request /\ m2.request /\ m1.source = m2.source /\ m1.globalCP < m2.globalCP
            => localCheckPoint[m1.source][m1.dest] >= m2.globalCP

-----------------------------------------------------------------------------
(* Trims: they leave what is confirmed, or known as global.                  *)

TrimsAboveCheckPoint == \A m \in messages : Trims(m) => m.globalCP <= m.maxseq

TrimLeavesConfirmed ==
    \A m \in messages : Trims(m) /\ currentTerm[m.dest] = m.term =>
        \A seq \in DOMAIN tlog[m.dest] :
            seq > m.maxseq /\ ~tlog[m.dest][seq].pc => tlog[m.dest][seq].term = m.term

TrimLeavesGlobal ==
    \A m \in messages : Trims(m) =>
        /\ currentTerm[m.dest] < m.term => globalCheckPoint[m.dest] <= m.maxseq
        /\ \A c \in Nodes :
              PresumesPrimary(c) /\ currentTerm[c] < m.term => globalCheckPoint[c] <= m.maxseq

TrimLeavesToldGlobal ==
    \A m, trim \in messages :
        /\ Trims(trim)
        /\ m.request
        /\ m.dest = trim.dest
        /\ Term(m) >= currentTerm[m.dest]
        /\ Term(m) < trim.term
        => m.globalCP <= trim.maxseq

-----------------------------------------------------------------------------
(* Two nodes: only the first primary calls, and who is promoted is alone. The *)
(* numbers that messages can have follow from it.                            *)

CopiesHoldNoMore ==
    \A c, r \in Nodes : \A seq \in DOMAIN tlog[r] :
        /\ clusterStateOnMaster.routingTable[c] = Primary
        /\ PresumesPrimary(c)
        /\ ActiveShard(r)
        => currentTerm[r] = currentTerm[c] /\ Filled(c, seq)

(* A request speaks of operations before its own, so who is told knows less  *)
(* than there is.                                                            *)
ToldOfEarlierOperations ==
    /\ \A m \in messages : m.method = Replication /\ m.request => m.globalCP < m.seq
    /\ \A n \in Nodes :
          OnNode(n)[n] = Replica \/ (PresumesPrimary(n) /\ currentTerm[n] > 1)
              => globalCheckPoint[n] = 0 \/ globalCheckPoint[n] < Operations

OnlyTheFirstPrimaryCalls ==
    \A m \in messages : m.method = Replication /\ m.client /\ m.rterm = 1

(* Entries of an earlier primary, and its holes, that were to be sent again. *)
ToResend(n) ==
    {seq \in DOMAIN tlog[n] : /\ seq > globalCheckPoint[n]
                              /\ tlog[n][seq].term < currentTerm[n] \/ tlog[n][seq].value = Nil}
RequestIdsAddUp ==
    nextRequestId = nextClientValue
        + Cardinality({n \in Nodes : PresumesPrimary(n) /\ currentTerm[n] > 1})
        + Cardinality({a \in Nodes \X Slots : /\ PresumesPrimary(a[1])
                                              /\ currentTerm[a[1]] > 1
                                              /\ a[2] \in ToResend(a[1])})
=============================================================================
