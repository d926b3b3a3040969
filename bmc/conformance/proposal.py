"""A mapping file that is proposed for a log, from the names of its events and fields.

Names are guesses, and what was guessed is for a person to read: whatever could not be placed stands
in the file as a comment. What is placed fits its sort in every event of the log.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bmc.conformance.fields import ENOUGH, NONES, fits, likeliest, values_of
from bmc.conformance.likeness import likeness
from bmc.conformance.paths import Notation
from bmc.conformance.seen import Names, SeenEvent, look_at
from bmc.lang.model import Action
from bmc.lang.sort_parts import inside
from bmc.lang.sorts import (
    AnySet,
    EnumSort,
    IntSort,
    MapSort,
    OptionSort,
    RecordSort,
    Scalarset,
    SequenceSort,
    Sort,
)
from bmc.lang.suite import Suite


@dataclass(frozen=True)
class StatePart:
    """A part of the state that an event may show: ``keyed`` is the scalarset in its path, if any.

    ``path`` has ``{}`` where the key stands.
    """

    path: str
    name: str
    sort: Sort
    keyed: Scalarset | None = None


@dataclass
class Proposal:
    """A mapping as text, and what in the log it has no place for."""

    text: str
    events: int
    placed: list[str] = field(default_factory=list)
    unplaced: list[str] = field(default_factory=list)


def propose(log: Path, suite: Suite) -> Proposal:
    """Return a mapping of a log to a protocol. Raises LogError for a log that cannot be read."""
    return _Proposer(suite).proposal(log)


def _parts(part: StatePart, notation: Notation) -> Iterator[StatePart]:
    """Yield the parts of a part that a field of an event could show."""
    sort = part.sort
    if isinstance(sort, MapSort) and isinstance(sort.key, Scalarset) and part.keyed is None:
        keyed = StatePart(f"{part.path}[{{}}]", part.name, sort.value, sort.key)
        yield from _parts(keyed, notation)
    elif isinstance(sort, RecordSort):
        for written, name in notation.parts(sort).items():
            inner = StatePart(f"{part.path}{written}", name, sort.field(name), part.keyed)
            yield from _parts(inner, notation)
    elif not isinstance(sort, MapSort | SequenceSort):
        yield part


class _Proposer:
    def __init__(self, suite: Suite) -> None:
        self._model = model = suite.model(False)
        self._protocol = suite.name
        self._notation = Notation(suite.origin)
        shown = (StatePart(n, n, s) for n, s in model.variables.items() if n not in model.ghosts)
        self._parts = [part for whole in shown for part in _parts(whole, self._notation)]
        self._none: dict[str, None] = {}
        self._names: dict[str, dict[str, str]] = {}
        self._shown: set[str] = set()

    def proposal(self, log: Path) -> Proposal:
        actions = {action.name: action for action in self._model.actions}
        name, events = look_at(log, list(actions))
        found = Proposal("", sum(seen.count for seen in events.values()))
        rules: list[str] = []
        ignored: list[tuple[str, str]] = []
        for event, seen in events.items():
            best = max(actions, key=lambda action: likeness(event, action))
            alike = likeness(event, best)
            if alike < ENOUGH:
                ignored.append((event, best))
                found.unplaced.append(f"event {event}")
                continue
            chosen = [one for name, one in actions.items() if likeness(event, name) == alike]
            rules += self._rule(event, seen, chosen, found)
        found.text = "\n".join([*self._head(name, ignored, bool(rules)), *rules]) + "\n"
        return found

    def _head(self, name: Names, ignored: list[tuple[str, str]], mapped: bool) -> list[str]:
        lines = [
            "# Proposed from the names in the log: read every line before you trust a verdict.",
            f"protocol = {_quoted(self._protocol)}",
            "",
            "[log]",
        ]
        if name != ("event",):
            lines.append(f"name = {_quoted('.'.join(name))}")
        for event, best in ignored:
            lines.append(
                f"# no action is called like the event {_quoted(event)}; {best} is nearest"
            )
        if ignored:
            lines.append(f"ignore = [{', '.join(_quoted(event) for event, _ in ignored)}]")
        if self._none:
            lines.append(f"none = [{', '.join(self._none)}]")
        lines += ["", "[parameters]", *self._parameters()]
        if self._names:
            lines += ["", "[names]"]
        for sort, words in self._names.items():
            pairs = ", ".join(f"{_quoted(word)} = {_quoted(v)}" for word, v in words.items())
            lines.append(f"{_quoted(sort)} = {{ {pairs} }}")
        lines += [
            "",
            "# Actions that happen without being logged, and how often between two events:",
            "# [silent]",
            "# actions = []",
            "# steps = 1",
        ]
        if not mapped:
            lines += ["", "# No event could be placed; a mapping needs at least one [[event]]."]
        return lines

    def _parameters(self) -> list[str]:
        lines: list[str] = []
        sorts = [*self._model.variables.values()]
        sorts += [a.variable.sort for one in self._model.actions for a in one.arguments]
        known = {part.name: part for sort in sorts for part in inside(sort)}
        for parameter in self._model.parameters:
            name = parameter.name
            for sort in known.values():
                if sort.name not in self._shown:
                    continue
                if isinstance(sort, Scalarset) and sort.size.coefficients == (((name,), 1),):
                    lines.append(f"{name} = {{ members = {_quoted(sort.name)} }}")
                    break
                high = sort.high if isinstance(sort, IntSort) else None
                if high is not None and high.coefficients == (((name,), 1),):
                    plus = 1 - high.constant
                    lines.append(f"{name} = {{ greatest = {_quoted(sort.name)}, plus = {plus} }}")
                    break
            else:
                lines.append(
                    f"# {name} = {parameter.default}    # no field that is placed tells it"
                )
        return lines

    def _rule(
        self, event: str, seen: SeenEvent, actions: list[Action], found: Proposal
    ) -> list[str]:
        """The lines about the events of one name, which is like those of some actions."""
        notes: list[str] = []
        used: list[Names] = []
        keys: list[Names] = []
        written = []
        for action in actions:
            arguments = self._arguments(action, seen, used, keys)
            for argument in action.arguments:
                if argument.name not in arguments:
                    notes.append(
                        f"# argument {argument.name} of {action.name}: no field is like it"
                    )
                    found.unplaced.append(f"argument {argument.name} of {action.name}")
            pairs = ", ".join(one for each in arguments.values() for one in each)
            written.append(
                f"{{ name = {_quoted(action.name)}, arguments = {{ {pairs} }} }}"
                if pairs
                else _quoted(action.name)
            )
        found.placed.append(f"event {event}: {', '.join(action.name for action in actions)}")
        lines = ["", "[[event]]", f"name = {_quoted(event)}", "actions = ["]
        lines += [*(f"    {one}," for one in written), "]"]
        after, left = self._after(seen, used, keys)
        for names in left:
            field_name = _quoted(".".join(names))[1:-1]
            notes.append(f"# field {field_name}: nothing is like it")
            found.unplaced.append(f"field {field_name} of {event}")
        if after:
            lines += ["[event.after]", *after]
        return [*lines, *notes]

    def _arguments(
        self, action: Action, seen: SeenEvent, used: list[Names], keys: list[Names]
    ) -> dict[str, list[str]]:
        """What an event says of an action's arguments, or of their fields, by argument."""
        lines: dict[str, list[str]] = {}
        taken: list[Names] = []
        for argument in action.arguments:
            whole = StatePart(argument.name, argument.name, argument.variable.sort)
            for part in _parts(whole, self._notation):
                best = None if part.keyed else likeliest(part.name, part.sort, seen, taken)
                if best is None:
                    continue
                taken.append(best[0])
                if isinstance(part.sort, Scalarset) and best[0] not in keys:
                    keys.append(best[0])
                operand = self._operand(best[0], part.sort, seen)
                said = f"{_quoted(part.path)} = {operand}"
                lines.setdefault(argument.name, []).append(said)
                if part.path == argument.name:
                    used.append(best[0])
        return lines

    def _after(
        self, seen: SeenEvent, used: list[Names], keys: list[Names]
    ) -> tuple[list[str], list[Names]]:
        """The comparisons with the state after, and the fields that are placed nowhere."""
        lines: list[str] = []
        left: list[Names] = []
        for names, field_seen in seen.fields.items():
            if names in used or dict in field_seen.kinds:
                continue
            best: tuple[float, StatePart, str] | None = None
            for part in self._parts:
                if not fits(part.sort, field_seen) or not field_seen.values:
                    continue
                alike = likeness(part.name, names[-1])
                path = self._path(part, seen, keys)
                if path and alike >= ENOUGH and (best is None or alike > best[0]):
                    best = alike, part, path
            if best is None or any(line.startswith(f"{_quoted(best[2])} ") for line in lines):
                left.append(names)
                continue
            _, part, path = best
            lines.append(f"{_quoted(path)} = {self._operand(names, part.sort, seen)}")
        return lines, left

    def _path(self, part: StatePart, seen: SeenEvent, keys: list[Names]) -> str | None:
        """The part's path with the field that is its key: an argument's, or one like the sort."""
        if part.keyed is None:
            return part.path
        fitting = [names for names in keys if fits(part.keyed, seen.fields[names])]
        if not fitting:
            best = likeliest(part.keyed.name, part.keyed, seen)
            fitting = [] if best is None else [best[0]]
        fitting = [names for names in fitting if not seen.optional(names)]
        if not fitting or any(set("[]") & set(name) for name in fitting[0]):
            return None
        self._shown.add(part.keyed.name)
        return part.path.format(f"${'.'.join(fitting[0])}")

    def _operand(self, names: Names, sort: Sort, seen: SeenEvent) -> str:
        """The field as an operand, once it is noted what its values are."""
        content = seen.fields[names]
        self._shown.update(part.name for part in inside(sort))
        for part in inside(sort):
            if isinstance(part, EnumSort):
                words = values_of(part, content) or {}
                renamed = {word: value for word, value in words.items() if word != value}
                if renamed:
                    self._names.setdefault(part.name, {}).update(renamed)
        if isinstance(sort.element if isinstance(sort, AnySet) else sort, OptionSort):
            for kind, value in content.values:
                if (kind, value) in NONES:
                    self._none[json.dumps(value)] = None
        return _quoted(f"${'.'.join(names)}{'?' if seen.optional(names) else ''}")


def _quoted(text: str) -> str:
    """A string of TOML: JSON's, but for what TOML wants escaped besides."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
