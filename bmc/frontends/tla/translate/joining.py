"""Recursive operators that add every member of one set to another, one by one.

    RECURSIVE SendAll(_, _)
    SendAll(new, sent) == IF new = {} THEN sent
                          ELSE LET m == CHOOSE m \\in new : TRUE
                               IN SendAll(new \\ {m}, sent \\union {m})

is ``sent \\union new``, whatever CHOOSE takes. Unrolled, it would be a choice for every member.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from bmc.frontends.tla import core as c
from bmc.frontends.tla import values as v
from bmc.frontends.tla.levels import Level, level
from bmc.frontends.tla.operators import Operator as O
from bmc.frontends.tla.translate.constant_sets import NotConstant, Undetermined
from bmc.frontends.tla.translate.constants import Constants
from bmc.frontends.tla.translate.free import Free

Names: TypeAlias = "Mapping[c.Binding, Meant]"
Meant: TypeAlias = "tuple[c.Expression, Names]"
"""An expression and what the parameters in it stand for."""


class Joining:
    """Recognises such operators by their definitions alone."""

    def __init__(self, constants: Constants, free: Free) -> None:
        self._constants = constants
        self._free = free
        self._known: dict[c.Definition, tuple[int, int] | None] = {}

    def joined(self, definition: c.Definition) -> tuple[int, int] | None:
        """Return which two parameters' union a recursive operator is; None where it is none."""
        if definition not in self._known:
            self._known[definition] = self._read(definition)
        return self._known[definition]

    def _read(self, definition: c.Definition) -> tuple[int, int] | None:
        body, names = self._meant((definition.body, {}))
        if not isinstance(body, c.If):
            return None
        taken = self._emptied((body.condition, names))
        kept = self._parameter((body.then, names))
        again, inside = self._meant((body.otherwise, names))
        if taken is None or kept is None or taken is kept:
            return None
        if not isinstance(again, c.Call) or again.definition is not definition:
            return None
        for parameter, argument in zip(definition.parameters, again.arguments, strict=True):
            given = (argument, inside)
            if parameter is taken:
                fits = self._loses(given, taken)
            elif parameter is kept:
                fits = self._gains(given, kept, taken)
            else:
                fits = self._parameter(given) is parameter
            if not fits:
                return None
        places = definition.parameters
        if taken not in places or kept not in places:
            return None
        return places.index(taken), places.index(kept)

    def _meant(self, given: Meant) -> Meant:
        """Return an expression behind names, calls and conditions that are known."""
        node, names = given
        while True:
            match node:
                case c.Let():
                    node = node.body
                case c.Call() if not node.definition.is_recursive:
                    parameters = node.definition.parameters
                    pairs = zip(parameters, node.arguments, strict=True)
                    names = {**names, **{p: (a, names) for p, a in pairs}}
                    node = node.definition.body
                case c.LocalRef() if node.binding in names:
                    node, names = names[node.binding]
                case c.If():
                    truth = self._truth((node.condition, names))
                    if truth is None:
                        return node, names
                    node = node.then if truth else node.otherwise
                case _:
                    return node, names

    def _truth(self, given: Meant) -> bool | None:
        """Return the truth of a condition on constants."""
        node, names = given
        if level(node) > Level.CONSTANT:
            return None
        environment = {}
        for binding in self._free.of(node):
            if binding not in names:
                return None
            value, _ = self._meant(names[binding])
            if level(value) > Level.CONSTANT or self._free.of(value):
                return None
            environment[binding] = value
        try:
            known = {b: self._constants.value(value, {}) for b, value in environment.items()}
            found = self._constants.value(node, known)
        except (NotConstant, Undetermined):
            return None
        return found.truth if isinstance(found, v.Boolean) else None

    def _parameter(self, given: Meant) -> c.Binding | None:
        node, _ = self._meant(given)
        return node.binding if isinstance(node, c.LocalRef) else None

    def _emptied(self, given: Meant) -> c.Binding | None:
        """Return the parameter that a condition compares with ``{}``."""
        node, names = self._meant(given)
        if not isinstance(node, c.Builtin) or node.operator is not O.EQUAL:
            return None
        for one, other in (node.arguments, node.arguments[::-1]):
            empty, _ = self._meant((other, names))
            if isinstance(empty, c.SetEnumeration) and not empty.elements:
                return self._parameter((one, names))
        return None

    def _loses(self, given: Meant, taken: c.Binding) -> bool:
        """Tell whether an expression is ``taken \\ {m}``."""
        node, names = self._meant(given)
        if not isinstance(node, c.Builtin) or node.operator is not O.SET_MINUS:
            return False
        rest, one = node.arguments
        return self._parameter((rest, names)) is taken and self._is_one((one, names), taken)

    def _gains(self, given: Meant, kept: c.Binding, taken: c.Binding) -> bool:
        """Tell whether an expression is ``kept \\union {m}``."""
        node, names = self._meant(given)
        if not isinstance(node, c.Builtin) or node.operator is not O.CUP:
            return False
        return any(
            self._parameter((one, names)) is kept and self._is_one((other, names), taken)
            for one, other in (node.arguments, node.arguments[::-1])
        )

    def _is_one(self, given: Meant, taken: c.Binding) -> bool:
        """Tell whether an expression is ``{m}``, where ``m == CHOOSE m \\in taken : TRUE``."""
        node, names = self._meant(given)
        if not isinstance(node, c.SetEnumeration) or len(node.elements) != 1:
            return False
        chosen, inside = self._meant((node.elements[0], names))
        if not isinstance(chosen, c.Choose) or chosen.bound.is_tuple:
            return False
        domain, test = chosen.bound.domain, chosen.body
        if domain is None or len(chosen.bound.variables) != 1:
            return False
        whole, _ = self._meant((test, inside))
        anything = isinstance(whole, c.BooleanLiteral) and whole.value
        return anything and self._parameter((domain, inside)) is taken
