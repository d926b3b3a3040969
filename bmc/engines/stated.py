"""The properties that a task states over a model without its history."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bmc.engines.task import OptionError, Task
from bmc.lang.errors import LanguageError
from bmc.lang.model import Model
from bmc.lang.properties import Kind, Property
from bmc.lang.terms import Term


def stated_over(task: Task, model: Model) -> tuple[Property, ...]:
    """Return the task's properties over its model, which has no ghosts.

    Raises OptionError for one that speaks of ghosts.
    """
    try:
        return task.stated(model)
    except LanguageError:
        for why in of_history(task).values():
            raise OptionError(why) from None
        raise


def of_history(task: Task) -> Mapping[str, str]:
    """Return the task's properties that speak of ghosts, and why what has none leaves them open."""
    whole = task.model(ghosts=True)
    found = {}
    for stated in task.stated(whole) if whole.ghosts else ():
        if ghosts := sorted(_variables(stated.body) & whole.ghosts):
            found[stated.name] = (
                f"{stated.name} speaks of {', '.join(ghosts)}, history that an explicit "
                f"exploration leaves out: {_WITNESS if stated.kind is Kind.WITNESS else _CLAIM}"
            )
    return found


_CLAIM = "prove it by k-induction or IC3"
_WITNESS = (
    "`bmc regress` looks for it to a depth; what a Monitor of the protocol remembers is explored"
)


def _variables(body: Term) -> frozenset[str]:
    seen, stack = {body}, [body]
    while stack:
        new = {child for child in stack.pop().args if child not in seen}
        seen |= new
        stack.extend(new)
    data: list[Any] = [term.data for term in seen if term.op == "variable"]
    return frozenset(name for name, _ in data)
