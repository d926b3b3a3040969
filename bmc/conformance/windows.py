"""Windows of a long execution: what is asked of its states is asked of each window by itself.

A window is the state before it, some steps, and the state after them. The search and one replay go
through a log from its beginning, for a state is known only from those before it; invariants, guards
and witnesses are asked of states that are known then, history included, and take most of the time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bmc.conformance.coverage import GuardWatch
from bmc.conformance.execution import Execution, Watch, stepped, violated_first
from bmc.conformance.search import Reached
from bmc.evidence.verdict import Contradiction
from bmc.lang.properties import Property
from bmc.lang.suite import Origin
from bmc.readings.value import ConcreteState, Interpreter

WINDOW = 5_000
"""Steps of a window."""


@dataclass(frozen=True)
class Window:
    """Steps of an execution, the state before the first and the state after the last.

    ``line`` is that of the last event before it; None in the first window (``number`` 0), whose
    first state is looked at as well.
    """

    number: int
    parameters: Mapping[str, int]
    line: int | None
    before: ConcreteState
    steps: tuple[Reached, ...]
    after: ConcreteState


@dataclass(frozen=True)
class WindowView:
    """What a window shows: the invariant that is false first in it, with the line before that.

    It is ``undecided`` where that one has no value, and nothing is false in the window.
    ``guards`` refuse a step in one of its states, and ``witnesses`` are met there.
    """

    broken: str | None
    line: int | None
    undecided: bool
    guards: tuple[str, ...]
    witnesses: tuple[str, ...]


def cut(execution: Execution, parameters: Mapping[str, int], size: int) -> Iterator[Window]:
    """Return the windows of an execution, of ``size`` steps; each begins where the last ended.

    Raises Contradiction where the execution cannot be replayed.
    """
    number, known = 0, None
    before: ConcreteState | None = None
    state: ConcreteState = {}
    since: int | None = None
    steps: list[Reached] = []
    for node, state in execution.states():
        if before is None:
            before = state
            continue
        known = known if node.silent else node.line
        # Its states and the nodes before it are what a replay gives again.
        steps.append(replace(node, state={}, before=None))
        if len(steps) == size:
            yield Window(number, parameters, since, before, tuple(steps), state)
            number, since, before, steps = number + 1, known, state, []
    if before is not None and (steps or not number):
        yield Window(number, parameters, since, before, tuple(steps), state)


def look_into(
    window: Window,
    interpreter: Interpreter,
    stated: Sequence[Property],
    witnesses: Sequence[Property],
    guards: GuardWatch | None,
    origin: Origin | None = None,
) -> WindowView:
    """Return what the states of a window show: every step is taken again.

    Raises Contradiction where a step does not happen, or the last state is another one than that
    with which the next window begins.
    """
    watch, wanted = Watch(interpreter, stated, origin), Watch(interpreter, witnesses)
    met: dict[str, int | None] = {}
    position = 0

    def look(before: ConcreteState | None, state: ConcreteState, line: int | None) -> None:
        watch.look(before, state, position, line)
        met.update(wanted.met(before, state, line))
        if guards is not None:
            guards.look(before, state, line)

    state, known = window.before, window.line
    if not window.number:
        look(None, state, known)
    for node in window.steps:
        known = known if node.silent else node.line
        if node.action is None:
            continue
        after = stepped(interpreter, state, node)
        if after is None:
            raise Contradiction(
                f"a step of window {window.number} of a log's execution cannot be replayed: "
                f"{node.action} does not happen there"
            )
        position += 1
        look(state, after, known)
        state = after
    if state != window.after:
        raise Contradiction(
            f"window {window.number} of a log's execution ends in another state on replay"
        )
    first = violated_first(watch.broken)
    return WindowView(
        None if first is None else first.why(),
        None if first is None else first.line,
        first is not None and first.undecided is not None,
        () if guards is None else tuple(guards.found().decided),
        tuple(met),
    )
