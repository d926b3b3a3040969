"""Formulas that behaviours are described by, closed so that the text can be asked for their values.

`P(p) ~> Q(p)` is made of `P(p)` and `Q(p)`. Of one that is said of each `p` in a set it is asked
whether it holds for some and whether it holds for all; of one that is said of a constant, whether
it holds for that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from bmc.frontends.tla import core as c
from bmc.frontends.tla.translate.enabled import possible
from bmc.frontends.tla.translate.translator import Context
from bmc.frontends.tla.values import ModelValue
from bmc.lang.model import Argument
from bmc.lang.sorts import BOOL
from bmc.lang.terms import Term, make


@dataclass(frozen=True, eq=False)
class Atom:
    """A closed formula of states, or of steps, in the text and as a term.

    Where it is ``quantified`` the text may have looked at another member first, and have found it
    without a value.
    """

    node: c.Expression
    term: Term
    of_step: bool
    quantified: bool = False


def atoms_of(
    made: Atom,
    free: Collection[c.Binding],
    context: Context,
    domains: Mapping[Term, c.Expression | None],
) -> Iterator[Atom]:
    """Yield the closed formulas that tell of one whether its translation is right.

    ``free`` are the bindings that it reads, ``domains`` the constant sets that choices are taken
    from. There are none where it reads what is neither chosen nor a plain constant.
    """
    if context.guards:
        return
    node, chosen = made.node, dict[Term, c.Binding]()
    for binding in free:
        meant = context.environment.get(binding)
        literal = _literal(node, meant)
        if literal is not None:
            members = c.SetEnumeration(node.span, (literal,))
            node = _quantified(c.Quantification.EXISTS, {binding: members}, node)
        elif isinstance(meant, Term) and meant in domains and meant not in chosen:
            chosen[meant] = binding
        else:
            return
    taken = tuple(one for one in context.arguments if one.variable in chosen)
    if len(taken) < len(chosen) or any(one.collection is not None for one in taken):
        return
    if not chosen:
        yield Atom(node, made.term, made.of_step)
        return
    members_of = {binding: domains[variable] for variable, binding in chosen.items()}
    for kind, term in _for_some_and_for_all(made.term, taken):
        yield Atom(_quantified(kind, members_of, node), term, made.of_step, quantified=True)


def _for_some_and_for_all(
    term: Term, taken: tuple[Argument, ...]
) -> Iterator[tuple[c.Quantification, Term]]:
    yield c.Quantification.EXISTS, possible(taken, (term,))
    yield c.Quantification.FORALL, _negated(possible(taken, (_negated(term),)))


def _negated(formula: Term) -> Term:
    return make("not", (formula,), BOOL)


def _quantified(
    kind: c.Quantification, members: Mapping[c.Binding, c.Expression | None], node: c.Expression
) -> c.Expression:
    bounds = tuple(c.Bound((binding,), False, domain) for binding, domain in members.items())
    return c.Quantifier(node.span, kind, bounds, node)


def _literal(node: c.Expression, value: object) -> c.Expression | None:
    match value:
        case int():
            return c.IntegerLiteral(node.span, value)
        case str():
            return c.StringLiteral(node.span, value)
        case ModelValue():
            return c.ModelValueLiteral(node.span, value.name)
    return None
