"""Claims about a protocol whose reachable states are known: some false far from the start."""

from __future__ import annotations

from dataclasses import replace

from bmc.lang import BOOL, Sort, Term
from bmc.lang.build import append, conj, disj, empty, implies, inject, insert, ite, mapping, record
from bmc.lang.properties import Kind
from bmc.lang.sort_parts import inside
from bmc.lang.sorts import (
    BoundedSetSort,
    IntSort,
    KeyedSetSort,
    MapSort,
    OptionSort,
    RecordSort,
    Scalarset,
    SequenceSort,
    SetSort,
    VariantSort,
)
from bmc.lang.state import state_variable
from bmc.lang.terms import coerce, make
from tests.campaign.machine import Found
from tests.campaign.protocols import Author, Claim, Plan
from tests.campaign.reference import Value
from tests.strategies.draw import Draw

MOST_VALUES = 6


def written(sort: Sort, value: Value) -> Term:
    """A value as a term; the language has no word for a scalarset's members."""
    match sort:
        case OptionSort(inner):
            if value is None:
                return coerce(None, sort)
            return make("some", (written(inner, value),), sort)
        case RecordSort(_, fields):
            parts = zip(fields, value, strict=True)
            return record(sort, **{name: written(part, v) for (name, part), v in parts})
        case VariantSort():
            tag, content = value
            return inject(sort, tag, written(sort.case(tag), content))
        case MapSort(key, part):

            def chosen(k: Term) -> Term:
                *front, (_, final) = value
                term = written(part, final)
                for one, other in reversed(front):
                    term = ite(k == written(key, one), written(part, other), term)
                return coerce(term, part)

            return mapping(key, chosen, part) if value else mapping(key, lambda k: _any(part), part)
        case SequenceSort(element, _):
            term = empty(sort)
            for one in value:
                term = append(term, written(element, one))
            return term
        case SetSort(element) | BoundedSetSort(element, _) | KeyedSetSort(element, _):
            term = empty(sort)
            for one in sorted(value, key=repr):
                term = insert(term, written(element, one))
            return term
    return coerce(_constant(value), sort)


def _constant(value: Value) -> Value:
    return make("bool", (), BOOL, value) if isinstance(value, bool) else value


def _any(sort: Sort) -> Term:
    """A term of any sort, for a map that has no keys: it is never read."""
    from bmc.lang.build import the

    inner = sort if not isinstance(sort, OptionSort) else sort.inner
    found = the(make("none", (), OptionSort(inner)))
    return coerce(found, sort)


def speakable(sort: Sort) -> bool:
    """Whether all of a sort's values can be written."""
    return not any(isinstance(part, Scalarset) for part in inside(sort))


def claims(author: Author, plan: Plan, found: Found) -> Plan:
    """The plan with claims: values reached late or never, pairs of values, ranges, steps, drawn."""
    return replace(plan, claims=tuple(_claims(author, author.draw, plan, found)))


def _claims(author: Author, draw: Draw, plan: Plan, found: Found) -> list[Claim]:
    names = [n for n, s in plan.variables.items() if speakable(s)]
    places = {n: i for i, n in enumerate(plan.variables)}
    reached = {
        n: list(dict.fromkeys(f[places[n]] for level in found.levels for f in level)) for n in names
    }
    late = [frozen for level in found.levels[len(found.levels) // 2 :] for frozen in level]

    def is_(name: str, value: Value, primed: bool = False) -> Term:
        sort = plan.variables[name]
        return make("eq", (state_variable(name, sort, primed), written(sort, value)), BOOL)

    one, other = draw.one_of(names), draw.one_of(names)
    state = draw.one_of(late[-200:])
    # Values are listed by when they are first met: the last one is met the latest.
    newest = reached[one][-1]
    made = [
        Claim("NeverReached", Kind.INVARIANT, ~is_(one, newest)),
        Claim(
            "NotBoth",
            Kind.INVARIANT,
            ~conj(is_(one, state[places[one]]), is_(other, state[places[other]])),
        ),
    ]
    last = reached[other][-1]
    steps = draw.one_of(found.steps[-200:]) if found.steps else None
    if steps is not None:
        _, before, after = steps
        made.append(
            Claim(
                "NoStep",
                Kind.STEP_INVARIANT,
                ~conj(is_(one, before[places[one]]), is_(other, after[places[other]], primed=True)),
            )
        )
    some = [n for n in names if len(reached[n]) <= MOST_VALUES]
    if some:
        name = draw.one_of(some)
        made.append(Claim("Range", Kind.INVARIANT, disj(*(is_(name, v) for v in reached[name]))))
        if draw.truth():
            a, b = draw.one_of(some), "count"
            joint = dict.fromkeys((f[places[a]], f[places[b]]) for lv in found.levels for f in lv)
            if len(joint) <= 12:
                pairs = (conj(is_(a, x), is_(b, y)) for x, y in joint)
                kind = Kind.LEMMA if draw.truth() else Kind.INVARIANT
                made.append(Claim("Joint", kind, disj(*pairs)))
    made.append(Claim("Drawn", Kind.INVARIANT, author.writer({}).truth()))
    made.append(Claim("DrawnStep", Kind.STEP_INVARIANT, author.writer({}, primes=True).truth()))
    if draw.truth():
        sort = author.world.listable(draw, 4)
        from bmc.lang.build import argument

        variable = argument("q", sort)
        body = implies(
            is_("count", draw.number(-1, 1)) if draw.truth() else ~is_(other, last),
            author.writer({"q": variable}).truth(),
        )
        made.append(Claim("ForEach", Kind.INVARIANT, body, {"q": sort}))
    if draw.truth():
        both = dict(plan.variables)
        if plan.ghost is not None:
            both["past"] = plan.ghost.sort
        made.append(Claim("Candidate", Kind.LEMMA, author.writer({}, variables=both).truth()))
    return made


__all__ = ["IntSort", "claims", "speakable", "written"]
