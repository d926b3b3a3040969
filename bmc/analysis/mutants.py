"""Mutants of a protocol: the same one with one small fault, to see which property notices.

A property that notices no fault says little about the protocol. Each conjunct of a guard is left
out, negated, and where it is an order moved by one; each update is left out, negated or moved by
one, and so is each of the parts that an update writes.

A mutant has a name, ``kafka~FencedLeaderExpandIsr.guard2.dropped``, under which the catalogue has
it as a protocol: every command can be asked about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace

from bmc.lang.errors import UnknownName, suggest
from bmc.lang.model import Action, Model
from bmc.lang.properties import Property, PropertyDeclaration
from bmc.lang.show import show
from bmc.lang.sorts import BOOL, IntSort
from bmc.lang.state import Branch
from bmc.lang.substitution import substituted
from bmc.lang.suite import Suite
from bmc.lang.terms import Term, coerce, make, subterms

_SIGN = "~"
_OF_A_PATH = re.compile(r"[/\\:@,=]|\.(tla|cfg|py)$")
"""What no fault's name has: the sign before it is one of a file's name or its folder's."""
WITHOUT = "without."
"""What the name of a variant begins with that lacks a lemma."""
_WRITES = ("store", "with_field")
_MOVED = {"le": "lt", "lt": "le"}


@dataclass(frozen=True)
class Fault:
    """One change of one branch of an action.

    ``weakens`` says that every step of the protocol is one of the mutant, which may have more;
    ``strengthens`` that every step of the mutant is one of the protocol.
    """

    name: str
    action: str
    number: int
    branch: Branch
    about: str
    weakens: bool
    strengthens: bool = False

    def planted(self, model: Model) -> Model:
        """Return the model with this fault."""

        def changed(action: Action) -> Action:
            if action.name != self.action:
                return action
            branches = list(action.branches)
            branches[self.number] = self.branch
            return replace(action, branches=tuple(branches))

        return replace(model, actions=tuple(map(changed, model.actions)))


@dataclass(frozen=True, kw_only=True)
class MutatedSuite(Suite):
    """A protocol with a fault in it, and what is stated about the protocol.

    Its ``base`` may have faults of its own.
    """

    base: Suite
    fault: str
    fault_text: str

    def model(self, ghosts: bool) -> Model:
        """Return the model with the fault in it."""
        # Whoever proves without the history has taken it out here, and not of the base.
        model = self.base.model(ghosts and self.history is not None)
        model = replace(model, name=self.name)
        (fault,) = (one for one in faults(model) if one.name == self.fault)
        return fault.planted(model)

    def describe(self, declared: PropertyDeclaration, model: Model) -> Property:
        """Return a property over the variables of this suite's model, which no fault changes."""
        return self.base.describe(declared, model)

    @property
    def monotone(self) -> frozenset[str]:
        """None of them: what its author says of a protocol need not be true with a fault in it."""
        return frozenset()


def mutated(suite: Suite, fault: str) -> MutatedSuite:
    """Return the suite of a protocol with a fault, by name. Raises UnknownName."""
    parts = {field.name: getattr(suite, field.name) for field in fields(Suite)}
    parts |= {"name": f"{suite.name}{_SIGN}{fault}", "aliases": (), "explained": {}}
    found = {one.name: one for one in faults(suite.model(ghosts=False))}
    if fault not in found:
        raise UnknownName(f"{suite.name} has no fault {fault!r}: {suggest(fault, list(found))}")
    return MutatedSuite(**parts, base=suite, fault=fault, fault_text=found[fault].about)


def parted(name: str) -> tuple[str, str]:
    """Return what a variant is one of, and the name of its fault; a protocol's name, and nothing.

    What it is one of may be a variant itself.
    """
    base, _, changed = name.rpartition(_SIGN)
    if not base or not changed or _OF_A_PATH.search(changed):
        return name, ""
    return base, changed


def original(name: str) -> str:
    """Return the name of the protocol that a name is of, which may be that of a variant."""
    base, changed = parted(name)
    return original(base) if changed else base


def variant(suite: Suite, name: str) -> Suite:
    """Return a suite with a fault, or without a lemma (``without.NAME``). Raises UnknownName."""
    lemma = name.removeprefix(WITHOUT)
    return mutated(suite, name) if lemma == name else without_lemma(suite, lemma)


def without_lemma(suite: Suite, lemma: str) -> Suite:
    """Return a suite that lacks one of its lemmas. Raises UnknownName."""
    names = [declared.name for declared in suite.lemmas]
    if lemma not in names:
        raise UnknownName(f"{suite.name} has no lemma {lemma!r}: {suggest(lemma, names)}")
    left = tuple(declared for declared in suite.lemmas if declared.name != lemma)
    carried = tuple(name for name in suite.carried if name != lemma)
    named = f"{suite.name}{_SIGN}{WITHOUT}{lemma}"
    return replace(suite, name=named, lemmas=left, carried=carried, aliases=())


def faults(model: Model) -> Iterator[Fault]:
    """Yield every fault that can be planted into a model's actions, one at a time."""
    for action in model.actions:
        for number, branch in enumerate(action.branches):
            seen = [_parts(branch)]
            place = (
                f"{action.name}." if len(action.branches) == 1 else f"{action.name}.{number + 1}."
            )
            for name, made, about, weakens in _of_branch(branch, model):
                # Two ways to say the same fault are one, and what changes nothing is none.
                if _parts(made) not in seen:
                    seen.append(_parts(made))
                    strengthens = name.endswith(".off-by-one") and "guard" in name and not weakens
                    yield Fault(
                        place + name, action.name, number, made, about, weakens, strengthens
                    )


_Change = tuple[str, Branch, str, bool]


def _of_branch(branch: Branch, model: Model) -> Iterator[_Change]:
    conjuncts = [part for guard in branch.guards for part in _conjuncts(guard)]
    for place, guard in enumerate(conjuncts):
        before, after = conjuncts[:place], conjuncts[place + 1 :]
        for how, instead, weakens in _of_guard(guard):
            made = Branch((*before, *instead, *after), branch.updates)
            yield f"guard{place + 1}.{how}", made, show(guard), weakens
    for variable, value in branch.updates.items():
        about = f"{variable}' = {show(value)}"
        rest = {name: other for name, other in branch.updates.items() if name != variable}
        yield f"{variable}.unchanged", Branch(branch.guards, rest), about, False
        for how, instead_of in _of_update(value, model, variable):
            updates: Mapping[str, Term] = {**branch.updates, variable: instead_of}
            yield f"{variable}.{how}", Branch(branch.guards, updates), about, False


def _parts(branch: Branch) -> object:
    # Terms are the same node if they are the same; `==` would be a term.
    updates = {name: value.uid for name, value in branch.updates.items()}
    return [guard.uid for guard in branch.guards], updates


def _conjuncts(guard: Term) -> Iterator[Term]:
    if guard.op == "and":
        for part in guard.args:
            yield from _conjuncts(part)
    else:
        yield guard


def _of_guard(guard: Term) -> Iterator[tuple[str, tuple[Term, ...], bool]]:
    """What may stand in a guard's place, and whether it is weaker."""
    if guard.op == "eq" and guard.args[0] is guard.args[1]:
        # Of an action that is built from another one: it says nothing.
        return
    yield "dropped", (), True
    yield "negated", (make("not", (guard,), BOOL),), False
    positive = guard.op != "not"
    order = guard if positive else guard.args[0]
    if order.op in _MOVED:
        moved = make("lt" if order.op == "le" else "le", order.args, BOOL)
        weakens = (order.op == "lt") == positive
        yield "off-by-one", (moved if positive else make("not", (moved,), BOOL),), weakens


def _of_update(value: Term, model: Model, variable: str) -> Iterator[tuple[str, Term]]:
    sort = model.variables[variable]
    if isinstance(sort, IntSort):
        yield "off-by-one", coerce(value + 1, sort)
    if sort == BOOL:
        yield "negated", make("not", (value,), BOOL)
    writes = [part for part in subterms([value]) if part.op in _WRITES and part is not value]
    # A part that is written inside of another one: leave it as it was.
    for number, part in enumerate(writes, 1):
        yield f"part{number}.unchanged", substituted(value, {part: part.args[0]})
    sums = [part for part in subterms([value]) if part.op == "narrow"]
    for number, part in enumerate(sums, 1):
        (whole,) = part.args
        if whole.op in ("add", "sub"):
            yield (
                f"sum{number}.left-out",
                substituted(value, {part: coerce(whole.args[0], part.sort)}),
            )
