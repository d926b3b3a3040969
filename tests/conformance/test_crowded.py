"""Where more states are possible than are held, SAT goes on and comes to the same verdict."""

import json
import random
from pathlib import Path

import pytest

from bmc.conformance.circuits import holds
from bmc.conformance.demands import demands
from bmc.conformance.mapping_file import read_mapping
from bmc.conformance.search import Limits
from bmc.conformance.verdict import Conforms, Impossible, Unknown
from bmc.layout.domain import Domains
from bmc.readings.circuit import evaluate
from bmc.readings.value import Interpreter
from bmc.system.transition import TransitionSystem
from tests.conformance.logged import Fields, Logged, checked, get, in_part, put, walk

ONE = Limits(states=1)
PROTOCOLS = [
    ("kafka", {"replicas": 2}),
    ("kafka-async-isr", {}),
    ("kafka-kip320-deployed", {"replicas": 2}),
]


@pytest.mark.parametrize(("protocol", "given"), PROTOCOLS)
@pytest.mark.parametrize("seed", range(3))
def test_a_crowded_search_comes_to_the_same_verdict(
    protocol: str, given: dict[str, int], seed: int, tmp_path: Path
) -> None:
    logged = walk(protocol, seed, 12, **given)
    chance = random.Random(seed)
    events = in_part(logged, chance, 0)
    mapping = logged.mapping()
    whole = checked(tmp_path, logged, events, mapping)
    assert whole.widest > 1
    crowded = checked(tmp_path, logged, events, mapping, ONE)
    assert isinstance(crowded.verdict, Conforms)
    # It is replayed; all that was logged is so in it.
    assert crowded.verdict.execution.lines[1:] == tuple(range(1, len(events) + 1))

    wrong(logged, events, len(events) - 1)
    alone = checked(tmp_path, logged, events, mapping).verdict
    beside = checked(tmp_path, logged, events, mapping, ONE).verdict
    assert isinstance(alone, Impossible)
    assert isinstance(beside, Impossible)
    assert beside.event.line == alone.event.line
    assert beside.reason.differing or beside.reason.failing or beside.reason.no_choice


def wrong(logged: Logged, events: list[Fields], at: int) -> None:
    """Log one event in full, with one number that is not so."""
    fields = list(logged.leaves.values())
    for field in fields:
        put(events[at], field, get(logged.events[at], field))
    number = next(field for field in fields if type(get(events[at], field)) is int)
    put(events[at], number, get(events[at], number) + 1)


def test_silent_steps_are_free_in_a_window_and_their_end_is_said(tmp_path: Path) -> None:
    quiet = ("ControllerElectLeader", "ControllerShrinkIsr")
    heard = 0
    for seed in (1, 2):
        logged = walk("kafka", seed, 9, replicas=2)
        events = in_part(logged, random.Random(seed), 0.05)
        events = [event for event in events if event["event"] not in quiet]
        for steps in (1, 3):
            mapping = logged.mapping(quiet, steps)
            whole = checked(tmp_path, logged, events, mapping).verdict
            crowded = checked(tmp_path, logged, events, mapping, ONE).verdict
            assert type(crowded) is type(whole)
            if isinstance(crowded, Conforms):
                heard += crowded.execution.silent()
            if isinstance(crowded, Unknown):
                assert isinstance(whole, Unknown)
                assert f"not within {steps} silent step" in crowded.why
                assert crowded.event.line == whole.event.line
    assert heard > 0


def test_a_claim_as_a_circuit_is_the_claim(tmp_path: Path) -> None:
    """In each state of an execution, of every part that can be logged and each comparison."""
    logged = walk("kafka-kip320-deployed", 1, 5, replicas=2)
    more = """
        [event.before]
        "replicaLog[r1].endOffset" = { at_least = "$number" }
        "replicaLog[r2].endOffset" = { at_most = "$number" }
        "replicaState[r1].isr" = { contains = "$who" }
        "quorumState.isr" = { lacks = "$who" }
    """
    events = [
        {**event, "number": n % 4 - 1, "who": f"r{n % 2 + 1}"}
        for n, event in enumerate(logged.events)
    ]
    log, file = tmp_path / "log.ndjson", tmp_path / "map.toml"
    log.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
    file.write_text(logged.mapping().replace("[event.after]", f"{more}[event.after]"), "utf-8")
    model, domains = logged.suite.model(False), Domains(logged.parameters)
    mapping = read_mapping(file, logged.suite)
    system, interpreter = TransitionSystem(model, logged.parameters), Interpreter(model, domains)
    chance = random.Random(0)
    states = [next(iter(interpreter.initial_states()))]
    for _ in range(20):
        steps = list(interpreter.successors(states[-1]))
        name = chance.choice(sorted({step.action for step in steps}))
        states.append(chance.choice([step.state for step in steps if step.action == name]))
    seen = set()
    for demand in demands(log, mapping, domains, mapping.meanings()):
        for claim in (*demand.before, *demand.after):
            sort = model.variables[claim.root]
            node = holds(claim, sort, system.state[claim.root], system.expander)
            for state in states:
                [found] = evaluate([node], system.encode(state))
                assert bool(found) == claim.holds(state[claim.root]), claim.check.path.text
                seen.add((claim.check.comparison, bool(found)))
    assert len(seen) == 10
