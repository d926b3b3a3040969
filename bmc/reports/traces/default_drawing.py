"""The drawing of a protocol that says nothing of how it is drawn.

Who has a lifeline: the members of the sorts by which variables are kept (``[Replica -> …]``), of
scalarsets if there are any, else of enumerations and integers. What such a variable has for a
member is drawn there: sequences, and maps from offsets to optional entries, as logs; all else as
facts. Sets of messages are drawn as arrows, where a field says who sends or gets them, and so are
queues by two members, ``[Replica -> [Replica -> Seq]]``: from the first to the second. Variables
that belong to nobody are the facts of one more lifeline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain

from bmc.lang.build import is_case, ite, payload
from bmc.lang.drawing import (
    Card,
    Channels,
    Drawing,
    Lifelines,
    Log,
    Messages,
    channels,
    field_names,
    lifeline,
    lifelines,
)
from bmc.lang.sorts import (
    AnySet,
    EnumSort,
    IntSort,
    MapSort,
    OptionSort,
    RecordSort,
    Scalarset,
    SequenceSort,
    Sort,
    VariantSort,
)
from bmc.lang.state import state_variable
from bmc.lang.terms import Expr, Operand, Term, coerce, field, lift, select, term_of

SHARED = "shared"
"""The lifeline of what belongs to nobody."""


def default_drawing(variables: Mapping[str, Sort]) -> Drawing:
    """A drawing of variables by their sorts."""
    owners = _owners(variables)
    terms = {name: state_variable(name, sort) for name, sort in variables.items()}
    queues = {n: c for n, t in terms.items() if (c := _channels(t, owners)) is not None}
    owned = {n: t for n, t in terms.items() if n not in queues and _owner(variables[n]) in owners}
    groups: list[Lifelines] = []
    sent = {n: m for n, t in terms.items() if (m := _messages(t, owners)) is not None}
    rest = {name: term for name, term in terms.items() if name not in {*owned, *sent, *queues}}
    if rest:
        groups.append(lifeline(SHARED, _card(rest)))
    for sort in owners:
        mine = {n: t for n, t in owned.items() if _owner(variables[n]) == sort}
        # A number alone does not say whose it is.
        called = sort.name if isinstance(sort, IntSort) else ""
        groups.append(lifelines(sort, partial(_members_card, mine), called))
    return Drawing(tuple(groups), tuple(sent.values()), tuple(queues.values()))


def _members_card(owned: Mapping[str, Term], member: Expr) -> Card:
    return _card({name: select(term, member) for name, term in owned.items()})


def _owner(sort: Sort) -> Sort | None:
    """The sort by whose members a variable is kept."""
    if not isinstance(sort, MapSort) or _is_log(sort):
        return None
    key = sort.key.inner if isinstance(sort.key, OptionSort) else sort.key
    return sort.key if isinstance(key, Scalarset | EnumSort | IntSort) else None


def _owners(variables: Mapping[str, Sort]) -> list[Sort]:
    found = list(dict.fromkeys(o for s in variables.values() if (o := _owner(s)) is not None))
    for kind in (Scalarset, EnumSort, IntSort):
        chosen = [o for o in found if isinstance(o, kind) or _optional(o, kind)]
        if chosen:
            return chosen
    return []


def _optional(sort: Sort, kind: type[Sort]) -> bool:
    return isinstance(sort, OptionSort) and isinstance(sort.inner, kind)


def _is_log(sort: Sort) -> bool:
    match sort:
        case SequenceSort() | MapSort(IntSort(), OptionSort()):
            return True
    return False


def _card(parts: Mapping[str, Term]) -> Card:
    logs: dict[str, Log] = {}
    facts: dict[str, Term] = {}
    for name, term in parts.items():
        for (*front, short), part in _parts((name,), term):
            names = (short, f"{name} {short}", ".".join((*front, short)))
            # The last of them is nobody else's: a name that is there already would lose its value.
            path = next(one for one in names if one not in logs and one not in facts)
            if _is_log(part.sort):
                logs[path] = Log(part)
            else:
                facts[path] = part
    return Card(logs=logs, facts=facts)


def _parts(path: tuple[str, ...], term: Term) -> Iterator[tuple[tuple[str, ...], Term]]:
    """The fields of records, and of records in them, each with the names that lead to it."""
    if not isinstance(term.sort, RecordSort):
        yield path, term
        return
    for name, _ in term.sort.fields:
        yield from _parts((*path, name), field(term, name))


def _channels(term: Term, owners: list[Sort]) -> Channels | None:
    """The queues that are kept by two members that have lifelines."""
    match term.sort:
        case MapSort(source, MapSort(target, SequenceSort())) if {source, target} <= {*owners}:
            return channels(source, target, lambda one, two: lift(term)[one][two])
    return None


def _messages(term: Term, owners: list[Sort]) -> Messages | None:
    """The messages of a set of records, or of variants of them, that say who sends or gets them."""
    if not isinstance(term.sort, AnySet):
        return None
    element = term.sort.element
    found = {role: _end(element, names, owners) for role, names in _ENDS.items()}
    if not any(found.values()):
        return None
    ends = frozenset(chain.from_iterable(_ENDS.values()))
    shown = tuple(name for name in field_names(element) if name.lower() in ends)
    return Messages(term, found["source"], found["target"], ends=shown)


_ENDS = {
    "source": ("source", "src", "from", "from_", "sender", "msource"),
    "target": ("dest", "target", "dst", "to", "to_", "receiver", "recipient", "mdest"),
}


def _end(
    element: Sort, names: tuple[str, ...], owners: list[Sort]
) -> Callable[[Expr], Operand] | None:
    """What reads an end of a message, a field that is called so and holds a lifeline's member."""
    wanted = [_bare(owner) for owner in owners]
    match element:
        case RecordSort():
            held = [name for name, part in element.fields if name.lower() in names]
            held = [name for name in held if _bare(element.field(name)) in wanted]
            return partial(_named, held[0]) if held else None
        case VariantSort():
            parts = {tag: _end(part, names, owners) for tag, part in element.cases}
            read = {tag: part for tag, part in parts.items() if part is not None}
            return partial(_of_case, read) if read else None
    return None


def _named(name: str, message: Expr) -> Term:
    return field(term_of(message), name)


def _of_case(parts: Mapping[str, Callable[[Expr], Operand]], message: Expr) -> Term:
    """The end that the message's case says; none where it says none, or one of another sort."""
    ends = {tag: term_of(lift(part(payload(message, tag)))) for tag, part in parts.items()}
    member = _bare(next(iter(ends.values())).sort)
    option = OptionSort(member)
    found = coerce(None, option)
    for tag, end in ends.items():
        if _bare(end.sort) == member:
            found = ite(is_case(message, tag), coerce(end, option), found)
    return found


def _bare(sort: Sort) -> Sort:
    return sort.inner if isinstance(sort, OptionSort) else sort
