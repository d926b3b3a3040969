"""The drawing of a protocol that says nothing of how it is drawn.

Who has a lifeline: the members of the sorts by which variables are kept (``[Replica -> …]``), of
scalarsets if there are any, else of enumerations and integers. What such a variable has for a
member is drawn there: sequences, and maps from offsets to optional entries, as logs; all else as
facts. Variables that belong to nobody are the facts of one more lifeline.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from bmc.lang.drawing import Card, Drawing, Lifelines, Log, Messages, lifeline, lifelines
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
)
from bmc.lang.state import state_variable
from bmc.lang.terms import Expr, Term, field, select, term_of

SHARED = "shared"
"""The lifeline of what belongs to nobody."""


def default_drawing(variables: Mapping[str, Sort]) -> Drawing:
    """A drawing of variables by their sorts."""
    owners = _owners(variables)
    terms = {name: state_variable(name, sort) for name, sort in variables.items()}
    owned = {n: t for n, t in terms.items() if _owner(variables[n]) in owners}
    groups: list[Lifelines] = []
    rest = {name: term for name, term in terms.items() if name not in owned}
    if rest:
        groups.append(lifeline(SHARED, _card(rest)))
    for sort in owners:
        mine = {n: t for n, t in owned.items() if _owner(variables[n]) == sort}
        groups.append(lifelines(sort, partial(_members_card, mine)))
    return Drawing(tuple(groups), messages=tuple(_messages(terms, owners)))


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
        for short, part in _parts(name, term):
            path = f"{name} {short}" if short in logs or short in facts else short
            if _is_log(part.sort):
                logs[path] = Log(part)
            else:
                facts[path] = part
    return Card(logs=logs, facts=facts)


def _parts(path: str, term: Term) -> Iterator[tuple[str, Term]]:
    """The fields of records, and of records in them; the first word of a path is left out."""
    if not isinstance(term.sort, RecordSort):
        yield path, term
        return
    for name, _ in term.sort.fields:
        yield from _parts(name, field(term, name))


def _messages(terms: Mapping[str, Term], owners: list[Sort]) -> Iterator[Messages]:
    """Sets of records that say in a ``source`` and a ``dest`` between whom they pass."""
    for term in terms.values():
        sort = term.sort
        if not isinstance(sort, AnySet):
            continue
        element = sort.element
        if not isinstance(element, RecordSort):
            continue
        ends = {}
        for role, names in _ENDS.items():
            for name, part in element.fields:
                inner = part.inner if isinstance(part, OptionSort) else part
                if name.lower() in names and any(inner == _bare(o) for o in owners):
                    ends[role] = name
        if len(ends) == 2:
            source, target = partial(_named, ends["source"]), partial(_named, ends["target"])
            yield Messages(term, source, target)


_ENDS = {
    "source": ("source", "src", "from", "sender", "msource"),
    "target": ("dest", "target", "dst", "to", "receiver", "mdest"),
}


def _named(name: str, message: Expr) -> Term:
    return field(term_of(message), name)


def _bare(sort: Sort) -> Sort:
    return sort.inner if isinstance(sort, OptionSort) else sort
