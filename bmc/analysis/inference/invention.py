"""Invented history: what was ever so, of what can hold no longer.

A claim's premise that can cease to hold ("below the high watermark") is remembered with what was
read under it when it first held, and with those numbers of whoever made it hold that never go back.
Where no claim has such a premise, parts of the state that go back are remembered: the greatest
number, all members or the longest sequence that they ever were. Nobody lists them: they are read
off the text, and off the steps that were explored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from bmc.analysis.inference.aftermath import after_step, keys_written
from bmc.analysis.inference.harvest import OUTERMOST
from bmc.analysis.inference.motion import Motion
from bmc.analysis.inference.premises import Premise, last_name, parts_read, premises
from bmc.analysis.mining.vocabulary import readings
from bmc.lang.build import bound_variable, conj, is_none, is_some, ite, record, some
from bmc.lang.ghosts import Ghost, with_ghosts
from bmc.lang.model import Model
from bmc.lang.operator_table import BINDERS
from bmc.lang.properties import Property
from bmc.lang.sorts import IntSort, MapSort, OptionSort, RecordSort, Scalarset, Sort
from bmc.lang.state import state_variable, state_variable_name
from bmc.lang.substitution import substituted
from bmc.lang.terms import Term, make, select, subterms, term_of

_KEYS = 2
"""Variables by which a history is addressed, at most."""
_DEEP = 3
"""How deep in the state the numbers are that say when something was so."""

Following = Callable[[Mapping[str, Term]], Term | None]
"""What a ghost is after a step with these assignments; None where it stays."""


@dataclass(frozen=True, eq=False)
class _Draft:
    """A ghost in the making; ``seen``, over ``variables``, becomes true where it grows."""

    ghost: Ghost
    seen: Term
    variables: tuple[Term, ...]


@dataclass(frozen=True, eq=False)
class Invention:
    """Invents ghosts for claims about a model, whose steps ``motion`` shows."""

    model: Model
    stated: Sequence[Property]
    motion: Motion

    def ghosts(self) -> tuple[Ghost, ...]:
        """Return ghosts for premises under which there is something to remember.

        They follow the actions that were seen to change them, and none is there that never does.
        """
        met = [premise for stated in self.stated for premise in premises(stated)]
        distinct = {premise.formula: premise for premise in reversed(met)}
        found = [ghost for one in distinct.values() if (ghost := self._premise(one)) is not None]
        return tuple({ghost.name: ghost for ghost in found}.values())

    def _premise(self, premise: Premise) -> Ghost | None:
        """Return what remembers a premise, by its variables but the one who meets it."""
        free = sorted(premise.formula.free, key=lambda one: one.uid)
        who = [one for one in free if isinstance(one.sort, Scalarset)]
        keys = [one for one in free if not isinstance(one.sort, Scalarset)]
        if len(who) != 1 or not premise.contents or not 1 <= len(keys) <= _KEYS:
            return None
        if not self.motion.begins_false(premise.formula, free):
            return None
        if not self.motion.goes_back(premise.formula, free):
            return None
        return self._followed(self._drafted(premise, who[0], keys))

    def _drafted(self, premise: Premise, who: Term, keys: Sequence[Term]) -> _Draft:
        instead = {key: _variable(key, OUTERMOST + i) for i, key in enumerate(keys)}
        bound = tuple(instead.values())
        formula = substituted(premise.formula, instead)
        contents = [substituted(one, instead) for one in premise.contents]
        contents += self._stamps(who, formula)
        names = _distinct(last_name(one) for one in contents)
        name = self._free_name("_".join(["ever", *self._words(formula)]))
        kept = RecordSort(
            "".join(word[:1].upper() + word[1:] for word in name.split("_")),
            tuple((n, one.sort) for n, one in zip(names, contents, strict=True)),
        )
        sort: Sort = OptionSort(kept)
        for one in reversed(bound):
            sort = MapSort(one.sort, sort)
        there = reduce(select, bound, state_variable(name, sort))

        def following(updates: Mapping[str, Term]) -> Term | None:
            now = there
            for actor in _actors(formula, who, updates):
                here = {who: actor}
                values = [after_step(substituted(one, here), updates) for one in contents]
                holds = after_step(substituted(formula, here), updates)
                entry = some(record(kept, **dict(zip(names, values, strict=True))))
                now = ite(conj(is_none(there), holds), entry, now)
            return None if now is there else _over(bound, now)

        about = f"what was read when it first held that {premise.formula!r}"
        nothing = _over(bound, make("none", (), there.sort))
        return _Draft(
            Ghost(name, sort, about, nothing, self._after(following)), is_some(there), bound
        )

    def _after(self, following: Following) -> dict[str, Term]:
        """Return what a ghost is after each action; of those with several branches after none in
        which it is not the same after all of them, which a history has no words for."""
        found = {}
        for action in self.model.actions:
            values = {following(branch.updates) for branch in action.branches}
            if len(values) == 1 and (value := values.pop()) is not None:
                found[action.name] = value
        return found

    def _followed(self, draft: _Draft) -> Ghost | None:
        """Return a ghost that follows those actions only that were seen to change it."""
        beside = with_ghosts(self.model, [draft.ghost])
        acting = self.motion.actions(beside, draft.seen, draft.variables)
        kept = {name: value for name, value in draft.ghost.after.items() if name in acting}
        return replace(draft.ghost, after=kept) if kept else None

    def _stamps(self, who: Term, formula: Term) -> Iterator[Term]:
        """Yield the numbers of a member that no explored step makes smaller: they say when."""
        read = set(subterms([formula]))
        for part in readings(self.model, (who,), _DEEP):
            number, sort = part.term, part.sort
            if not isinstance(sort, IntSort) or part.guards or number in read:
                continue
            if number.free == {who}:
                least = bound_variable("least", OUTERMOST, sort)
                above = term_of(least <= number)
                if not self.motion.goes_back(above, (who, least)):
                    yield number

    def _words(self, formula: Term) -> list[str]:
        """Return what a formula reads, the last names of its parts."""
        return _distinct(last_name(part) for part in parts_read(formula))[:2]

    def _free_name(self, name: str) -> str:
        taken = {*self.model.variables, *(p.name for p in self.model.parameters)}
        return next(n for n in (name, *(f"{name}{i}" for i in range(2, 99))) if n not in taken)


def _actors(formula: Term, who: Term, updates: Mapping[str, Term]) -> list[Term]:
    """Return for whom a step may make a formula true: at whose places it writes what is read."""
    read = {state_variable_name(one) for one in subterms([formula]) if one.op == "variable"}
    written = [
        key for name, value in updates.items() if name in read for key in keys_written(value)
    ]
    return [key for key in dict.fromkeys(written) if key.sort == who.sort]


def _variable(key: Term, level: int) -> Term:
    """Return a bound variable of the name and sort of another one."""
    data = key.data
    assert isinstance(data, tuple)
    return bound_variable(str(data[1]), level, key.sort)


def _over(bound: Sequence[Term], value: Term) -> Term:
    """Return the map from bound variables to a value, as its text would be read."""
    if not any(one.op in BINDERS for one in subterms([value])):
        named = tuple(_variable(one, level) for level, one in enumerate(bound))
        value, bound = substituted(value, dict(zip(bound, named, strict=True))), named
    for one in reversed(bound):
        value = make("lambda", (one, value), MapSort(one.sort, value.sort))
    return value


def _distinct(names: Iterator[str]) -> list[str]:
    found: dict[str, None] = {}
    for name in names:
        number, free = 2, name
        while free in found:
            number, free = number + 1, f"{name}{number}"
        found[free] = None
    return list(found)
