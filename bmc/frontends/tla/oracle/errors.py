"""What can go wrong when an expression is evaluated; each error knows its place in the text."""

from collections.abc import Callable
from typing import Any

from ..errors import Span, TlaError
from ..lazy_sets import NotASet, NotEnumerable, SetTooLarge


class EvaluationError(TlaError):
    """An expression has no value here: TLC would stop with an error as well."""


class WrongKind(EvaluationError):
    """A value of one kind stands where another is needed, such as a number where a set is."""


class OutsideDomain(EvaluationError):
    """A function is applied outside of its domain, or a sequence outside of its length."""


class NothingToChoose(EvaluationError):
    """CHOOSE over a set without such a member, or CASE without an arm that holds."""


class InfiniteSet(EvaluationError):
    """An infinite set would have to be listed."""


class AssertionFailed(EvaluationError):
    """`Assert(FALSE, message)`."""


class Unassigned(EvaluationError):
    """A variable's next value is read, or the step ends, before the action says what it is."""


class EvaluationLimit(EvaluationError):
    """A limit of time, recursion, or size was met; nothing is known of the value."""


def at(span: Span, operation: Callable[..., Any], *arguments: Any) -> Any:
    """Return `operation(*arguments)`; what goes wrong with a set in it is an error at `span`."""
    try:
        return operation(*arguments)
    except NotASet as reason:
        raise WrongKind(span, str(reason)) from None
    except NotEnumerable as reason:
        raise InfiniteSet(
            span, str(reason), "Replace it by a finite set in the configuration."
        ) from None
    except SetTooLarge as reason:
        raise EvaluationLimit(span, str(reason), "Take smaller constants.") from None
