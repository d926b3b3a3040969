"""What a SPECIFICATION names, taken apart: `Init /\\ [][Next]_vars /\\ fairness`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from . import core as c
from .conjuncts import conjuncts
from .errors import TlaLevelError, TlaUnsupported
from .levels import Level, level
from .operators import Operator
from .specification import Named


@dataclass(frozen=True, slots=True)
class Behaviour:
    """The parts of a behaviour's formula; None for a part that nobody gives."""

    init: c.Expression | None
    next: c.Expression | None
    fairness: tuple[c.Expression, ...] = ()


def behaviour_of(formula: Named, variables: Sequence[str]) -> Behaviour:
    """Return the parts of a specification's formula.

    Raises TlaLevelError and TlaUnsupported where it is not made of an initial condition, one
    `[][Next]_v` of all variables, and fairness.
    """
    parts = _Parts()
    parts.add(formula.expression)
    if parts.step is None:
        raise TlaLevelError(
            formula.expression.span,
            f"{formula.name} has no conjunct [][Next]_vars",
            "write it as Init /\\ [][Next]_vars, and fairness if there is any",
        )
    _require_all(parts.step.subscript, variables)
    return Behaviour(_conjunction(parts.init), parts.step.action, tuple(parts.fairness))


def variables_of(subscript: c.Expression) -> Iterator[str]:
    """Yield the variables of which a subscript is the tuple."""
    for part in _parts_of(subscript):
        if isinstance(part, c.VariableRef):
            yield part.name


def _parts_of(subscript: c.Expression) -> Iterator[c.Expression]:
    match subscript:
        case c.TupleLiteral(elements=elements):
            for one in elements:
                yield from _parts_of(one)
        case c.Call(definition=definition, arguments=arguments) if not definition.is_recursive:
            given = dict(zip(definition.parameters, arguments, strict=True))
            for part in _parts_of(definition.body):
                if isinstance(part, c.LocalRef) and part.binding in given:
                    yield from _parts_of(given[part.binding])
                else:
                    yield part
        case c.Let(body=body):
            yield from _parts_of(body)
        case _:
            yield subscript


def _require_all(subscript: c.Expression, variables: Sequence[str]) -> None:
    held = set(variables_of(subscript))
    missing = [name for name in variables if name not in held]
    if missing:
        raise TlaUnsupported(
            subscript.span,
            f"the subscript of [][Next]_v lacks {', '.join(missing)}: the text allows "
            "any change of what v lacks",
            "write the tuple of all variables, or give INIT and NEXT in the configuration",
        )


class _Parts:
    """The conjuncts that were found so far."""

    def __init__(self) -> None:
        self.init: list[c.Expression] = []
        self.step: c.BoxAction | None = None
        self.fairness: list[c.Expression] = []

    def add(self, found: c.Expression) -> None:
        if level(found) <= Level.STATE:
            self.init.append(found)
            return
        match found:
            case c.Call(definition=definition, arguments=()):
                self.add(definition.body)
            case c.Builtin(operator=Operator.AND, arguments=items):
                for item in items:
                    self.add(item)
            case c.Always(operand=c.BoxAction() as step):
                if self.step is not None:
                    raise TlaUnsupported(
                        found.span,
                        "the specification has two next-state relations",
                        "write one whose disjuncts they are",
                    )
                self.step = step
            case c.Unsupported(what=what, hint=hint):
                raise TlaUnsupported(found.span, f"{what} is not supported", hint)
            case c.Always(operand=operand) if level(operand) < Level.TEMPORAL:
                raise TlaUnsupported(
                    found.span,
                    "a specification's conjunct says what is always so, beside [][Next]_vars",
                    "say it in Next, or name it as a CONSTRAINT or an INVARIANT",
                )
            case _ if level(found) is Level.ACTION:
                raise TlaLevelError(
                    found.span,
                    "a specification's conjunct is a formula of one step",
                    "put it into [][…]_vars",
                )
            case c.Let() | c.Call():
                parts = list(conjuncts(found))
                if len(parts) == 1 and isinstance(parts[0], c.Let | c.Call):
                    self.fairness.append(found)
                    return
                for part in parts:
                    self.add(part)
            case _:
                self.fairness.append(found)


def _conjunction(found: list[c.Expression]) -> c.Expression | None:
    if len(found) <= 1:
        return found[0] if found else None
    return c.Builtin(found[0].span, Operator.AND, tuple(found))
