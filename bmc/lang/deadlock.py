"""Deadlocks: states that no step follows, except for ends that are meant.

A step that changes nothing is a step, and so is one out of the state constraint, as TLC has it.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from types import FunctionType

from bmc.lang.build import disj
from bmc.lang.decided import nothing_decided
from bmc.lang.enabled import some_step
from bmc.lang.errors import LanguageError, placed
from bmc.lang.model import Model, Source
from bmc.lang.parameters import Parameter
from bmc.lang.properties import Kind, PropertyDeclaration
from bmc.lang.protocol import ActionDeclaration, Protocol, Variable
from bmc.lang.sorts import Sort
from bmc.lang.state import State
from bmc.lang.terms import Term, boolean, make

NO_DEADLOCK = "NoDeadlock"
"""The claim that a step follows every reachable state that is no end."""

DEADLOCK = "Deadlock"
"""The witness that one of them is followed by none."""


def require_own_names(owner: str, claimed: Iterable[str]) -> None:
    """Raise LanguageError where a claim is called as what is said of deadlocks is."""
    for name in claimed:
        if name in (NO_DEADLOCK, DEADLOCK):
            raise LanguageError(
                f"{owner}: {name} is bmc's own name, for states that no step follows: rename the "
                "claim"
            )


def deadlock_properties(
    protocol: type[Protocol], model: Model, follows: Term | None = None
) -> tuple[PropertyDeclaration, PropertyDeclaration]:
    """Return the claim that there is no deadlock, and the witness of one.

    ``follows`` says of a state that a step follows, None where the model's steps are all there are.
    """
    follows = some_step(model) if follows is None else follows
    goes_on = disj(*terminated_in(protocol, model), follows)

    def no_deadlock(m: object, s: object) -> Term:
        return goes_on

    def deadlock(m: object, s: object) -> Term:
        return make("not", (goes_on,), goes_on.sort)

    no_deadlock.__name__, deadlock.__name__ = NO_DEADLOCK, DEADLOCK
    claim = "a step follows every state in which the protocol has not terminated"
    witness = "no step follows, and the protocol has not terminated"
    return (
        PropertyDeclaration(no_deadlock, Kind.INVARIANT, claim, "", {}),
        PropertyDeclaration(deadlock, Kind.WITNESS, witness, "", {}),
    )


def terminated_in(protocol: type[Protocol], model: Model) -> tuple[Term, ...]:
    """What a protocol says of its ends, if it does.

    A variable, an action, a parameter or a sort of that name says nothing of them. Raises
    LanguageError where something else has it, which would be taken for what is said.
    """
    stated: object = protocol.terminated
    if stated is Protocol.terminated or isinstance(
        stated, Variable | ActionDeclaration | Parameter | Sort
    ):
        return ()
    if not isinstance(stated, FunctionType):
        raise LanguageError(
            f"{protocol.__name__}.terminated says nothing of its ends, as a method without a "
            "decorator does: write def terminated(self, s): return …, or give it another name"
        )
    source = Source.of(stated)
    with placed(source.file, source.line, "terminated"), nothing_decided("terminated"):
        taken = ", ".join(inspect.signature(stated).parameters)
        try:
            inspect.signature(stated).bind(None, None)
        except TypeError:
            raise LanguageError(
                f"terminated takes ({taken}): write def terminated(self, s)"
            ) from None
        return (boolean(stated(protocol(), State(model.variables, False, protocol))),)
