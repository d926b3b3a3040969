---- MODULE Graphs ----
\* Directed graphs: records of a set `node` and a set `edge` of pairs of nodes.
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE SequencesExt
LOCAL INSTANCE Functions
LOCAL INSTANCE Relation

LOCAL Edges(G) == [m, n \in G.node |-> <<m, n>> \in G.edge]

IsDirectedGraph(G) ==
    G = [node |-> G.node, edge |-> G.edge] /\ G.edge \subseteq G.node \X G.node

DirectedSubgraph(G) ==
    {H \in [node : SUBSET G.node, edge : SUBSET G.edge] : IsDirectedGraph(H)}

Transpose(G) == [node |-> G.node, edge |-> {<<e[2], e[1]>> : e \in G.edge}]

IsUndirectedGraph(G) == IsDirectedGraph(G) /\ \A e \in G.edge : <<e[2], e[1]>> \in G.edge

UndirectedSubgraph(G) == {H \in DirectedSubgraph(G) : IsUndirectedGraph(H)}

Path(G) ==
    {p \in Seq(G.node) : p # <<>> /\ \A i \in 1..(Len(p) - 1) : <<p[i], p[i + 1]>> \in G.edge}

SimplePath(G) ==
    {p \in SeqOf(G.node, Cardinality(G.node)) :
        /\ p # <<>>
        /\ IsInjective(p)
        /\ \A i \in 1..(Len(p) - 1) : <<p[i], p[i + 1]>> \in G.edge}

ConnectionsIn(G) == ReflexiveTransitiveClosure(Edges(G), G.node)

\* Of what is no node the edges are read as well: without them it has no value.
AreConnectedIn(m, n, G) ==
    LET reaches == ConnectionsIn(G)
    IN  IF {m, n} \subseteq G.node
        THEN reaches[m, n]
        ELSE \E a, b \in G.node : reaches[a, b] /\ FALSE

IsStronglyConnected(G) ==
    LET reaches == ConnectionsIn(G) IN \A m, n \in G.node : reaches[m, n]

IsTreeWithRoot(G, r) ==
    /\ IsDirectedGraph(G)
    /\ \A e \in G.edge : e[1] # r /\ \A f \in G.edge : (e[1] = f[1]) => (e = f)
    /\ LET reaches == ConnectionsIn(G)
       IN  IF r \in G.node THEN \A n \in G.node : reaches[n, r] ELSE G.node = {}

GraphUnion(G, H) == [node |-> G.node \cup H.node, edge |-> G.edge \cup H.edge]

IsBipartiteWithPartitions(G, U, V) ==
    /\ U \cap V = {}
    /\ G.node \subseteq U \cup V
    /\ \A e \in G.edge : (e[1] \in U /\ e[2] \in V) \/ (e[1] \in V /\ e[2] \in U)

HasCycle(G) ==
    LET reaches == TransitiveClosure(Edges(G), G.node) IN \E n \in G.node : reaches[n, n]

IsDag(G) == IsDirectedGraph(G) /\ ~HasCycle(G)

Successors(G, n) == {m \in G.node : <<n, m>> \in G.edge}

AllSuccessors(G, S) == UNION {Successors(G, n) : n \in S}

Predecessors(G, n) == {m \in G.node : <<m, n>> \in G.edge}

AllPredecessors(G, S) == UNION {Predecessors(G, n) : n \in S}

Ancestors(G, n) ==
    LET reaches == TransitiveClosure(Edges(G), G.node) IN {m \in G.node : reaches[m, n]}

Descendants(G, n) ==
    LET reaches == TransitiveClosure(Edges(G), G.node) IN {m \in G.node : reaches[n, m]}

InDegree(G, n) == Cardinality(Predecessors(G, n))

OutDegree(G, n) == Cardinality(Successors(G, n))

Roots(G) == {n \in G.node : Predecessors(G, n) = {}}

Leaves(G) == {n \in G.node : Successors(G, n) = {}}

EmptyGraph == [node |-> {}, edge |-> {}]

Graphs(S) == [node : {S}, edge : SUBSET (S \X S)]
====
