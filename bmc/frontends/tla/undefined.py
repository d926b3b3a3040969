"""What the text has no value for at the end of a path is told as such, with its place."""

from collections.abc import Iterator
from contextlib import contextmanager

from .errors import TlaUndefined
from .oracle.errors import EvaluationError, EvaluationLimit
from .oracle.machine import Machine
from .values import show


@contextmanager
def told_as_undefined() -> Iterator[None]:
    """Raise TlaUndefined for what has no value in here; a limit that was met says nothing of it."""
    try:
        yield
    except EvaluationLimit:
        raise
    except EvaluationError as error:
        raise TlaUndefined(error.span, error.message, error.hint) from error


@contextmanager
def judged(machine: Machine) -> Iterator[None]:
    """Evaluate a claim where a path ends. Raises TlaUndefined where it has no value there.

    A recursion that goes deeper than any is followed is told so as well: TLC has no room for it.
    """
    try:
        with machine.limited(None), told_as_undefined():
            yield
    except EvaluationLimit as error:
        raise TlaUndefined(error.span, error.message, error.hint) from error


def require_starts(machine: Machine) -> None:
    """Raise TlaUndefined, with the state as far as it is known, where Init has no value."""
    with told_as_undefined():
        try:
            with machine.limited(None):
                machine.initial_states()
        except EvaluationLimit:
            return
        except EvaluationError as error:
            known = ", ".join(f"{name} = {show(value)}" for name, value in machine.begun())
            where = f"in an initial state where {known}" if known else "before any variable has one"
            error.message = f"{error.message}; Init has no value {where}"
            raise
