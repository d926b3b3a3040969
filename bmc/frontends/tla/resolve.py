"""What names stand for: modules, what they extend and instantiate, and the configuration's say."""

from __future__ import annotations

from difflib import get_close_matches

from . import tree as t
from .config import WORDS
from .core import Binding
from .errors import Span, TlaNameError
from .modules import Library, names_in, sharing
from .names import (
    BuiltinName,
    ConstantName,
    Context,
    Entity,
    InstanceName,
    LocalName,
    MissingName,
    Namespace,
    OperatorName,
    RefusedName,
    Scope,
    SubstitutedName,
    VariableName,
    defined_twice,
    is_before,
)
from .standard import ALSO_EXTENDED, BUILT_IN, LANGUAGE, REFUSED
from .substitutions import Substituted

_BUILTINS = {
    operator: BuiltinName(operator)
    for table in (LANGUAGE, *BUILT_IN.values())
    for operator in table.values()
}
"""One entity an operator, so that to replace it replaces it in every module."""


class Resolver:
    """Names of one specification. `overrides` are the configuration's replacements."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.root = Context("", (), _declared)
        self.overrides: dict[Entity, Entity] = {}
        self.replaced: set[t.Unit] = set()
        self.module_overrides: dict[tuple[str, str], tuple[t.Name, Entity]] = {}
        self._standard: dict[str, dict[str, Entity]] = {}
        self._made: list[Namespace] = []
        self._open: list[tuple[t.Module, Context]] = []
        self._instances: list[InstanceName] = []
        self.substituted: list[Substituted] = []

    def find(self, name: str, scope: Scope) -> Entity | None:
        """Return what a name stands for, the configuration's replacement if it has one."""
        found = scope.find(name)
        if found is None:
            operator = LANGUAGE.get(name)
            found = self._beyond(name, scope) if operator is None else _BUILTINS[operator]
            if found is None:
                return None
        return self.overrides.get(found, found)

    def _beyond(self, name: str, scope: Scope) -> Entity | None:
        """Return what the library's modules would give if they extended what newer ones do."""
        asked = sorted(scope.namespace.beyond)
        for module_name in asked:
            for other in ALSO_EXTENDED.get(module_name, ()):
                if other not in asked:
                    asked.append(other)
        for other in asked:
            module = self.library.find(t.Name(scope.namespace.module.span, other))
            names = {} if module is None else self.namespace(module, self.root).exported
            entity = self.standard(other).get(name) or names.get(name)
            if entity is not None:
                return entity
        return None

    def require(self, name: str, span: Span, scope: Scope) -> Entity:
        """Return what a name stands for. Raises TlaNameError with the nearest names."""
        found = self.find(name, scope)
        if found is None:
            known = [*scope.locals, *scope.namespace.names]
            raise self.unknown(name, span, known, f"module {scope.namespace.module.name}")
        place = scope.namespace.places.get(name)
        if place is not None and name not in scope.locals and is_before(span, place):
            raise TlaNameError(
                span,
                f"{name} is defined further down, in line {place.line}",
                "TLA+ knows a name from its definition on: move that up",
            )
        return found

    def unknown(
        self,
        name: str,
        span: Span,
        known: list[str],
        where: str,
        otherwise: str = "define it there, or in a module that it EXTENDS",
    ) -> TlaNameError:
        """Return the error that a name is unknown, with names like it or the module to extend."""
        near = get_close_matches(name, known, 3)
        hint = f"did you mean {' or '.join(near)}?" if near else ""
        for module, table in (*BUILT_IN.items(), *REFUSED.items()):
            if name in table and not hint:
                hint = f"EXTENDS {module} defines it"
        words = get_close_matches(name, WORDS, 1, 0.8)
        if words and not hint:
            hint = f"did you mean {words[0]}, which begins a part of a configuration?"
        if algorithm := self.library.untranslated():
            # What is missing is most often one of the translation's names: Spec, pc, Next, …
            hint = f"{algorithm} has an algorithm in PlusCal: translate it first (pcal {algorithm})"
        return TlaNameError(span, f"{name} is not defined in {where}", hint or otherwise)

    # Modules.

    def namespace(
        self, module: t.Module, context: Context, outer: Namespace | None = None
    ) -> Namespace:
        """Return the names of a module in a context; `outer` is the module it is nested in."""
        known = context.namespaces.get(module)
        if known is not None:
            return known
        made = Namespace(module)
        self._made.append(made)
        context.namespaces[module] = made
        if outer is not None:
            places = outer.places
            for name_text, entity in outer.names.items():
                place = places.get(name_text)
                if place is None or is_before(place, module.span):
                    made.names[name_text] = entity
            made.places.update({n: p for n, p in places.items() if n in made.names})
            made.modules.update(outer.modules)
            made.beyond |= outer.beyond
        self._open.append((module, context))
        try:
            for name in module.extends:
                self._extend(made, context, name)
        finally:
            self._open.pop()
        recursive = _recursive(module.units)
        for unit in module.units:
            self._add(made, context, unit, recursive)
            if isinstance(unit, t.Recursive):
                made.places.update({one.name: one.span for one in unit.declared})
        for (of, name_text), (written, entity) in self.module_overrides.items():
            if of == module.name and name_text in made.names:
                _require_definition(made, written)
                made.add(name_text, entity, name_text not in made.exported)
        return made

    def _extend(self, made: Namespace, context: Context, name: t.Name) -> None:
        if self._is_extending(name.text, context, made):
            raise TlaNameError(name.span, f"module {name.text} extends itself")
        module = made.modules.get(name.text) or self.library.find(name)
        other = Namespace(made.module) if module is None else self.namespace(module, context)
        for key, entity in {**self.standard(name.text), **other.exported}.items():
            if _is_another(made, key, entity, name.span):
                made.add(key, entity)
        if module is not None and self.library.is_own(module):
            made.beyond.add(name.text)
        made.beyond |= other.beyond
        made.declared |= other.declared
        made.constants += [c for c in other.constants if c not in made.constants]
        made.variables += [v for v in other.variables if v not in made.variables]
        made.assumptions += [a for a in other.assumptions if a not in made.assumptions]

    def override_in_module(self, module: str, written: t.Name, entity: Entity) -> None:
        """Replace what a module or one that it extends defines, wherever that stands.

        What is built in is one operator for all modules, and is replaced in all of them. Raises
        TlaNameError: there is no such module, it has no such name, or it declares the name and
        defines nothing of it.
        """
        name = written.text
        meant = self._texts(t.Name(written.span, module))
        for one, text in meant.items():
            built_in = self.standard(one).get(name)
            if built_in is not None:
                self.overrides[built_in] = entity
                return
            if name in names_in(text):
                module = one
                break
        else:
            known = sorted({made for text in meant.values() for made in names_in(text)})
            raise self.unknown(name, written.span, known, f"module {module}")
        self.module_overrides[(module, name)] = (written, entity)
        for namespace in self._made:
            old = namespace.names.get(name)
            if namespace.module.name != module or old is None:
                continue
            _require_definition(namespace, written)
            for other in self._made:
                for names in (other.names, other.exported):
                    if names.get(name) is old and (other is namespace or self._own(old)):
                        names[name] = entity

    def _texts(self, name: t.Name) -> dict[str, t.Module | None]:
        """Return a module and those whose names it has too; None for one that is built in.

        Raises TlaNameError: there is no such module.
        """
        found: dict[str, t.Module | None] = {}
        waiting = [name]
        while waiting:
            one = waiting.pop()
            if one.text not in found:
                inner = (made.modules.get(one.text) for made in self._made)
                module = next(filter(None, inner), None) or self.library.find(one)
                found[one.text] = module
                waiting += () if module is None else sharing(module)
        return found

    @staticmethod
    def _own(entity: Entity) -> bool:
        """Tell whether an entity is that of one module alone."""
        return isinstance(entity, OperatorName | SubstitutedName | MissingName)

    def _is_extending(self, name: str, context: Context, made: Namespace) -> bool:
        return name == made.module.name or any(
            module.name == name and where is context for module, where in self._open
        )

    def standard(self, name: str) -> dict[str, Entity]:
        """Return the built-in and refused names of a standard module, none for any other."""
        if name not in self._standard:
            found: dict[str, Entity] = {}
            for key, operator in BUILT_IN.get(name, {}).items():
                found[key] = _BUILTINS[operator]
            for key, hint in REFUSED.get(name, {}).items():
                found[key] = RefusedName(key, hint)
            self._standard[name] = found
        return self._standard[name]

    def _add(
        self, made: Namespace, context: Context, unit: t.Unit, recursive: frozenset[str]
    ) -> None:
        scope = Scope(made, context)
        match unit:
            case t.Constants(declared=declared):
                for parameter in declared:
                    self._declare(made, context, parameter)
            case t.Variables(names=names):
                for name in names:
                    entity = context.declare(name.span, name.text, 0, True)
                    self._give(made, name.text, entity, name.span)
                    made.declared.add(name.text)
                    if isinstance(entity, VariableName):
                        made.variables.append(entity)
            case t.Recursive():
                pass
            case t.Assumption():
                made.assumptions.append((unit, scope))
                if unit.name:
                    name = t.Name(unit.span, unit.name)
                    formula = t.OperatorOf(unit.span, name, (), unit.formula)
                    self._give(made, unit.name, OperatorName(formula, scope), unit.span)
            case t.Module():
                made.modules[unit.name] = unit
            case t.OperatorOf() | t.FunctionNamed():
                name_text = unit.name.text
                operator = OperatorName(unit, scope, name_text in recursive)
                self._give(made, name_text, operator, unit.span, unit.is_local)
            case t.InstanceOf(name=None):
                for key, found in self.exported(InstanceName(unit, scope)).items():
                    self._give(made, key, found, unit.span, unit.is_local)
            case t.InstanceOf(name=t.Name(text=name_text)):
                instance = InstanceName(unit, scope)
                self._give(made, name_text, instance, unit.span, unit.is_local)

    @staticmethod
    def _give(
        made: Namespace, name: str, entity: Entity, span: Span, is_local: bool = False
    ) -> None:
        """Give a name its meaning in a module. Raises TlaNameError if it has another already."""
        if name in _OF_THE_LANGUAGE:
            raise TlaNameError(span, f"{name} is TLA+'s own", "define it under another sign")
        if _is_another(made, name, entity, span):
            if name not in made.names:
                made.places.setdefault(name, span)
            made.add(name, entity, is_local)

    def _declare(self, made: Namespace, context: Context, parameter: t.Parameter) -> None:
        entity = context.declare(parameter.span, parameter.name, parameter.arity, False)
        self._give(made, parameter.name, entity, parameter.span)
        made.declared.add(parameter.name)
        if isinstance(entity, ConstantName):
            made.constants.append(entity)

    # Instances.

    def exported(self, instance: InstanceName) -> dict[str, Entity]:
        """Return the names that an instance gives, in its own context."""
        unit, scope = instance.unit, instance.scope
        module = scope.namespace.modules.get(unit.module.text)
        outer = scope.namespace if module is not None else None
        if module is None:
            module = self.library.find(unit.module)
        found = dict(self.standard(unit.module.text))
        if module is None:
            return found
        if instance.context is None:
            if len(self._instances) >= _DEEPEST:
                raise TlaNameError(unit.span, f"instances are nested deeper than {_DEEPEST}")
            instance.context = self._context(instance)
        self._instances.append(instance)
        try:
            namespace = self.namespace(module, instance.context, outer)
        finally:
            self._instances.pop()
        defined = {k: e for k, e in namespace.exported.items() if k not in namespace.declared}
        return {**found, **defined}

    def _context(self, instance: InstanceName) -> Context:
        unit, scope = instance.unit, instance.scope
        own = tuple(Binding(p.span, p.name, p.arity, True) for p in unit.parameters)
        inside = scope.with_names({b.name: LocalName(b) for b in own})
        given = {s.name: s.expression for s in unit.substitutions}

        def declare(span: Span, name: str, arity: int, is_variable: bool) -> Entity:
            explicit = given.get(name)
            found = inside.find(name) if explicit is None else SubstitutedName(explicit, inside)
            if found is not None:
                place = unit.span if explicit is None else explicit.span
                self.substituted.append(Substituted(place, instance, name, is_variable, found))
                return self.overrides.get(found, found)
            kind = "variable" if is_variable else "constant"
            return MissingName(
                f"INSTANCE {unit.module.text} in line {unit.span.line} leaves the {kind} {name} "
                "without a meaning"
            )

        prefix = scope.context.prefix
        if unit.name is not None:
            prefix = f"{prefix}{unit.name.text}!"
        parameters = (*scope.context.parameters, *own)
        return Context(prefix, parameters, declare, scope.context.home, instance=instance)


_DEEPEST = 100
_OF_THE_LANGUAGE = {*LANGUAGE, "'", "\\X", "\\cdot", "~>", "-+->"}


def _require_definition(namespace: Namespace, written: t.Name) -> None:
    if written.text in namespace.declared:
        module = namespace.module.name
        raise TlaNameError(
            written.span,
            f"{module} declares {written.text}, and what stands before [{module}] is defined there",
            f"leave it out, as TLC does, or give {written.text} a value without [{module}]",
        )


def _declared(span: Span, name: str, arity: int, is_variable: bool) -> Entity:
    return VariableName(span, name) if is_variable else ConstantName(span, name, arity)


def _recursive(units: tuple[t.Unit, ...]) -> frozenset[str]:
    return frozenset(
        parameter.name
        for unit in units
        if isinstance(unit, t.Recursive)
        for parameter in unit.declared
    )


def _is_another(made: Namespace, name: str, entity: Entity, span: Span) -> bool:
    """Return whether a name gets a meaning now; not if it has the same one already.

    What a text defines for itself is what it means, where a newer library calls something so that
    has no meaning here. Raises TlaNameError where the two say different things: the parser that TLC
    has keeps the first with a warning where they come from modules, and refuses all else.
    """
    old = made.names.get(name)
    if old is None or isinstance(old, RefusedName):
        return True
    if old == entity or isinstance(entity, RefusedName):
        return False
    if (
        isinstance(old, OperatorName | InstanceName)
        and isinstance(entity, OperatorName | InstanceName)
        and old.scope.namespace is not entity.scope.namespace
        and t.is_same_text(old.unit, entity.unit)
    ):
        return False
    raise defined_twice(name, span, made.places.get(name))
