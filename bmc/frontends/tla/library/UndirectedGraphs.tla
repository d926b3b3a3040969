---- MODULE UndirectedGraphs ----
\* Undirected graphs: records of a set `node` and a set `edge` of sets of one or two nodes.
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE SequencesExt
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE Relation

LOCAL JoinsNodes(G) == \A e \in G.edge : \E m, n \in G.node : e = {m, n}

IsUndirectedGraph(G) == G = [node |-> G.node, edge |-> G.edge] /\ JoinsNodes(G)

IsLoopFreeUndirectedGraph(G) ==
    IsUndirectedGraph(G) /\ \A e \in G.edge : Cardinality(e) = 2

UndirectedSubgraph(G) ==
    {H \in [node : SUBSET G.node, edge : SUBSET G.edge] : IsUndirectedGraph(H)}

Path(G) ==
    {p \in Seq(G.node) : p # <<>> /\ \A i \in 1..(Len(p) - 1) : {p[i], p[i + 1]} \in G.edge}

SimplePath(G) ==
    {p \in SeqOf(G.node, Cardinality(G.node)) :
        /\ p # <<>>
        /\ \A i, j \in 1..Len(p) : (p[i] = p[j]) => (i = j)
        /\ \A i \in 1..(Len(p) - 1) : {p[i], p[i + 1]} \in G.edge}

LOCAL Connections(G) ==
    ReflexiveTransitiveClosure([m, n \in G.node |-> {m, n} \in G.edge], G.node)

\* Where an edge does not join nodes, it has no value, and so have the components.
AreConnectedIn(m, n, G) ==
    CASE JoinsNodes(G) -> {m, n} \subseteq G.node /\ Connections(G)[m, n]

ConnectedComponents(G) ==
    CASE JoinsNodes(G) ->
        LET reaches == Connections(G) IN {{n \in G.node : reaches[m, n]} : m \in G.node}

IsStronglyConnected(G) == ConnectedComponents(G) = {G.node}

UndirectedGraphs(S) == [node : {S}, edge : SUBSET {{m, n} : m, n \in S}]
====
