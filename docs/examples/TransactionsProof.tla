-------------------------- MODULE TransactionsProof --------------------------
(***************************************************************************)
(* Why clients of Kafka's transactions have epochs of their own: lemmas    *)
(* that `bmc prove` shows to be inductive together, over the published     *)
(* kafka_transactions.tla (the second stage of the diary), which has to    *)
(* lie beside this module with network.tla.                                *)
(*                                                                         *)
(* They hold with one partition of the transaction log: who takes over one *)
(* of several forgets what it knew as the leader of the others.            *)
(***************************************************************************)
EXTENDS kafka_transactions

-----------------------------------------------------------------------------
(* Words of the lemmas.                                                      *)

Leads(b, p) == tc_log_metadata[b][p].leader = b
Coordinates(b, tid) == Leads(b, PartitionFor(tid))

Known(b, tid) == tc_tid_metadata[b][tid]
KnownBest(tid) == Known(FindCoordinator(tid), tid)

Committed(b, p) == tc_log_hwm[b][p]
Written(b, p) == Len(tc_log[b][p])
Entry(b, p, offset) == tc_log[b][p][offset]

(* An entry that a leader, or who still takes itself for one, has not        *)
(* committed, and one whose callback answers a client.                       *)
Uncommitted(b, p, offset) ==
    Leads(b, p) /\ Committed(b, p) < offset /\ offset <= Written(b, p)
WillAnswer(b, p, offset, c) ==
    /\ Uncommitted(b, p, offset)
    /\ Entry(b, p, offset).callback.response # None
    /\ Entry(b, p, offset).callback.response.dest = c

(* The client of a message, which a client sends or receives.               *)
Partner(m) ==
    IF m.type \in {InitPidRequest, AddPartitionsToTxnRequest} THEN m.source ELSE m.dest

Waits(c) ==
    \/ client[c].state = SentInitPidRequest
    \/ client[c].state = BegunTxn /\ client[c].pending_partitions # {}

HasId(c) == client[c].pid # -1

(* A client is about to be told a producer id, with this epoch.              *)
ToldEpoch(c, pepoch) ==
    \E m \in messages :
        m.type = InitPidResponse /\ m.code = OK /\ m.dest = c /\ m.pepoch = pepoch
ToldId(c) == \E m \in messages : m.type = InitPidResponse /\ m.code = OK /\ m.dest = c
HoldsEpoch(c, pepoch) == (HasId(c) /\ client[c].epoch = pepoch) \/ ToldEpoch(c, pepoch)
GetsId(c) == HasId(c) \/ ToldId(c)

(* A client whose producer epoch its coordinator has gone beyond.            *)
Overtaken(c) ==
    /\ HasId(c)
    /\ client[c].tid # None
    /\ KnownBest(client[c].tid) # None
    /\ client[c].epoch < KnownBest(client[c].tid).pepoch

(* A partition that a client has added, is told to have added, or never will.*)
Added(c, t) ==
    \/ client[c].state = Terminated
    \/ t \in client[c].partitions
    \/ \E m \in messages :
          m.type = AddPartitionsToTxnResponse /\ m.dest = c /\ t \in m.partitions

Of(tid) == {c \in Clients : client[c].tid = tid}
WithId == Cardinality({c \in Clients : GetsId(c)})
WithIdOf(tid) == Cardinality({c \in Of(tid) : GetsId(c)})
Ends == Cardinality({c \in Clients : Overtaken(c)})
EndsOf(tid) == Cardinality({c \in Of(tid) : Overtaken(c)})
Additions == Cardinality({a \in Clients \X TopicPartitions : Added(a[1], a[2])})

(* How many producer ids can still be made: where a coordinator does not     *)
(* know a transactional id, and once each that a change makes unknown.       *)
IdsToCome ==
    Cardinality({a \in Brokers \X TransactionIds :
                    Coordinates(a[1], a[2]) /\ Known(a[1], a[2]) = None})
    + Cardinality(TransactionIds) * (MaxTxnLogLeaderElections - aux_coord_ctr)
MostIds == Cardinality(TransactionIds) * (MaxTxnLogLeaderElections + 1)

-----------------------------------------------------------------------------
(* States: which metadata and entries there are.                             *)

MetadataIsReached ==
    \A b \in Brokers, tid \in TransactionIds : Known(b, tid) # None =>
        /\ Known(b, tid).state \in {Empty, Ongoing, PrepareAbort, CompleteAbort}
        /\ Known(b, tid).pid > 0
        /\ Known(b, tid).pepoch = -1 => Known(b, tid).state = Empty

EntryMatchesItsCallback ==
    \A b \in Brokers, p \in TxnLogPartitions : \A offset \in DOMAIN tc_log[b][p] :
        LET callback   == Entry(b, p, offset).callback
            transition == Entry(b, p, offset).transition
        IN  /\ transition.pepoch >= 0
            /\ \/ /\ callback.type = CompleteAbort
                  /\ transition.state = CompleteAbort
                  /\ callback.response = None
                  /\ callback.err = None
               \/ \E c \in Clients, source \in Brokers :
                     \/ /\ callback.type = InitPidRequest
                        /\ transition.state = Empty
                        /\ callback.response = MakePidResponse(source, c, OK,
                                                   transition.pid, transition.pepoch)
                        /\ callback.err = MakeErrorPidResponse(source, c, NotCoordinator)
                     \/ /\ callback.type = PrepareAbort
                        /\ transition.state = PrepareAbort
                        /\ callback.response =
                               MakeErrorPidResponse(source, c, ConcurrentTransactions)
                        /\ callback.err = MakeErrorPidResponse(source, c, NotCoordinator)
                     \/ /\ callback.type = AddPartitionsToTxnRequest
                        /\ transition.state = Ongoing
                        /\ callback.response =
                               MakeAddPartsResponse(source, c, OK, transition.partitions)
                        /\ callback.err = MakeAddPartsResponse(source, c, NotCoordinator, {})

-----------------------------------------------------------------------------
(* Leaders of a partition of the transaction log, and their logs.            *)

LatestEpochNamesTheLeader ==
    \A b \in Brokers, p \in TxnLogPartitions :
        /\ tc_log_metadata[b][p].cepoch <= txn_log_epoch[p]
        /\ tc_log_metadata[b][p].cepoch = txn_log_epoch[p]
              => tc_log_metadata[b][p].leader = txn_log_leader[p]
        /\ txn_log_leader[p] = b => tc_log_metadata[b][p].cepoch = txn_log_epoch[p]

OneLeaderAnEpoch ==
    \A b, other \in Brokers, p \in TxnLogPartitions :
        tc_log_metadata[b][p].cepoch = tc_log_metadata[other][p].cepoch
            => tc_log_metadata[b][p].leader = tc_log_metadata[other][p].leader

EpochsAreCounted == \A p \in TxnLogPartitions : txn_log_epoch[p] <= aux_coord_ctr + 1

HighWatermarkIsInTheLog ==
    \A b \in Brokers, p \in TxnLogPartitions : Committed(b, p) <= Written(b, p)

HighWatermarksAgree ==
    \A b, other \in Brokers, p \in TxnLogPartitions : Committed(b, p) = Committed(other, p)

FollowerHasTheCommitted ==
    \A b \in Brokers, p \in TxnLogPartitions : ~Leads(b, p) => Written(b, p) = Committed(b, p)

OnlyLeadersHaveTransitions ==
    \A b \in Brokers, tid \in TransactionIds :
        ~Coordinates(b, tid) => CurrentTransition(b, tid) = None

EntryIsInItsPartition ==
    \A b \in Brokers, p \in TxnLogPartitions : \A offset \in DOMAIN tc_log[b][p] :
        PartitionFor(Entry(b, p, offset).tid) = p

UncommittedEntryIsTheTransition ==
    \A b \in Brokers, p \in TxnLogPartitions : \A offset \in DOMAIN tc_log[b][p] :
        Uncommitted(b, p, offset)
            => CurrentTransition(b, Entry(b, p, offset).tid) = Entry(b, p, offset).transition

UncommittedEntriesDiffer ==
    \A b \in Brokers, p \in TxnLogPartitions : \A offset, other \in DOMAIN tc_log[b][p] :
        offset < other /\ Uncommitted(b, p, offset) /\ Uncommitted(b, p, other)
            => Entry(b, p, offset).tid # Entry(b, p, other).tid

TransitionsAreInTheLog ==
    \A b \in Brokers, p \in TxnLogPartitions : Leads(b, p) =>
        Written(b, p) = Committed(b, p)
            + Cardinality({tid \in TransactionIds :
                              PartitionFor(tid) = p /\ CurrentTransition(b, tid) # None})

(* Nothing is committed before everybody follows the latest leader.          *)
StaleLeaderKnowsTheSame ==
    \A b \in Brokers, tid \in TransactionIds :
        Coordinates(b, tid) =>
            \/ Known(b, tid) = KnownBest(tid)
            \/ /\ Known(b, tid) # None => Known(b, tid).pepoch = -1
               /\ KnownBest(tid) # None => KnownBest(tid).pepoch = -1

-----------------------------------------------------------------------------
(* Clients: one waits for one answer at a time, and keeps what it has.       *)

ClientIsInShape ==
    \A c \in Clients :
        /\ HasId(c) <=> client[c].state \notin {Ready, SentInitPidRequest}
        /\ HasId(c) => client[c].pid > 0 /\ client[c].epoch >= 0 /\ client[c].tc # None
        /\ client[c].state # Ready => client[c].tid # None
        /\ client[c].state # BegunTxn
              => client[c].pending_partitions = {} /\ client[c].partitions = {}
        /\ client[c].pending_partitions \cap client[c].partitions = {}

WhoWaitsIsAnswered ==
    \A c \in Clients : Waits(c) <=>
        \/ \E m \in messages : Partner(m) = c
        \/ \E b \in Brokers, p \in TxnLogPartitions :
              \E offset \in DOMAIN tc_log[b][p] : WillAnswer(b, p, offset, c)

OneMessageAtATime ==
    \A c \in Clients : Cardinality({m \in messages : Partner(m) = c}) <= 1

OneEntryAtATime ==
    \A c \in Clients, b, other \in Brokers, p, another \in TxnLogPartitions :
        \A offset \in DOMAIN tc_log[b][p], later \in DOMAIN tc_log[other][another] :
            WillAnswer(b, p, offset, c) /\ WillAnswer(other, another, later, c)
                => b = other /\ p = another /\ offset = later

EntryOrMessage ==
    \A b \in Brokers, p \in TxnLogPartitions : \A offset \in DOMAIN tc_log[b][p] :
        \A m \in messages : ~WillAnswer(b, p, offset, Partner(m))

RequestsForIdsAreAwaited ==
    \A m \in messages : m.type = InitPidRequest =>
        client[m.source].state = SentInitPidRequest /\ client[m.source].tid = m.tid

AnswersWithIdsAreAwaited ==
    \A m \in messages : m.type = InitPidResponse =>
        /\ client[m.dest].state = SentInitPidRequest
        /\ IF m.code = OK THEN m.pid > 0 /\ m.pepoch >= 0 ELSE m.pid = -1 /\ m.pepoch = -1

RequestsHaveTheClientsIds ==
    \A m \in messages : m.type = AddPartitionsToTxnRequest =>
        /\ client[m.source].state = BegunTxn
        /\ client[m.source].pending_partitions = m.partitions
        /\ client[m.source].tid = m.tid
        /\ client[m.source].pid = m.pid
        /\ client[m.source].epoch = m.pepoch

AnswersAboutPartitionsAreAwaited ==
    \A m \in messages : m.type = AddPartitionsToTxnResponse =>
        /\ client[m.dest].state = BegunTxn
        /\ IF m.code = OK
           THEN client[m.dest].pending_partitions \subseteq m.partitions
           ELSE m.partitions = {}

EntriesAreAwaited ==
    \A b \in Brokers, p \in TxnLogPartitions, c \in Clients :
        \A offset \in DOMAIN tc_log[b][p] : WillAnswer(b, p, offset, c) =>
            /\ client[c].tid = Entry(b, p, offset).tid
            /\ IF Entry(b, p, offset).callback.type = AddPartitionsToTxnRequest
               THEN /\ client[c].state = BegunTxn
                    /\ client[c].pending_partitions # {}
                    /\ client[c].pending_partitions \subseteq
                           Entry(b, p, offset).transition.partitions
                    /\ client[c].epoch = Entry(b, p, offset).transition.pepoch
               ELSE client[c].state = SentInitPidRequest

-----------------------------------------------------------------------------
(* Numbers: producer epochs and ids, and what each is paid for with.         *)

EntryGoesOn ==
    \A b \in Brokers, p \in TxnLogPartitions : \A offset \in DOMAIN tc_log[b][p] :
        Uncommitted(b, p, offset) =>
            LET entry == Entry(b, p, offset)
                known == Known(b, entry.tid)
            IN  /\ known # None
                /\ entry.transition.pid = known.pid
                /\ entry.callback.type = InitPidRequest =>
                      /\ entry.transition.pepoch = known.pepoch + 1
                      /\ known.state \in {Empty, CompleteAbort}
                /\ entry.callback.type = PrepareAbort =>
                      /\ entry.transition.pepoch = known.pepoch + 1
                      /\ known.state = Ongoing
                /\ entry.callback.type \in {AddPartitionsToTxnRequest, CompleteAbort} =>
                      /\ entry.transition.pepoch = known.pepoch
                      /\ known.partitions \subseteq entry.transition.partitions
                /\ entry.callback.type = CompleteAbort => known.state = PrepareAbort

CoordinatorHasTheLatestEpoch ==
    \A c \in Clients : GetsId(c) =>
        /\ client[c].tid # None
        /\ KnownBest(client[c].tid) # None
        /\ HasId(c) => client[c].epoch <= KnownBest(client[c].tid).pepoch
        /\ \A m \in messages : m.type = InitPidResponse /\ m.code = OK /\ m.dest = c
              => m.pepoch <= KnownBest(client[c].tid).pepoch

EpochIsGivenOnce ==
    \A c, other \in Clients : c # other /\ client[c].tid = client[other].tid =>
        /\ HasId(c) => ~HoldsEpoch(other, client[c].epoch)
        /\ \A m \in messages : m.type = InitPidResponse /\ m.code = OK /\ m.dest = c
              => ~HoldsEpoch(other, m.pepoch)

OngoingIsSomebodys ==
    \A tid \in TransactionIds :
        KnownBest(tid) # None /\ KnownBest(tid).state = Ongoing =>
            \E c \in Of(tid) : HasId(c) /\ client[c].epoch = KnownBest(tid).pepoch

(* Who is not overtaken has the latest epoch, or will ask for it.            *)
LatestEpochIsHeldOrWanted ==
    \A tid \in TransactionIds :
        KnownBest(tid) # None /\ KnownBest(tid).pepoch >= 0 =>
            \E c \in Of(tid) : HoldsEpoch(c, KnownBest(tid).pepoch) \/ ~GetsId(c)

EpochsArePaidFor ==
    \A b \in Brokers, tid \in TransactionIds : Known(b, tid) # None =>
        Known(b, tid).pepoch + 1 <= WithIdOf(tid) + EndsOf(tid)

EntriesArePaidFor ==
    \A p \in TxnLogPartitions :
        Committed(txn_log_leader[p], p)
        + Cardinality({tid \in TransactionIds : /\ PartitionFor(tid) = p
                                                /\ KnownBest(tid) # None
                                                /\ KnownBest(tid).state = PrepareAbort})
        <= WithId + Additions + 2 * Ends

IdsLeaveRoom ==
    /\ pid_source + IdsToCome <= MostIds
    /\ \A b \in Brokers, tid \in TransactionIds :
          Known(b, tid) # None => Known(b, tid).pid + IdsToCome <= MostIds
=============================================================================
