"""The most that parts of the state ever were: the greatest number, all members, the longest
sequence, of what explored steps make less again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bmc.analysis.inference.aftermath import after_step, keys_written
from bmc.analysis.inference.harvest import OUTERMOST
from bmc.analysis.inference.motion import Motion
from bmc.analysis.inference.premises import last_name, parts_read, root_of
from bmc.lang.bounds import Bound
from bmc.lang.build import bound_variable, ite, maximum, member, size
from bmc.lang.ghosts import Ghost, with_ghosts
from bmc.lang.model import Model
from bmc.lang.properties import Property
from bmc.lang.sorts import IntSort, MapSort, SequenceSort, SetSort
from bmc.lang.state import state_variable
from bmc.lang.substitution import substituted
from bmc.lang.terms import Term, make, select, term_of
from bmc.lang.updates import updated


@dataclass(frozen=True, eq=False)
class Extremes:
    """Ghosts for the parts that claims about a model read, by one variable at most."""

    model: Model
    stated: Sequence[Property]
    motion: Motion

    def ghosts(self) -> tuple[Ghost, ...]:
        """Return ghosts for what goes back, which follow the actions that were seen to add to it.

        What begins in a way that Init chooses has none: a history knows nothing of the choice.
        """
        initial = self.model.initial
        if initial.arguments or len(initial.branches) != 1:
            return ()
        read = {part for stated in self.stated for part in parts_read(stated.body)}
        found: dict[str, Ghost] = {}
        for part in sorted(read, key=lambda one: one.uid):
            name = f"ever_{last_name(part)}"
            if len(part.free) <= 1 and name not in {*found, *self.model.variables}:
                ghost = self._of(name, part)
                found |= {} if ghost is None else {ghost.name: ghost}
        return tuple(found.values())

    def _of(self, name: str, part: Term) -> Ghost | None:
        """Return the ghost of a part that goes back, which is added to where it grows."""
        less = _less(part)
        if less is None or not self.motion.goes_back(less[0], (less[1], *part.free)):
            return None
        (key,) = part.free or (None,)
        sort = part.sort if key is None else MapSort(key.sort, part.sort)
        memory = state_variable(name, sort)
        begins = after_step(part, self.model.initial.branches[0].updates)
        if key is not None:
            one = bound_variable("key", 0, key.sort)
            begins = make("lambda", (one, substituted(begins, {key: one})), sort)
        after = {}
        for action in self.model.actions:
            values = {_added(memory, part, key, branch.updates) for branch in action.branches}
            if len(values) == 1 and (value := values.pop()) is not None:
                after[action.name] = value
        ghost = Ghost(name, sort, f"the most that {part!r} ever was", begins, after)
        there = memory if key is None else select(memory, key)
        seen = _less(there)
        assert seen is not None
        beside = with_ghosts(self.model, [ghost])
        acting = self.motion.actions(beside, seen[0], (seen[1], *part.free))
        kept = {action: value for action, value in after.items() if action in acting}
        return replace(ghost, after=kept) if kept else None


def _added(memory: Term, part: Term, key: Term | None, updates: Mapping[str, Term]) -> Term | None:
    """Return what a memory is after a step, None where the step does not write the part."""
    written = updates.get(root_of(part))
    if written is None:
        return None
    if key is None:
        return updated(memory, (), _joined(memory, after_step(part, updates)))
    now = memory
    for actor in (k for k in keys_written(written) if k.sort == key.sort):
        new = after_step(substituted(part, {key: actor}), updates)
        now = updated(now, (actor,), _joined(select(memory, actor), new))
    return None if now is memory else now


def _joined(there: Term, new: Term) -> Term:
    """Return the most of what was and what is."""
    match there.sort:
        case IntSort():
            # What is held against the sort is the greater one, as the text of it would be.
            return maximum(there, new.args[0] if new.op == "narrow" else new)
        case SetSort():
            return term_of(there | new)
        case _:
            return ite(term_of(size(there) < size(new)), new, there)


def _less(part: Term) -> tuple[Term, Term] | None:
    """Return a formula that becomes false where a part becomes less, and a variable of it."""
    match part.sort:
        case IntSort() as sort:
            one = bound_variable("least", OUTERMOST, sort)
            return term_of(one <= part), one
        case SetSort(element):
            one = bound_variable("inside", OUTERMOST, element)
            return member(one, part), one
        case SequenceSort(_, capacity):
            one = bound_variable("place", OUTERMOST, IntSort("", Bound.of(0), capacity - 1))
            return term_of(one < size(part)), one
        case _:
            return None
