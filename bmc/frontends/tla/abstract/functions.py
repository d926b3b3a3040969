"""The shapes of functions, records and sequences: literals, application, EXCEPT."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bmc.frontends.tla import core as c
from bmc.frontends.tla import values as v
from bmc.frontends.tla.abstract import domain as d
from bmc.frontends.tla.abstract.context import (
    Context,
    Known,
    Place,
    apart,
    field_shape,
    seen,
)
from bmc.frontends.tla.abstract.domain import NOTHING, Shape
from bmc.frontends.tla.abstract.evaluator import Evaluator
from bmc.frontends.tla.abstract.numbers import only_value
from bmc.frontends.tla.abstract.widening import widen
from bmc.frontends.tla.errors import TlaUnsupported
from bmc.frontends.tla.operators import Operator as O

PATIENCE, MOST_ROUNDS = 8, 40
"""Rounds in which a recursive function's values grow as they do; afterwards they jump, and
then there are no more."""


class Functions(Evaluator):
    """Evaluates functions, records and sequences."""

    def _functions_of(self, keys: Known, image: Shape) -> Shape:
        domain = keys.constant if isinstance(keys.constant, frozenset) else None
        return self._function_shape(self.elements(keys.shape), image, domain)

    def _function_shape(self, keys: Shape, image: Shape, domain: frozenset[Any] | None) -> Shape:
        if domain is not None and domain and all(isinstance(k, str) for k in domain):
            return d.record_of({str(k): image for k in domain})
        if domain is not None and not domain:
            return d.tuple_of(())
        if image.empty and domain is not None:
            return NOTHING
        return d.function_of(keys, image, domain)

    def _function(self, node: c.FunctionLiteral, context: Context) -> Known:
        domains = [self.known(b.domain, context) for b in node.bounds if b.domain is not None]
        inner = self.bound(node.bounds, context)
        if inner is None:
            return Known(d.tuple_of(()))
        image = self.shape(node.body, inner)
        if len(domains) == 1:
            keys = domains[0].constant
            if isinstance(keys, frozenset) and keys and all(isinstance(k, str) for k in keys):
                return self._record_literal(node, keys, context)
            if domains[0].constant is None and self._from_one(node.bounds[0].domain, context):
                ends = self.elements(domains[0].shape).integers
                return Known(d.sequence_of(image, 0, 0 if ends is None else max(0, ends.high)))
            return Known(self._functions_of(domains[0], image))
        keys_shape = d.tuple_of(self.elements(k.shape) for k in domains)
        constants = [k.constant for k in domains]
        listed = None
        if all(isinstance(k, frozenset) for k in constants):
            from itertools import product

            listed = frozenset(product(*constants))
        return Known(self._function_shape(keys_shape, image, listed))

    def _from_one(self, domain: c.Expression | None, context: Context) -> bool:
        """Tell whether a domain is written as 1 .. n: its functions are sequences."""
        if not isinstance(domain, c.Builtin) or domain.operator is not O.INTERVAL:
            return False
        return bool(self.known(domain.arguments[0], context).constant == 1)

    def _record_literal(
        self, node: c.FunctionLiteral, keys: frozenset[Any], context: Context
    ) -> Known:
        fields = {}
        for key in sorted(keys):
            inner = dict(context.environment)
            inner[node.bounds[0].variables[0]] = Known(d.shape_of(key), constant=key)
            fields[key] = self.shape(node.body, context.within(inner))
        return Known(d.record_of(fields))

    def _recursive_function(self, node: c.RecursiveFunction, context: Context) -> Known:
        guess = NOTHING
        domain = node.bounds[0].domain
        assert domain is not None
        keys = self.known(domain, context)
        inner = self.bound(node.bounds, context)
        if inner is None:
            return Known(d.tuple_of(()))
        rounds = 0
        while True:
            self._functions[node.itself] = self._functions_of(keys, guess)
            try:
                found = d.join(guess, self.shape(node.body, inner))
            finally:
                del self._functions[node.itself]
            if found == guess:
                return Known(self._functions_of(keys, guess))
            rounds += 1
            if rounds > MOST_ROUNDS:
                raise TlaUnsupported(
                    node.span, "the values of this recursive function do not end", ""
                )
            guess = widen(guess, found, self.steps) if rounds > PATIENCE else found

    def _apply(self, node: c.Apply, context: Context) -> Known:
        function = self.known(node.function, context)
        keys = [self.known(a, context) for a in node.arguments]
        if len(keys) == 1:
            return self.selected(function, keys[0], context)
        return self.selected(function, Known(d.tuple_of(k.shape for k in keys)), context)

    def selected(self, function: Known, key: Known, context: Context) -> Known:
        """Return what is known of ``function[key]``."""
        found = self._selected(function, key)
        shape = seen(found.shape, found.place, context)
        return found if shape is found.shape else Known(shape, found.place)

    def _selected(self, function: Known, key: Known) -> Known:
        """Return what is known of ``function[key]`` without what guards have said of it."""
        shape, found = function.shape, NOTHING
        if isinstance(key.constant, str):
            found = field_shape(shape, key.constant)
        else:
            for names, parts in shape.records:
                for name, part in zip(names, parts, strict=True):
                    if name in key.shape.atoms:
                        found = d.join(found, part)
        if shape.functions is not None:
            found = d.join(found, shape.functions.values)
        if shape.sequences is not None:
            found = d.join(found, shape.sequences.at(key.constant))
        step = _step(key)
        place = None
        if function.place is not None and not function.offset and step is not None:
            place = (*function.place, step)
        return Known(found, place)

    def _except(self, node: c.Except, context: Context) -> Known:
        before = whole = self.known(node.function, context)
        done: list[Place] = []
        for update in node.updates:
            path: list[Known] = []
            for step in update.path:
                if isinstance(step, c.FieldStep):
                    path.append(Known(NOTHING, constant=step.name))
                elif len(step.arguments) == 1:
                    path.append(self.known(step.arguments[0], context))
                else:
                    keys = d.tuple_of(self.shape(a, context) for a in step.arguments)
                    path.append(Known(keys))
            steps = tuple(_step(k) for k in path)
            if not all(apart(steps, other) for other in done):
                before = whole = Known(whole.shape)
            shape = self._updated(whole, before, path, update, tuple(done), context)
            done.append(steps)
            whole = Known(shape, whole.place)
        return Known(whole.shape)

    def _updated(
        self,
        whole: Known,
        before: Known,
        path: list[Known],
        update: c.Update,
        done: tuple[Place, ...],
        context: Context,
    ) -> Shape:
        """Return the shape with what an update leads to; ``before`` is the value without those
        that are ``done``, which an update of another place reads."""
        if not path:
            inner = {**context.environment, update.at: before}
            return self.shape(update.value, context.within(inner))
        key = path[0]
        held = self.selected(before, key, context)
        if done:
            step = (_step(key),)
            done = tuple(one[1:] for one in done if not apart(step, one[:1]))
            found = self._selected(whole, key)
            part = Known(seen(found.shape, found.place, context, done), found.place)
        else:
            part = held
        return self._replaced(
            whole.shape, key, self._updated(part, held, path[1:], update, done, context)
        )

    def _replaced(self, shape: Shape, key: Known, part: Shape) -> Shape:
        records = []
        for names, parts in shape.records:
            if isinstance(key.constant, str):
                if key.constant in names and not part.empty:
                    at = names.index(key.constant)
                    parts = (*parts[:at], part, *parts[at + 1 :])
            else:
                parts = tuple(
                    d.join(p, part) if n in key.shape.atoms else p
                    for n, p in zip(names, parts, strict=True)
                )
            records.append((names, parts))
        functions = shape.functions
        if functions is not None:
            at = only_value(key.shape) if key.constant is None else key.constant
            # With another argument it is what it was.
            is_all = at is not None and functions.domain == frozenset((at,))
            image = part if is_all else d.join(functions.values, part)
            functions = replace(functions, values=image)
        sequences = shape.sequences
        if sequences is not None and not part.empty and sequences.longest:
            held = sequences.parts
            at = key.constant
            if held is not None and isinstance(at, int) and 1 <= at <= len(held):
                held = (*held[: at - 1], part, *held[at:])
            elif held is not None:
                held = tuple(d.join(p, part) for p in held)
            first = tuple(d.join(p, part) for p in sequences.first)
            element = d.join(sequences.element, part)
            sequences = replace(sequences, element=element, parts=held, first=first)
        return replace(shape, records=tuple(records), functions=functions, sequences=sequences)


def _step(key: Known) -> Any:
    if isinstance(key.constant, str):
        return (".", key.constant)
    if key.constant is not None:
        return ("constant", key.constant)
    single = only_value(key.shape)
    if isinstance(single, int | v.ModelValue):
        return ("constant", single)
    if key.place is not None:
        return ("at", key.place, key.offset)
    return None
