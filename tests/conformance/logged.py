"""Random executions of a protocol, written down as a system that follows it would log them."""

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from bmc.cli.shared import catalogue
from bmc.conformance.demands import survey
from bmc.conformance.mapping_file import read_mapping
from bmc.conformance.search import Limits
from bmc.conformance.verdict import Conformance, check_log
from bmc.lang.errors import BoundTooSmall
from bmc.lang.protocol import parameter_values
from bmc.lang.sorts import MapSort, RecordSort, Sort
from bmc.lang.suite import Suite
from bmc.layout.domain import Domains
from bmc.readings.value import Interpreter, Successor
from bmc.reports.values import arguments_json, counts_from_zero, key_text, state_json, value_json
from bmc.reports.vocabulary import Vocabulary

Fields = dict[str, Any]
NO_HURRY = Limits()


@dataclass(frozen=True)
class Logged:
    """A protocol at parameters, and what each step of one execution would log in full."""

    suite: Suite
    parameters: Mapping[str, int]
    words: Vocabulary
    events: list[Fields]

    @cached_property
    def leaves(self) -> dict[str, str]:
        """The parts of the state that an event can show: a path, and the field it is in."""
        found: dict[str, str] = {}
        for name, sort in self.words.variables.items():
            if name in self.words.ghosts:
                continue
            found |= dict(_leaves(self.words, sort, name, f"after.{name}"))
        return found

    def mapping(self, silent: tuple[str, ...] = (), steps: int = 0) -> str:
        """A mapping of every action by its own name; what an event lacks is free."""
        lines = ['log = { none = ["none"] }']
        if silent:
            lines += ["[silent]", f"actions = {json.dumps(silent)}", f"steps = {steps}"]
        for action in self.suite.model(False).actions:
            if action.name in silent:
                continue
            lines += ["[[event]]", f'name = "{action.name}"', f'actions = ["{action.name}"]']
            lines += ["[event.arguments]"]
            for argument in action.arguments:
                lines += [f'"{argument.name}" = "$arguments.{argument.name}?"']
            lines += ["[event.after]"]
            lines += [f'"{path}" = "${field}?"' for path, field in self.leaves.items()]
        return "\n".join(lines) + "\n"


def _leaves(words: Vocabulary, sort: Sort, path: str, field: str) -> Iterator[tuple[str, str]]:
    if isinstance(sort, MapSort) and not counts_from_zero(words, sort):
        for key in words.domains.values(sort.key):
            name = key_text(value_json(words, sort.key, key))
            yield from _leaves(words, sort.value, f"{path}[{name}]", f"{field}.{name}")
    elif isinstance(sort, RecordSort):
        for name, inner in sort.fields:
            yield from _leaves(words, inner, f"{path}.{name}", f"{field}.{name}")
    else:
        yield path, field


def walk(protocol: str, seed: int, length: int, **given: int) -> Logged:
    """The log of a random execution of at most ``length`` steps."""
    suite = catalogue.find(protocol)
    parameters = parameter_values(suite.protocol, given)
    words = Vocabulary.of(suite, parameters)
    interpreter = Interpreter(suite.model(False), Domains(parameters))
    chance = random.Random(seed)
    state = chance.choice(list(interpreter.initial_states()))
    events: list[Fields] = []
    while len(events) < length:
        steps: list[Successor] = []
        try:
            steps.extend(interpreter.successors(state))
        except BoundTooSmall:
            break
        if not steps:
            break
        # An action with few arguments is as likely as one with many.
        name = chance.choice(sorted({step.action for step in steps}))
        step = chance.choice([step for step in steps if step.action == name])
        state = step.state
        sorts = words.action_arguments(step.action)
        events.append(
            {
                "event": step.action,
                "arguments": arguments_json(words, sorts, step.arguments),
                "after": state_json(words, state),
            }
        )
    return Logged(suite, parameters, words, events)


def in_part(logged: Logged, chance: random.Random, kept: float) -> list[Fields]:
    """The events with some of their fields only."""
    found = []
    for event in logged.events:
        partial: Fields = {"event": event["event"], "arguments": {}}
        for name, value in event["arguments"].items():
            if chance.random() < kept:
                partial["arguments"][name] = value
        for field in logged.leaves.values():
            if chance.random() < kept:
                put(partial, field, get(event, field))
        found.append(partial)
    return found


def get(event: Fields, field: str) -> Any:
    found: Any = event
    for name in field.split("."):
        found = found[name]
    return found


def put(event: Fields, field: str, value: Any) -> None:
    *outer, last = field.split(".")
    for name in outer:
        event = event.setdefault(name, {})
    event[last] = value


def has(event: Fields, field: str) -> bool:
    try:
        get(event, field)
    except KeyError:
        return False
    return True


def checked(
    folder: Path, logged: Logged, events: list[Fields], mapping: str, limits: Limits = NO_HURRY
) -> Conformance:
    """What is found out about events."""
    log, file = folder / "log.ndjson", folder / "log.map.toml"
    log.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
    file.write_text(mapping, encoding="utf-8")
    model = logged.suite.model(False)
    read = read_mapping(file, logged.suite)
    told = survey(log, read, model, logged.parameters)
    return check_log(log, read, told, logged.suite, (), limits)
