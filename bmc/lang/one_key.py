"""Whether the keys of two parts may be the same where the guards of a step hold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from bmc.lang.sorts import BOOL
from bmc.lang.substitution import substituted
from bmc.lang.terms import Term, make, subterms

Keys = Sequence[tuple[Term, Term]]

_PLACES = frozenset({"bound_variable", "variable", "select", "field", "payload", "the", "at"})
"""What stands for a value that somebody else chose. What is computed (a neighbour ``k + 1``, the
other side of a link, ``ite(…)``) is another one on purpose."""

_TRUTHS = frozenset({"member", "is_none", *_PLACES})
"""Guards of which nothing is known but that each may hold and may not."""

_ANOTHER = "another"
"""A value that no guard names."""


class AsOne:
    """Reads terms where the keys of each pair are the same one."""

    def __init__(self, keys: Keys) -> None:
        self._steps: list[tuple[Term, Term]] = []
        self.possible = True
        for pair in keys:
            one, other = map(self.__call__, pair)
            if one is other:
                continue
            if _taken_by(one, other):
                self._steps.append((one, other))
            elif _taken_by(other, one):
                self._steps.append((other, one))
            else:
                self.possible = False

    def relates(self, guard: Term) -> bool:
        """Whether a guard speaks of both keys of a pair, and says nothing plain of them."""
        if _decided(_atom(self(guard))[1]) is not None:
            return False
        return any(
            all(_speaks_of(guard, [key]) for key in pair)
            and not _speaks_of(pair[0], pair[1:])
            and not _speaks_of(pair[1], pair[:1])
            for pair in self._steps
        )

    def __call__(self, term: Term) -> Term:
        """Return the term with one key of each pair in the place of the other."""
        for one, other in self._steps:
            term = substituted(term, {one: other})
        return term

    @property
    def kept(self) -> tuple[Term, ...]:
        """The keys that stand for both, as they are read."""
        return tuple(self(other) for _, other in self._steps)


def may_be_one(as_one: AsOne, guards: Iterable[Term]) -> bool:
    """Whether the guards plainly leave the keys equal: what cannot be told here is not.

    A guard that is the same as another one, once the keys are, asks for nothing more. Of the others
    each compares one part with constants, or is one that may hold or not; one that speaks of both
    keys may tell them apart by what states are like, which is not known to who reads the guards.
    """
    if not as_one.possible:
        return False
    whole = [_of_the_value(one) for one in _conjuncts(guards)]
    if any(as_one.relates(one) for one in whole):
        return False
    # A term that nobody keeps is made anew, and another one then.
    known = {one.uid: one for guard in whole for one in (guard, _mirrored(guard))}
    asked: dict[Term, list[tuple[str, Term | None, bool]]] = defaultdict(list)
    for guard in map(as_one, whole):
        holds, atom = _atom(guard)
        if (decided := _decided(atom)) is not None:
            if decided is not holds:
                return False
            continue
        if (comparison := _comparison(atom)) is not None:
            place, how, constant = comparison
            asked[place].append((how, constant, holds))
        elif guard.uid not in known and _speaks_of(guard, as_one.kept):
            return False
    return all(_some_value(place, said) for place, said in asked.items())


def _taken_by(one: Term, other: Term) -> bool:
    """Whether a key may be another one, which can stand in its place."""
    if one.op not in _PLACES or not (other.op in _PLACES or _constant(bare(other))):
        return False
    return one.sort == other.sort and not any(one is part for part in subterms([other]))


def _conjuncts(guards: Iterable[Term]) -> Iterator[Term]:
    for guard in guards:
        if guard.op == "and":
            yield from _conjuncts(guard.args)
        else:
            yield guard


def _atom(guard: Term) -> tuple[bool, Term]:
    holds = True
    while guard.op == "not":
        holds, (guard,) = not holds, guard.args
    return holds, guard


def _mirrored(guard: Term) -> Term:
    """Return an equality the other way round, and any other guard as it is."""
    holds, atom = _atom(guard)
    if atom.op != "eq":
        return guard
    atom = make("eq", reversed(atom.args), BOOL)
    return atom if holds else make("not", (atom,), BOOL)


def _of_the_value(guard: Term) -> Term:
    """Return what a guard says of an option's value, where it says ``option == some(value)``."""
    holds, atom = _atom(guard)
    for option, some in (atom.args, atom.args[::-1]) if atom.op == "eq" else ():
        if some.op == "some":
            (value,) = some.args
            atom = make("eq", (make("the", (option,), value.sort), value), BOOL)
            return atom if holds else make("not", (atom,), BOOL)
    return guard


def _decided(atom: Term) -> bool | None:
    """Whether a formula holds in every state, None where it does not say so itself."""
    if atom.op == "bool":
        return bool(atom.data)
    if atom.op in ("eq", "le", "lt") and atom.args[0] is atom.args[1]:
        return atom.op != "lt"
    if atom.op == "member":
        element, collection = atom.args
        if collection.op == "remove" and collection.args[1] is element:
            return False
        if collection.op == "difference":
            taken = make("member", (element, collection.args[1]), BOOL)
            return False if _decided(taken) else None
        if collection.op == "insert":
            return True if collection.args[1] is element else None
        if collection.op == "full":
            return True
    return None


def _comparison(atom: Term) -> tuple[Term, str, Term | None] | None:
    """Return a part, how it is compared and with what; None for what is no such guard."""
    if atom.op == "is_case":
        return atom.args[0], f"case {atom.data}", None
    if atom.op in _TRUTHS:
        return atom, "is", None
    if atom.op not in ("eq", "le", "lt"):
        return None
    left, right = map(bare, atom.args)
    if _constant(right) and not _constant(left):
        return left, atom.op, right
    if _constant(left) and not _constant(right):
        return right, {"eq": "eq", "le": "ge", "lt": "gt"}[atom.op], left
    return None


def bare(term: Term) -> Term:
    """Return a number as it was before it was held against its sort."""
    while term.op == "narrow":
        term = term.args[0]
    return term


def _constant(term: Term) -> bool:
    return term.op in ("enum", "int", "bool", "none", "bound")


def _some_value(place: Term, said: Sequence[tuple[str, Term | None, bool]]) -> bool:
    if all(how == "is" for how, _, _ in said):
        return len({holds for _, _, holds in said}) == 1
    if all(how.startswith("case ") for how, _, _ in said):
        cases = {how for how, _, holds in said if holds}
        return len(cases) < 2 and not cases & {how for how, _, holds in said if not holds}
    constants = [one for _, one, _ in said if one is not None]
    if all(one.op in ("int", "bound") for one in constants):
        numbers = {_number(one) for one in constants}
        near = {number + by for number in numbers for by in (-1, 0, 1)}
        return any(all(_fits(value, *one) for one in said) for value in near)
    names: set[object] = {one.data for one in constants}
    names |= set(getattr(place.sort, "values", (_ANOTHER,)))
    named = [(one.data, holds) for _, one, holds in said if one is not None]
    return any(all((value == name) is holds for name, holds in named) for value in names)


def _number(constant: Term) -> int:
    """Return a number, of parameters one that is greater than those that are written out."""
    return constant.data if isinstance(constant.data, int) else 1_000_000 + constant.uid


def _fits(value: int, how: str, constant: Term | None, holds: bool) -> bool:
    assert constant is not None
    number = _number(constant)
    answers = {"eq": value == number, "le": value <= number, "lt": value < number}
    answers |= {"ge": value >= number, "gt": value > number}
    return answers[how] is holds


def _speaks_of(guard: Term, keys: Sequence[Term]) -> bool:
    return any(part is key for part in subterms([guard]) for key in keys)
