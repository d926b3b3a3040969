"""A specification's file and its configuration to what is checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

from bmc.lang.errors import UnknownName, suggest

from . import core as c
from . import tree as t
from .behaviour import Behaviour, behaviour_of
from .config import Config, read_config
from .depth import deep_recursion
from .elaborate import Elaborator
from .errors import TlaError, TlaLevelError, TlaNameError
from .hiding import require_hidden
from .levels import Level, level
from .modules import Library
from .names import ConstantName, Entity, InstanceName, OperatorName, Scope, ValueName
from .specification import BY_INIT_AND_NEXT, Named, Specification, Variable
from .substitutions import require_arguments, require_levels
from .survey import require_values, survey


def load(
    path: Path,
    config: Config | Path | None = None,
    lemmas: Sequence[str] = (),
    bounds: Mapping[str, tuple[int, int]] | None = None,
) -> Specification:
    """Return the specification of a .tla file at a configuration.

    `config` is by default the .cfg of the same name. `lemmas` and `bounds` are added to those of
    the configuration. Raises TlaError.
    """
    library = Library(path.parent)
    try:
        with deep_recursion(str(path)):
            if config is None:
                config = path.with_suffix(".cfg")
            read = read_config(config) if isinstance(config, Path) else config
            return _Loader(library, path, read).specification(lemmas, bounds or {})
    except TlaError as error:
        if error.line is None:
            error.line = library.line(error.span)
        raise


class _Loader:
    def __init__(self, library: Library, path: Path, config: Config) -> None:
        self.config = config
        self.elaborator = Elaborator(library)
        module = library.read(path, path.stem)
        self.root = self.elaborator.namespace(module, self.elaborator.root)
        self.scope = Scope(self.root, self.elaborator.root)
        self.constants = self._assign()

    def specification(
        self, lemmas: Sequence[str], bounds: Mapping[str, tuple[int, int]]
    ) -> Specification:
        config = self.config
        # An invariant is proved beside the lemmas anyway.
        told = {one.text for one in config.invariants}
        offered_there = (one for one in config.lemmas if one.text not in told)
        asked = [*offered_there, *map(self._lemma, lemmas)]
        init, step = self._one(config.init), self._one(config.next)
        behaviour = self._one(config.specification)
        found = {
            kind: tuple({one.text: self._named(one) for one in getattr(config, kind)}.values())
            for kind in ("invariants", "properties", "constraints", "action_constraints")
        }
        single = {
            kind: self._one(getattr(config, kind))
            for kind in ("symmetry", "view", "alias", "postcondition", "periodic")
        }
        offered = tuple({name.text: self._named(name) for name in asked}.values())
        assumptions = tuple(
            Named(assumption.name, self.elaborator.expression(assumption.formula, scope))
            for assumption, scope in self.root.assumptions
        )
        self.elaborator.finish()
        roots = [one.expression for group in found.values() for one in group]
        roots += [one.expression for one in (*offered, *assumptions)]
        roots += [
            one.expression for one in (init, step, behaviour, *single.values()) if one is not None
        ]
        survey(roots)
        require_levels(self.elaborator.substituted, roots)
        require_arguments(self.elaborator.asked, roots)
        require_hidden(roots)
        require_values(roots, self.constants, self._meant)
        if behaviour is not None:
            parts = behaviour_of(behaviour, [variable.name for variable in self.root.variables])
        else:
            parts = Behaviour(
                None if init is None else init.expression,
                None if step is None else step.expression,
            )
        self._require_levels(found, offered, parts)
        # Asked of every state and, as a PROPERTY, of initial ones too, it is asked of the first.
        everywhere = {one.name for one in found["invariants"]}
        self._require_variables({**config.bounds, **bounds})
        return Specification(
            module=self.root.module.name,
            constants=self.constants,
            variables=tuple(Variable(v.span, v.name) for v in self.root.variables),
            assumptions=assumptions,
            init=parts.init,
            next=parts.next,
            fairness=parts.fairness,
            invariants=found["invariants"],
            properties=tuple(one for one in found["properties"] if one.name not in everywhere),
            constraints=found["constraints"],
            action_constraints=found["action_constraints"],
            symmetry=single["symmetry"],
            view=single["view"],
            alias=single["alias"],
            postcondition=single["postcondition"],
            periodic=single["periodic"],
            check_deadlock=config.check_deadlock,
            lemmas=offered,
            bounds={**config.bounds, **bounds},
            files=(*self.elaborator.library.files(), config.span.file),
            taken=frozenset(self.root.names),
            edited=self.elaborator.library.edited(),
            behaviours=BY_INIT_AND_NEXT if behaviour is None else behaviour.name,
            texts=self.elaborator.library.texts(),
        )

    # The configuration's constants.

    def _assign(self) -> dict[str, c.Expression]:
        values: dict[str, c.Expression] = {}
        known = self.root.names
        replaced = {(one.name.text, one.module) for one in self.config.overrides}
        # First of all, since what an operator is replaced by may be given a value as well.
        for assignment in self.config.assignments:
            name = assignment.name.text
            if (name, assignment.module) in replaced:
                raise TlaNameError(
                    assignment.name.span,
                    f"{name} is given a value by = and an operator by <-",
                    "leave one of them: TLC takes the operator, wherever it stands",
                )
            found = known.get(name)
            if assignment.module is None and found is None:
                # As TLC does: r1 = r1 may prepare Replicas = {r1}.
                continue
            if assignment.module is None and isinstance(found, ConstantName) and not found.arity:
                values[name] = assignment.value
            elif (
                isinstance(assignment.value, c.ModelValueLiteral)
                and (assignment.module is None and assignment.value.name in known)
                and isinstance(found, ConstantName)
            ):
                # An operator's name as the value of a constant operator.
                self._replace(assignment.name, None, known[assignment.value.name])
            else:
                self._replace(assignment.name, assignment.module, ValueName(name, assignment.value))
        for override in self.config.overrides:
            if override.module is None and (override.operator.text, None) in replaced:
                raise TlaNameError(
                    override.operator.span,
                    f"{override.operator.text} is replaced itself, and replaces "
                    f"{override.name.text} here",
                    "name what is meant in both places, since TLC refuses this",
                )
            target = self.elaborator.find(override.operator.text, self.scope)
            if target is None:
                raise self.elaborator.unknown(
                    override.operator.text, override.operator.span, list(known), self._where()
                )
            self._replace(override.name, override.module, target)
        return values

    def _meant(self, constant: str) -> str | None:
        """Return the name most alike that was given a value and is none of the specification's."""
        known = self.root.names
        given = [one.name.text for one in self.config.assignments if one.name.text not in known]
        return next(iter(get_close_matches(constant, given, 1)), None)

    def _replace(self, name: t.Name, module: str | None, entity: Entity) -> None:
        if module is not None:
            self.elaborator.override_in_module(module, name, entity)
            return
        found = self.scope.find(name.text)
        if found is None:
            raise self.elaborator.unknown(
                name.text, name.span, list(self.root.names), self._where()
            )
        if found is not entity:
            self.elaborator.overrides[found] = entity
            if isinstance(found, OperatorName) and found.scope.namespace is not self.root:
                self.elaborator.replaced.add(found.unit)

    def _where(self) -> str:
        return f"module {self.root.module.name}"

    # What the configuration names.

    def _one(self, names: Sequence[t.Name]) -> Named | None:
        return self._named(names[0]) if names else None

    def _named(self, name: t.Name) -> Named:
        *path, last = name.text.split("!")
        parts = tuple(t.Part(name.span, part, ()) for part in path)
        written = t.Operation(name.span, parts, last, (), name.span)
        found = self.elaborator.find(path[0] if path else last, self.scope)
        if isinstance(found, OperatorName) and not path:
            unit = found.unit
            if isinstance(unit, t.OperatorOf) and unit.parameters:
                raise TlaNameError(
                    name.span,
                    f"{last} has parameters",
                    "define an operator without any that calls it",
                )
        return Named(name.text, self.elaborator.expression(written, self.scope))

    def _lemma(self, lemma: str) -> t.Name:
        """Return a lemma of the command line, which no file names, with its operator's place.

        Raises UnknownName where there is no such operator, or an invariant of the configuration is
        one: it would be stated twice.
        """
        if lemma in {one.text for one in self.config.invariants}:
            raise UnknownName(
                f"--lemma {lemma}: it is an INVARIANT of the configuration, and these are "
                f"proved together: leave --lemma {lemma} out, and with -P add -P {lemma}"
            )
        found = self.elaborator.find(lemma.partition("!")[0], self.scope)
        if found is None:
            near = suggest(lemma, self.root.names)
            raise UnknownName(f"--lemma {lemma}: {self._where()} has no such operator: {near}")
        if isinstance(found, OperatorName | InstanceName):
            return t.Name(found.unit.span, lemma)
        return t.Name(self.config.span, lemma)

    def _require_levels(
        self, found: Mapping[str, tuple[Named, ...]], lemmas: tuple[Named, ...], parts: Behaviour
    ) -> None:
        for one in found["invariants"]:
            _require(
                one.expression, Level.STATE, f"{one.name} is to be a formula of one state", _CLAIMS
            )
        for one in (*found["constraints"], *lemmas):
            _require(one.expression, Level.STATE, f"{one.name} is to be a formula of one state")
        for one in found["action_constraints"]:
            _require(one.expression, Level.ACTION, f"{one.name} is to be a formula of one step")
        if parts.init is not None:
            _require(parts.init, Level.STATE, "the initial condition is a formula of one state")
        if parts.next is not None:
            _require(parts.next, Level.ACTION, "the next-state relation is a formula of one step")

    def _require_variables(self, bounds: Mapping[str, tuple[int, int]]) -> None:
        names = [variable.name for variable in self.root.variables]
        for name, (low, high) in bounds.items():
            if name not in names:
                raise self.elaborator.unknown(
                    name, self.config.span, names, "the variables", f"they are {', '.join(names)}"
                )
            if low > high:
                raise TlaError(
                    self.config.span,
                    f"the bound {low}..{high} of {name} holds nothing",
                    "give the smaller end first",
                )


_LOWER = {
    Level.ACTION: "write it without primes and UNCHANGED",
    Level.TEMPORAL: "write it without [], <>, ~>, WF and SF",
}
_CLAIMS = {
    Level.ACTION: "name `[][…]_vars` of it under PROPERTY: that claims it of steps",
    Level.TEMPORAL: "name it under PROPERTY",
}


def _require(
    found: c.Expression, most: Level, message: str, remedies: Mapping[Level, str] = _LOWER
) -> None:
    has = level(found)
    if has > most:
        words = {Level.ACTION: "of a step (it has a prime)", Level.TEMPORAL: "of a behaviour"}
        place = found.definition.span if isinstance(found, c.Call) else found.span
        raise TlaLevelError(place, f"{message}, and it is one {words[has]}", remedies[has])
