"""What a SPECIFICATION names, taken apart: `Init /\\ [][Next]_vars /\\ fairness`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from . import core as c
from .conjuncts import conjuncts, elements
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
    for part in elements(subscript):
        if isinstance(part, c.VariableRef):
            yield part.name


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

    def add(self, formula: c.Expression) -> None:
        for found in conjuncts(formula, whole=_of_one_state):
            self._add_one(found)

    def _add_one(self, found: c.Expression) -> None:
        match found:
            case _ if _of_one_state(found):
                self.init.append(found)
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
            case _:
                self.fairness.append(found)


def _of_one_state(formula: c.Expression) -> bool:
    return level(formula) <= Level.STATE


def _conjunction(found: list[c.Expression]) -> c.Expression | None:
    if len(found) <= 1:
        return found[0] if found else None
    return c.Builtin(found[0].span, Operator.AND, tuple(found))
