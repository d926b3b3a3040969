"""For which arguments a temporal claim has to be decided on a graph: one choice from each orbit.

A renaming of scalarset members makes a behaviour another one. It meets the same fairness, since a
condition is one for every member, and the claim is true of it at renamed arguments. The language
promises that members can be renamed; here it is shown of every state of the graph, as the judge of
certificates shows it (:mod:`bmc.evidence.interchange`). The graph itself has all states.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from bmc.engines.liveness.graph import Graph
from bmc.evidence.families import Family, NoCounterpart
from bmc.evidence.interchange import Interchange
from bmc.lang.temporal import TemporalProperty, atoms, steps
from bmc.lang.terms import Term
from bmc.layout.domain import Value
from bmc.readings.circuit import Node
from bmc.system.transition import Instance

Choice = tuple[Value, ...]
"""A value for each argument of a claim."""


def choices(graph: Graph, stated: TemporalProperty) -> Sequence[Choice]:
    """Return the values of a claim's arguments to decide it at; the others follow from these."""
    domains = graph.system.domains
    everything = tuple(product(*(domains.values(one.sort) for one in stated.arguments)))
    # Formulas of steps read the state after, of which images are not made here.
    if len(everything) < 2 or steps(stated.formula):
        return everything
    sorts = [one.sort for one in stated.arguments]
    families = [
        Family(stated.name, sorts, instances)
        for atom in atoms(stated.formula)
        for instances in _instances(graph, stated, atom, everything)
    ]
    try:
        shown = Interchange(graph.system, families)
    except NoCounterpart:
        return everything
    if not families or not graph.truth(shown.left).all():
        return everything
    return [everything[orbit[0]] for orbit in shown.orbits(0)]


def _instances(
    graph: Graph, stated: TemporalProperty, atom: Term, everything: Sequence[Choice]
) -> Iterator[list[Instance]]:
    """Where an atom has a value at each choice, and where it is true."""
    system, pairs = graph.system, list[tuple[Node, Node]]()
    for values in everything:
        given = zip(stated.arguments, values, strict=True)
        known = {a: system.shapes.constant(a.sort, v) for a, v in given}
        formula = system.expander.expand(atom, known)
        pairs.append((formula.defined, system.circuit.and_(formula.defined, formula.shape)))
    for nodes in zip(*pairs, strict=True):
        found = zip(everything, nodes, strict=True)
        yield [Instance(stated.name, values, node) for values, node in found]
