"""The next-state relation as TLC takes it apart, and what its disjuncts are called."""

from __future__ import annotations

from collections.abc import Iterator

from bmc.frontends.tla import core as c
from bmc.frontends.tla.levels import Level, level
from bmc.frontends.tla.operators import Operator as O
from bmc.frontends.tla.translate.actions import Actions
from bmc.frontends.tla.translate.headings import Heading
from bmc.frontends.tla.translate.lazy import ByName
from bmc.frontends.tla.translate.translator import Context

ROOT = "Next"
"""What a disjunct is called whose definition TLC does not look into."""


class NextState:
    """Finds the disjuncts of the next-state relation, or of another action."""

    def __init__(self, actions: Actions) -> None:
        self.actions = actions

    def top_actions(
        self, heading: Heading, node: c.Expression, context: Context
    ) -> Iterator[tuple[Heading, c.Expression, Context]]:
        """Yield the disjuncts of the next-state relation, each under what TLC calls it.

        That is the innermost definition whose arguments are constant; choices from constant sets
        are looked through.
        """
        match node:
            case c.Builtin() if node.operator is O.OR:
                for part in node.arguments:
                    yield from self.top_actions(heading, part, context)
            case c.Quantifier() if node.kind is c.Quantification.EXISTS and all(
                b.domain is not None and self._is_constant(b.domain, context) for b in node.bounds
            ):
                for inner in self.actions.chosen(node.bounds, context):
                    yield from self.top_actions(heading, node.body, inner)
            case c.Let():
                yield from self.top_actions(heading, node.body, context)
            case c.Call() if not node.definition.is_recursive:
                called = node.definition.name
                if not all(self._is_constant(a, context) for a in node.arguments):
                    yield Heading(called), node, context
                    return
                inner = self.actions.entered(node.definition, node.arguments, context)
                yield from self.top_actions(
                    Heading(called, node.definition.parameters), node.definition.body, inner
                )
            case _:
                yield heading, node, context

    def _is_constant(self, node: c.Expression, context: Context) -> bool:
        held = (context.environment.get(b) for b in self.actions.free.of(node))
        return level(node) <= Level.CONSTANT and not any(isinstance(h, ByName) for h in held)

    def disjuncts(
        self, node: c.Expression, context: Context
    ) -> Iterator[tuple[c.Expression, Context]]:
        """Yield the disjuncts of an action as those of the next-state relation are found."""
        for _, leaf, inner in self.top_actions(Heading(""), node, context):
            yield leaf, inner


def action_name(heading: Heading, node: c.Expression) -> str:
    r"""Return what a disjunct of the next-state relation is called here.

    TLC says ``Next`` of ``\E m \in messages : Handle(m)``, since the state decides what there is to
    choose from. That is no name of an action, so the definition that is chosen for gives its own.
    """
    inside = node
    while isinstance(inside, c.Quantifier) and inside.kind is c.Quantification.EXISTS:
        inside = inside.body
    if heading.name == ROOT and isinstance(inside, c.Call):
        return inside.definition.name
    return heading.name


def distinct(names: list[str]) -> list[str]:
    """Return a name of its own for each way to take a step: those that share one are numbered.

    A way without a name has that of the next-state relation, which is no name of an action.
    """
    taken = set(names)
    seen: dict[str, int] = {}
    found = []
    for name in names:
        if names.count(name) == 1 and name not in (ROOT, "Init"):
            found.append(name)
            continue
        number = seen.get(name, 0) + 1
        while f"{name}_{number}" in taken:
            number += 1
        seen[name] = number
        found.append(f"{name}_{number}")
    return found
