"""A reader that is not ours runs an exported circuit as ours does: py-aiger, which knows AIGER 1.0.

Bad outputs and constraints follow each other in the file where AIGER 1.0 has its outputs, so that
only the header and the names have to be rewritten.
"""

from __future__ import annotations

import re
from functools import cache

import aiger
from bmc.properties.kafka import KAFKA_TRUNCATE_TO_HW
from hypothesis import given
from hypothesis import strategies as st

from bmc.engines.task import Task
from bmc.reports.exports.aiger import write_aiger
from bmc.system.latches import LatchClaim, sequential
from bmc.system.transition import TransitionSystem
from tests.exports.aiger_reader import Aiger, read_aiger
from tests.strategies import effort

SMALL = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}


@cache
def circuits() -> tuple[Aiger, aiger.AIG]:
    """One circuit, read twice."""
    task = Task(KAFKA_TRUNCATE_TO_HW, SMALL, ("StrongIsr", "TypeOk"))
    model = task.model(ghosts=False)
    system = TransitionSystem(model, task.parameters)
    holds = [system.circuit.all(i.holds for i in system.instances(s)) for s in task.stated(model)]
    claims = [LatchClaim(str(number), one) for number, one in enumerate(holds)]
    known = [("bounds", system.within_bounds), ("well formed", system.well_formed)]
    content = write_aiger(sequential(system, claims, known), [], text=True)
    return read_aiger(content), aiger.parse(_as_before(content.decode()))


def _as_before(text: str) -> str:
    head, *lines = text.partition("\nc\n")[0].split("\n")
    most, inputs, latches, _, ands, bad, constraints = map(int, head.split()[1:])

    def renamed(symbol: re.Match[str]) -> str:
        kind, number = symbol[1], int(symbol[2])
        after = bad if kind == "c" else 0
        kind = "o" if kind in "bc" else kind
        return f"{kind}{number + after} {kind}{number + after}"

    head = f"aag {most} {inputs} {latches} {bad + constraints} {ands}"
    return "\n".join([head, *(re.sub(r"^([ilbc])(\d+) .*", renamed, one) for one in lines), ""])


def test_it_starts_in_the_same_state() -> None:
    ours, theirs = circuits()
    first = {f"l{i}": bool(reset) for i, (_, _, reset) in enumerate(ours.latches)}
    assert dict(theirs.latch2init) == first


@effort(60)
@given(st.data())
def test_it_steps_to_the_same_states(data: st.DataObject) -> None:
    ours, theirs = circuits()
    bits = st.integers(0, 1)
    state = data.draw(st.tuples(*[bits] * len(ours.latches)), "state")
    for _ in range(5):
        choice = data.draw(st.tuples(*[bits] * len(ours.inputs)), "choice")
        after, outputs = ours.run(state, choice)
        found, latches = theirs(
            {f"i{i}": bool(bit) for i, bit in enumerate(choice)},
            latches={f"l{i}": bool(bit) for i, bit in enumerate(state)},
        )
        assert [found[f"o{i}"] for i in range(len(outputs))] == outputs
        assert [latches[f"l{i}"] for i in range(len(after))] == list(after)
        state = after
