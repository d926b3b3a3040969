"""Levels of expressions: constant, state, action, temporal (Specifying Systems, section 17.2)."""

from enum import IntEnum
from weakref import WeakKeyDictionary

from . import core as c
from .walk import children


class Level(IntEnum):
    """What an expression's value depends on; each level includes those below."""

    CONSTANT = 0  # on nothing but constants
    STATE = 1  # on a state
    ACTION = 2  # on a step
    TEMPORAL = 3  # on a behaviour


_levels: WeakKeyDictionary[c.Node, Level] = WeakKeyDictionary()
_definitions: WeakKeyDictionary[c.Definition, Level] = WeakKeyDictionary()
_asking: WeakKeyDictionary[c.Expression, bool] = WeakKeyDictionary()
_parameters: WeakKeyDictionary[c.Definition, frozenset[c.Binding]] = WeakKeyDictionary()


def level(expression: c.Expression) -> Level:
    """Return the level of `expression`, its parameters and bound variables taken as constants.

    A call has at least the levels of its arguments and of the operator's body; a recursive
    operator has the least level that fits. A primed parameter counts as an action.
    """
    return _level(expression, {})


def definition_level(definition: c.Definition) -> Level:
    """Return the level of the definition's body, its parameters taken as constants."""
    return _definition_level(definition, {})


def _definition_level(definition: c.Definition, guesses: dict[c.Definition, Level]) -> Level:
    """Return the least fixed point; `guesses` are those of the recursions under way."""
    if definition in guesses:
        return guesses[definition]
    known = _definitions.get(definition)
    if known is not None:
        return known
    found = Level.CONSTANT
    if definition.is_recursive:
        guess = None
        while guess != found:
            guess = found
            found = _level(definition.body, {**guesses, definition: guess})
    else:
        found = _level(definition.body, guesses)
    if not guesses:
        _definitions[definition] = found
    return found


def _level(expression: c.Expression, guesses: dict[c.Definition, Level]) -> Level:
    known = _levels.get(expression)
    if known is not None:
        return known
    parts = max((_level(part, guesses) for part in children(expression)), default=Level.CONSTANT)
    match expression:
        case c.VariableRef():
            found = Level.STATE
        case c.HiddenRef() | c.MiddleRef():
            found = max(parts, Level.STATE)
        case c.Call(definition=definition, arguments=arguments):
            # What an operator reads inside ENABLED alone is no step of whoever calls it.
            given = (
                min(_level(argument, guesses), Level.STATE)
                if _reads_inside_enabled(definition, parameter)
                else _level(argument, guesses)
                for parameter, argument in zip(definition.parameters, arguments, strict=True)
            )
            found = max(*given, _definition_level(definition, guesses), Level.CONSTANT)
        case c.OperatorRef():
            found = max(parts, _definition_level(expression.definition, guesses))
        case c.Prime(operand=operand) | c.Unchanged(operand=operand):
            is_constant = parts is Level.CONSTANT and not reads_parameter(operand)
            found = Level.CONSTANT if is_constant else Level.ACTION
        case c.Let(body=body):
            # A definition that nothing calls says nothing, and one inside ENABLED nothing more.
            found = _level(body, guesses)
        case c.Enabled():
            found = min(parts, Level.STATE)
        case c.BoxAction() | c.AngleAction() | c.Composition():
            found = Level.ACTION
        case c.Always() | c.Eventually() | c.LeadsTo() | c.Fairness():
            found = Level.TEMPORAL
        case _:
            found = parts
    if not guesses:
        _levels[expression] = found
    return found


def _reads_inside_enabled(definition: c.Definition, parameter: c.Binding) -> bool:
    """Tell whether a parameter stands inside ENABLED, wherever the operator's body reads it."""
    if definition.is_recursive:
        return False
    waiting: list[c.Expression] = [definition.body]
    while waiting:
        part = waiting.pop()
        if isinstance(part, c.Enabled):
            continue
        if isinstance(part, c.LocalRef | c.CallParameter) and part.binding is parameter:
            return False
        waiting.extend(children(part))
    return True


def reads_parameter(expression: c.Expression) -> bool:
    """Tell whether the expression mentions a parameter, whose level is its argument's."""
    return bool(parameters_of(expression))


def parameters_of(
    expression: c.Expression, opened: frozenset[c.Definition] = frozenset()
) -> frozenset[c.Binding]:
    """Return the parameters that an expression and what it calls read, but not those of the called.

    A LET's definition reads those of what is around it. ``opened`` are the recursions under way.
    """
    match expression:
        case c.Call(definition=definition, arguments=arguments):
            inside = _parameters_in(definition, opened)
            given = zip(definition.parameters, arguments, strict=True)
            read = [a for parameter, a in given if parameter in inside]
            own = frozenset(definition.parameters)
            return (inside - own).union(*(parameters_of(a, opened) for a in read))
        case c.OperatorRef(definition=definition):
            return _parameters_in(definition, opened) - frozenset(definition.parameters)
    found = frozenset[c.Binding]().union(*(parameters_of(p, opened) for p in children(expression)))
    match expression:
        case c.LocalRef(binding=binding) | c.CallParameter(binding=binding):
            return found | {binding} if binding.is_parameter else found
        case c.Lambda(parameters=own_ones):
            return found - set(own_ones)
        case c.Let(definitions=definitions):
            return found - {own for one in definitions for own in one.parameters}
    return found


def _parameters_in(
    definition: c.Definition, opened: frozenset[c.Definition]
) -> frozenset[c.Binding]:
    """Return the parameters, its own too, that a definition's body reads."""
    if definition in opened:
        return frozenset(definition.parameters)
    known = _parameters.get(definition)
    if known is not None:
        return known
    inner = opened | {definition} if definition.is_recursive else opened
    found = parameters_of(definition.body, inner)
    if not opened:
        _parameters[definition] = found
    return found


def asks_enabled(body: c.Expression) -> bool:
    """Tell whether ENABLED stands in an operator's body or in what it calls."""
    known = _asking.get(body)
    if known is not None:
        return known
    bodies, waiting, found = {body}, [body], False
    while waiting and not found:
        part = waiting.pop()
        found = isinstance(part, c.Enabled)
        if isinstance(part, c.Call | c.OperatorRef):
            called = part.definition.body
            found = _asking.get(called, False)
            if called not in bodies and called not in _asking:
                bodies.add(called)
                waiting.append(called)
        waiting.extend(children(part))
    _asking.update({body: True} if found else dict.fromkeys(bodies, False))
    return found
