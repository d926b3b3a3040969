"""A model with its properties and lemmas as a TLA+ module, and its history as one that extends it.

    ---- MODULE Kafka ----           constants, sorts, variables, actions, Spec, properties
    ---- MODULE KafkaHistory ----    EXTENDS Kafka; ghosts, the same actions with them, lemmas

The state constraint of a protocol keeps steps that leave it from being taken, so that states
outside it are neither counted nor judged. It is a conjunct of every action, since TLC judges what
its own constraints leave out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from bmc.lang.build import TRUE
from bmc.lang.model import Action
from bmc.lang.properties import Kind, Property
from bmc.lang.sorts import Scalarset, Sort
from bmc.lang.state import Branch
from bmc.lang.temporal import TemporalProperty, atoms
from bmc.lang.terms import Term, subterms
from bmc.layout.domain import Domains
from bmc.reports.exports.tla.config import Config
from bmc.reports.exports.tla.errors import NoTla
from bmc.reports.exports.tla.guards import read_in_order
from bmc.reports.exports.tla.helpers import needed_helpers
from bmc.reports.exports.tla.membership import conditions
from bmc.reports.exports.tla.names import Names
from bmc.reports.exports.tla.sorts import Sorts
from bmc.reports.exports.tla.stated import Stated
from bmc.reports.exports.tla.staying import of_a_stay
from bmc.reports.exports.tla.temporal import domain, fair, formula
from bmc.reports.exports.tla.terms import Terms
from bmc.reports.exports.tla.valued import valued

_CUT = 92
"""Characters of a line of a comment."""


@dataclass(frozen=True)
class Exported:
    """A module and its configuration as text; ``left_out`` has no TLA+, with the reason."""

    module: str
    text: str
    config: str
    left_out: tuple[str, ...]


Member = Callable[[Scalarset, int], str]
"""What a member of a scalarset is called."""


def written(stated: Stated, module: str, member: Member) -> tuple[Exported, ...]:
    """Return the module, and the one of the history where the protocol has ghosts.

    Raises NoTla.
    """
    writer = _Writer(valued(stated), module, member)
    return (writer.base(), writer.history()) if stated.model.ghosts else (writer.base(),)


class _Writer:
    def __init__(self, stated: Stated, module: str, member: Member) -> None:
        self.stated = stated
        self.module = module
        model = self.model = stated.model
        names = self.names = Names()
        names.declare(module)
        self.numbers = {names.declare(p.name): stated.parameters[p.name] for p in model.parameters}
        for parameter, written_as in zip(model.parameters, self.numbers, strict=True):
            if written_as != parameter.name:
                raise NoTla(
                    f"TLA+ has no parameter {parameter.name!r}, which is a word of its own or what "
                    "the module is called: rename the parameter, or the file"
                )
        self.called = {name: names.declare(name) for name in model.variables}
        self.plain = [self.called[n] for n in model.variables if n not in model.ghosts]
        self.ghosts = [self.called[n] for n in model.variables if n in model.ghosts]
        self.actions = {a.name: names.declare(a.name) for a in model.actions}
        claimed = [*(one.name for one in stated.properties), *(one.name for one in stated.temporal)]
        self.claimed = {name: names.declare(name) for name in claimed}
        self.specified = {one.name: names.declare(one.name) for one in stated.specifications}
        self.sorts = Sorts(self._used(), names, member, Domains(stated.parameters))
        self.terms = Terms(self.sorts, names, self.called)
        self.left_out: list[str] = []
        self.helpers: dict[str, str] = {}

    def _used(self) -> Iterator[Sort]:
        """Yield every sort that the module may speak of."""
        yield from self.model.variables.values()
        terms = [self.model.constraint]
        for one in (self.model.initial, *self.model.actions):
            terms += [a.variable for a in one.arguments]
            terms += [t for b in one.branches for t in (*b.guards, *b.updates.values())]
        for stated in self.stated.properties:
            terms += [stated.body, *stated.arguments]
        for claim in self.stated.temporal:
            terms += [*atoms(claim.formula), *claim.arguments]
        yield from (term.sort for term in subterms(terms) if term.op != "int")

    def base(self) -> Exported:
        """Return the module of the protocol itself."""
        model = self.model
        lines = [_head(self.module), *_told(self.stated.about)]
        lines += ["EXTENDS Integers, FiniteSets, Sequences", ""]
        constants = [*self.numbers, *self.sorts.constants(), *self._none()]
        if constants:
            lines += [f"CONSTANTS {', '.join(constants)}", ""]
        sizes = self.sorts.sizes()
        lines += ["ASSUME " + " /\\ ".join(sizes), ""] if sizes else []
        lines += [*self.sorts.definitions(), ""]
        helpers = len(lines)
        lines += [f"VARIABLES {', '.join(self.plain)}", f"vars == <<{', '.join(self.plain)}>>", ""]
        constrained = not self._free
        if constrained:
            # Init is read as an action is, and what it names with it.
            inside = read_in_order(model.constraint)
            lines += ["Inside ==", *_under(self.terms.lines(inside, 2)), ""]
        entered = ["  /\\ Inside"] if constrained else []
        lines += ["Init ==", *self._initial(model.initial), *entered, ""]
        for one in model.actions:
            lines += [*self._action(one), ""]
        lines += self._next("Next", self.actions)
        lines += [*self._specifications(), ""]
        lines += self._in_sorts()
        told = [one for one in self.stated.properties if not self._reads_ghosts(one)]
        for stated in told:
            lines += self._property(stated)
        for claim in self.stated.temporal:
            lines += self._temporal(claim)
        self.helpers = needed_helpers(lines, self.names)
        lines[helpers:helpers] = [*self.helpers.values(), ""]
        config = self._config(told, self.specified["Spec"])
        return self._exported(self.module, lines, config)

    def history(self) -> Exported:
        """Return the module that extends it with ghosts, and all that is claimed with them."""
        module = f"{self.module}History"
        names = {n: self.names.declare(f"{n}History") for n in ("Init", "Next", "Spec", "vars")}
        actions = {n: self.names.declare(f"{c}History") for n, c in self.actions.items()}
        same = "The same steps with variables that follow them, and what is claimed of these."
        lines = [_head(module), *_told([self.stated.about[0], same])]
        lines += [f"EXTENDS {self.module}", ""]
        helpers = len(lines)
        lines += [f"VARIABLES {', '.join(self.ghosts)}"]
        lines += [f"{names['vars']} == <<vars, {', '.join(self.ghosts)}>>", ""]
        lines += [f"{names['Init']} ==", "  /\\ Init"]
        lines += [*self._followed(self.model.initial, initial=True), ""]
        for one in self.model.actions:
            with self.terms.scope((a.name, a.variable) for a in one.arguments) as found:
                given = f"({', '.join(found)})" if found else ""
                lines += [
                    f"{actions[one.name]}{given} ==",
                    f"  /\\ {self.actions[one.name]}{given}",
                ]
                lines += [*self._followed(one, initial=False), ""]
        lines += self._next(names["Next"], actions)
        lines += [f"{names['Spec']} == {names['Init']} /\\ [][{names['Next']}]_{names['vars']}", ""]
        for stated in self.stated.properties:
            if self._reads_ghosts(stated):
                lines += self._property(stated, names["vars"], names["Next"])
        # What the module that is extended defines is no other definition's to give.
        needed = needed_helpers(lines, self.names)
        missing = [one for name, one in needed.items() if name not in self.helpers]
        lines[helpers:helpers] = [*missing, ""] if missing else []
        config = self._config(self.stated.properties, names["Spec"])
        return self._exported(module, lines, config)

    def _exported(self, module: str, lines: list[str], config: Config) -> Exported:
        about = [self.stated.about[0], f"configuration of {module}.tla"]
        text = "\n".join([*lines, "=" * len(_head(module)), ""])
        return Exported(module, text, config.text(about), tuple(self.left_out))

    def _config(self, told: Iterable[Property], spec: str) -> Config:
        chosen = [one for one in told if one.name in self.stated.claims]
        temporal = [one for one in self.stated.temporal if one.name in self.stated.claims]
        under = {one.specification for one in temporal}
        if len(under) > 1:
            raise NoTla(
                f"claims under {' and '.join(sorted(under))} cannot stand in one configuration: "
                "name them one at a time"
            )
        steps = [one for one in chosen if one.kind is Kind.STEP_INVARIANT]
        lemmas = [one for one in told if one.kind is Kind.LEMMA and one not in chosen]
        others = [one for one in chosen if one not in steps]
        return Config(
            specification=self.specified[under.pop()] if under else spec,
            numbers=self.numbers,
            members=self.sorts.member_sets(),
            none=self.sorts.optional,
            invariants=["InSorts", *(self.claimed[one.name] for one in others)],
            properties=[
                *(self.claimed[one.name] for one in steps),
                *(self.claimed[one.name] for one in temporal),
            ],
            lemmas=[self.claimed[one.name] for one in lemmas],
        )

    def _none(self) -> list[str]:
        return ["None"] if self.sorts.optional else []

    def _reads_ghosts(self, stated: Property) -> bool:
        read = (str(_name(t)) for t in subterms([stated.body]) if t.op == "variable")
        return any(name in self.model.ghosts for name in read)

    # Initial states and steps.

    def _initial(self, initial: Action) -> list[str]:
        with self.terms.scope((a.name, a.variable) for a in initial.arguments) as found:
            bound = [
                f"{name} \\in {domain(a, self.terms)}"
                for name, a in zip(found, initial.arguments, strict=True)
            ]
            indent = 5 if bound else 2
            body = self._branches(initial.branches, indent, initial=True)
            if bound:
                body = [f"  /\\ \\E {', '.join(bound)} :", *body]
            return body

    def _action(self, one: Action) -> list[str]:
        with self.terms.scope((a.name, a.variable) for a in one.arguments) as found:
            given = f"({', '.join(found)})" if found else ""
            lines = _comment(one.about)
            lines.append(f"{self.actions[one.name]}{given} ==")
            if self._free:
                return [*lines, *self._branches(one.branches, 2, initial=False)]
            several = len(one.branches) > 1
            body = self._branches(one.branches, 5 if several else 2, initial=False)
            if several:
                body[0] = f"  /\\ {body[0].lstrip()}"
            return [*lines, *body, "  /\\ Inside'"]

    @property
    def _free(self) -> bool:
        """Whether every state may be entered."""
        return self.model.constraint is TRUE

    def _branches(self, branches: Sequence[Branch], indent: int, initial: bool) -> list[str]:
        if len(branches) == 1:
            return _indented(self._branch(branches[0], indent, initial), indent)
        lines = []
        for branch in branches:
            first, *others = self._branch(branch, indent + 3, initial)
            lines += [f"\\/ {first}", *(f"   {line}" for line in others)]
        return _indented(lines, indent)

    def _branch(self, branch: Branch, indent: int, initial: bool) -> list[str]:
        lines: list[str] = []
        for guard in branch.guards:
            lines += _item(self.terms.lines(read_in_order(guard), indent + 3))
        kept = []
        for name in self.plain_names():
            called = self.called[name]
            if name in branch.updates:
                sign = " =" if initial else "' ="
                lines += _item([f"{called}{sign} {self.terms.show(branch.updates[name], 6)}"])
            else:
                kept.append(called)
        if kept and not initial:
            lines += [f"/\\ UNCHANGED <<{', '.join(kept)}>>"]
        return lines

    def plain_names(self) -> list[str]:
        """Return the variables of the protocol itself, as the model calls them."""
        return [name for name in self.model.variables if name not in self.model.ghosts]

    def _followed(self, one: Action, initial: bool) -> list[str]:
        """Return what a step does to the ghosts: the same in every way to take it."""
        updates = one.branches[0].updates
        lines, kept = [], []
        for name in self.model.variables:
            if name in self.model.ghosts:
                if name in updates:
                    sign = " =" if initial else "' ="
                    lines.append(
                        f"  /\\ {self.called[name]}{sign} {self.terms.show(updates[name], 6)}"
                    )
                else:
                    kept.append(self.called[name])
        return [*lines, f"  /\\ UNCHANGED <<{', '.join(kept)}>>"] if kept else lines

    def _next(self, name: str, called: Mapping[str, str]) -> list[str]:
        lines = [f"{name} =="]
        for one in self.model.actions:
            with self.terms.scope((a.name, a.variable) for a in one.arguments) as found:
                bound = [
                    f"{n} \\in {domain(a, self.terms)}"
                    for n, a in zip(found, one.arguments, strict=True)
                ]
                given = f"({', '.join(found)})" if found else ""
                choice = f"\\E {', '.join(bound)} : " if bound else ""
                lines.append(f"  \\/ {choice}{called[one.name]}{given}")
        return [*lines, ""]

    def _specifications(self) -> list[str]:
        lines = []
        for specification in self.stated.specifications:
            name = self.specified[specification.name]
            lines += [f"{name} ==", "  /\\ Init", "  /\\ [][Next]_vars"]
            for condition in specification.fairness:
                lines.append(f"  /\\ {fair(condition, self.model, self.actions, self.terms)}")
            lines.append("")
        return lines

    # What is claimed.

    def _in_sorts(self) -> list[str]:
        """Return the invariant that no step leaves the sorts, which bmc calls WithinBounds."""
        lines = []
        for name in self.plain_names():
            sort = self.model.variables[name]
            for condition in conditions(self.called[name], sort, self.sorts, self.names):
                lines.append(f"  /\\ {condition}")
        return ["\\* What bmc calls WithinBounds.", "InSorts ==", *lines, ""]

    def _property(
        self, stated: Property, variables: str = "vars", following: str = "Next"
    ) -> list[str]:
        with self.terms.scope(_named(stated.arguments)) as found:
            bound = self._bounds(found, stated.arguments)
            sign = "\\E" if stated.kind is Kind.WITNESS else "\\A"
            lines = [*_comment(stated.text)]
            if stated.kind is Kind.WITNESS:
                lines.append("\\* A state that is to be reachable: TLC finds it by denying it.")
            lines.append(f"{self.claimed[stated.name]} ==")
            quantified = f"{sign} {', '.join(bound)} :" if bound else ""
            if stated.kind is Kind.STEP_INVARIANT:
                text = self.terms.show(stated.body)
                moving = f"[][{quantified} {text}]_{variables}"
                if (staying := of_a_stay(stated.body)) is None:
                    return [*lines, f"  {moving}", ""]
                may_stay = f"ENABLED ({following} /\\ UNCHANGED {variables})"
                text = f"({quantified} {self.terms.show(staying)})"
                return [*lines, f"  /\\ {moving}", f"  /\\ []({may_stay} => {text})", ""]
            if bound:
                body = _indented(self.terms.lines(stated.body, 4), 4)
                return [*lines, f"  {quantified}", *body, ""]
            return [*lines, *_under(self.terms.lines(stated.body, 2)), ""]

    def _temporal(self, claim: TemporalProperty) -> list[str]:
        with self.terms.scope(_named(claim.arguments)) as found:
            bound = self._bounds(found, claim.arguments)
            try:
                text = formula(claim.formula, self.terms)
            except NoTla as error:
                self.left_out.append(f"{claim.name}: {error}")
                return []
            quantified = f"\\A {', '.join(bound)} : " if bound else ""
            lines = [*_comment(claim.text), f"\\* Under {self.specified[claim.specification]}."]
            return [*lines, f"{self.claimed[claim.name]} ==", f"  {quantified}{text}", ""]

    def _bounds(self, names: Sequence[str], arguments: Sequence[Term]) -> list[str]:
        pairs = zip(names, arguments, strict=True)
        return [f"{name} \\in {self.sorts.of(one.sort, 6)}" for name, one in pairs]


def _named(arguments: Sequence[Term]) -> list[tuple[str, Term]]:
    return [(str(_data(one)[1]), one) for one in arguments]


def _data(term: Term) -> Any:
    return term.data


def _name(term: Term) -> str:
    return str(_data(term)[0])


def _head(module: str) -> str:
    dashes = "-" * 30
    return f"{dashes} MODULE {module} {dashes}"


def _told(lines: Iterable[str]) -> list[str]:
    # Whatever a docstring says, it does not end a comment that each of its lines begins.
    return [f"\\* {line}" for line in lines]


def _comment(text: str) -> list[str]:
    first = text.strip().split("\n\n")[0]
    return _told(wrap(" ".join(first.split()), _CUT))


def _item(lines: list[str]) -> list[str]:
    first, *others = lines
    return [f"/\\ {first}", *(f"   {line}" for line in others)]


def _under(lines: Iterable[str]) -> list[str]:
    return _indented(lines, 2)


def _indented(lines: Iterable[str], by: int) -> list[str]:
    return [" " * by + line for line in lines]
