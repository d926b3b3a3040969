"""Parts of a state or of an argument, as a mapping names them: ``replicaState[$broker].hw``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bmc.conformance.errors import MappingError, UnreadableValue
from bmc.conformance.operands import Constant, Operand, operand_of
from bmc.conformance.values import Meanings, WrittenForms
from bmc.lang.errors import suggest
from bmc.lang.sort_parts import key_index
from bmc.lang.sorts import (
    BoolSort,
    EnumSort,
    KeyedSetSort,
    MapSort,
    OptionSort,
    RecordSort,
    SequenceSort,
    Sort,
    VariantSort,
)
from bmc.lang.suite import Origin
from bmc.layout.domain import Domains, Value


class Nowhere:
    """What stands at a path that leads through none, or beyond a sequence's end."""

    def __repr__(self) -> str:
        return "nothing"


NOWHERE = Nowhere()


@dataclass(frozen=True)
class FieldStep:
    """A field of a record, by its position; ``written`` as in ``.name``, or ``[1]`` of a tuple."""

    name: str
    position: int
    written: str


@dataclass(frozen=True)
class KeyStep:
    """``[key]``: a value of a map, or where ``sort`` is None an element of a sequence or a tuple.

    Of a set with a key it is the element with that key, which stands in its field ``keyed``. The
    first element of a sequence has the number ``first``. Of a function of strings ``written`` has
    what the text writes behind it, by position.
    """

    sort: Sort | None
    operand: Operand
    keyed: int | None = None
    first: int = 0
    written: tuple[str, ...] = ()


@dataclass(frozen=True)
class Path:
    """A part of a value: where it starts, the steps into it, the sort of what is there."""

    text: str
    root: str
    steps: tuple[FieldStep | KeyStep, ...]
    sort: Sort

    def at(self, fields: Mapping[str, Any], meanings: Meanings, domains: Domains) -> Location:
        """Return where the path leads for one event.

        Raises AbsentField, and UnreadableValue for a key outside its sort.
        """
        found: list[int] = []
        by_key: dict[int, tuple[int, Value]] = {}
        for step in self.steps:
            if isinstance(step, FieldStep):
                found.append(step.position)
                continue
            raw = step.operand.of(fields)
            if step.sort is None:
                if type(raw) is not int or raw < step.first:
                    raise UnreadableValue(
                        f"{self.text}: expected a position from {step.first} on, found {raw!r:.60}"
                    )
                found.append(raw - step.first)
                continue
            value = meanings.read(step.sort, raw)
            position = domains.position(step.sort, value)
            if step.keyed is not None:
                by_key[len(found)] = step.keyed, value
            if position is None:
                raise UnreadableValue(
                    f"{self.text}: {raw!r:.60} is outside {step.sort} at these parameters: set "
                    "them greater with -p, or have the mapping read them off the log"
                )
            found.append(position)
        return Location(self, tuple(found), by_key)

    def note(self, fields: Mapping[str, Any], meanings: Meanings) -> None:
        """Let ``meanings`` see the keys of the path in an event. Raises like :meth:`at`."""
        for step in self.steps:
            if isinstance(step, KeyStep) and step.sort is not None:
                meanings.read(step.sort, step.operand.of(fields))


@dataclass(frozen=True)
class Location:
    """A path of one event: every step is a position.

    ``by_key`` has the steps that look for an element of a set: its field, and what is there.
    """

    path: Path
    positions: tuple[int, ...]
    by_key: Mapping[int, tuple[int, Value]]

    def read(self, value: Value) -> Value:
        """Return what stands there in the value of the path's root, or NOWHERE."""
        for step, position in enumerate(self.positions):
            if value is None:
                return NOWHERE
            if step in self.by_key:
                keyed, key = self.by_key[step]
                value = next((element for element in value if element[keyed] == key), NOWHERE)
                if value is NOWHERE:
                    return NOWHERE
                continue
            if position >= len(value):
                return NOWHERE
            value = value[position]
        return value

    def text(self, key: Callable[[Sort, int], str]) -> str:
        """Return the path with its keys as ``key`` writes them, by sort and position."""
        found = self.path.root
        for step, position in zip(self.path.steps, self.positions, strict=True):
            match step:
                case FieldStep():
                    found += step.written
                case KeyStep(written=places) if places:
                    found += places[position]
                case KeyStep(sort=sort):
                    written = position + step.first if sort is None else key(sort, position)
                    found += f"[{written}]"
        return found


_PATH = re.compile(r"([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*|\[[^\[\]]+\])*)")
_NAME = re.compile(r"\w*[^\W\d]\w*")
_STEP = re.compile(r"\.([A-Za-z_]\w*)|\[([^\[\]]+)\]")


@dataclass(frozen=True)
class Notation:
    """How the parts of a protocol's values are named: as its own text names them."""

    origin: Origin | None
    """The text, where it is not Python."""

    @property
    def first(self) -> int:
        """The number of a sequence's first element."""
        return 0 if self.origin is None else self.origin.first_position

    def parts(self, sort: RecordSort) -> dict[str, str]:
        """Return the fields of a record by how they are selected, in order."""
        names = [name for name, _ in sort.fields]
        if self.origin is None:
            return {f".{name}": name for name in names}
        return {self.origin.part_text(sort, name): name for name in names}

    def absent(self, sorts: Iterable[Sort]) -> dict[OptionSort, Any]:
        """Return what the text calls the none of each option, as JSON has it."""
        if self.origin is None:
            return {}
        options = (sort for sort in sorts if isinstance(sort, OptionSort))
        return {sort: _as_json(self.origin.value_text(sort, None)) for sort in options}

    def written(self, sorts: Iterable[Sort]) -> WrittenForms | None:
        """Return how the text writes values of sorts that are records here; None for Python."""
        if self.origin is None:
            return None
        parts: dict[RecordSort, tuple[str, ...]] = {}
        words: dict[EnumSort, dict[str, tuple[str, ...]]] = {}
        names: dict[EnumSort, tuple[str, ...]] = {}
        for sort in sorts:
            if isinstance(sort, RecordSort):
                parts[sort] = tuple(self.parts(sort))
            elif isinstance(sort, EnumSort):
                known = words[sort] = {}
                texts = {value: self.origin.value_text(sort, value) for value in sort.values}
                for value, text in texts.items():
                    word = str(_as_json(text))
                    known[word] = (*known.get(word, ()), value)
                names[sort] = tuple(value for value, text in texts.items() if _NAME.fullmatch(text))
        return WrittenForms(parts, self.first, words, names)

    def require_logged(self, sort: Sort, place: str) -> None:
        """Raise MappingError where values of a sort are numbers that stand for something else."""
        if self.origin is not None and self.origin.is_listed(sort):
            raise MappingError(
                f"{place}: its values are held by their places in a list that was made for this "
                "text, and a log cannot speak of them: leave it out"
            )


def _as_json(text: str) -> Any:
    """Return a number or a string for its text, and the text of anything else, as of a name."""
    try:
        found = json.loads(text)
    except ValueError:
        return text
    # Members may be called NaN, or true.
    return found if type(found) in (int, str) else text


def path_of(
    text: str, roots: Mapping[str, Sort], what: str, place: str, notation: Notation
) -> Path:
    """Return the path that a text names; ``roots`` are what it can begin with, called ``what``.

    Raises MappingError where there is no such part.
    """
    whole = _PATH.fullmatch(text)
    if whole is None:
        raise MappingError(f"{place}: {text!r} is no path: write name.field or name[$field].field")
    root = whole[1]
    if root not in roots:
        raise MappingError(f"{place}: there is no {what} {root!r}: {suggest(root, roots)}")
    sort, steps = roots[root], list[FieldStep | KeyStep]()
    for step in _STEP.finditer(whole[2]):
        if isinstance(sort, OptionSort):
            sort = sort.inner
        found, sort = _step(step, sort, place, notation)
        steps.append(found)
        steps_in, sort = _unwritten(sort, notation)
        steps += steps_in
    notation.require_logged(sort, place)
    return Path(text, root, tuple(steps), sort)


def _unwritten(sort: Sort, notation: Notation) -> tuple[list[FieldStep], Sort]:
    """Return the step to what a record holds that the text does not write, if it is such a one."""
    inner = sort.inner if isinstance(sort, OptionSort) else sort
    if isinstance(inner, RecordSort) and list(parts := notation.parts(inner)) == [""]:
        return [FieldStep(parts[""], 0, "")], inner.field(parts[""])
    return [], sort


def _step(
    step: re.Match[str], sort: Sort, place: str, notation: Notation
) -> tuple[FieldStep | KeyStep, Sort]:
    """Return a step into a value of a sort, and the sort of what is there."""
    name, key = step[1], step[2]
    if isinstance(sort, VariantSort):
        raise MappingError(
            f"{place}: there is no path to {step[0]} of values of several kinds: compare them whole"
        )
    parts = notation.parts(sort) if isinstance(sort, RecordSort) else {}
    if isinstance(sort, RecordSort) and step[0] in parts:
        field = parts[step[0]]
        return FieldStep(field, list(parts).index(step[0]), step[0]), sort.field(field)
    if name is not None:
        if not isinstance(sort, RecordSort):
            raise MappingError(f"{place}: {sort} has no fields, so there is no .{name}")
        known = [one.removeprefix(".") for one in parts]
        raise MappingError(f"{place}: {sort} has no field {name!r}: {suggest(name, known)}")
    operand = operand_of(int(key) if re.fullmatch(r"-?[0-9]{1,18}", key) else key, place)
    match sort:
        case MapSort():
            notation.require_logged(sort.key, place)
            return KeyStep(sort.key, _told(operand, sort.key)), sort.value
        case SequenceSort():
            return KeyStep(None, operand, first=notation.first), sort.element
        case KeyedSetSort():
            part = sort.element.field(sort.key)
            return KeyStep(part, _told(operand, part), key_index(sort)), sort.element
        case RecordSort():
            numbered = {f"[{notation.first + position}]" for position in range(len(parts))}
            images = {part for _, part in sort.fields}
            if parts.keys() == numbered and len(images) == 1:
                return KeyStep(None, operand, first=notation.first), images.pop()
            # A text has no other records than functions of strings.
            names = EnumSort(sort.name, tuple(name for name, _ in sort.fields))
            if notation.origin is not None and operand == Constant(key) and key in names.values:
                position = names.values.index(key)
                return FieldStep(key, position, list(parts)[position]), sort.field(key)
            if notation.origin is not None and len(images) == 1:
                return KeyStep(names, operand, written=tuple(parts)), images.pop()
            if notation.origin is not None and not isinstance(operand, Constant):
                raise MappingError(
                    f"{place}: what [{key}] may be has values of different kinds: write an "
                    f"[[event]] for each, with `when`, and name it ({', '.join(parts)})"
                )
    raise MappingError(f"{place}: {sort} has no keys, so there is no [{key}]")


def _told(operand: Operand, sort: Sort) -> Operand:
    """Return a key, which is a truth value where its sort has these and a text is called so."""
    inner = sort.inner if isinstance(sort, OptionSort) else sort
    if isinstance(inner, BoolSort) and isinstance(operand, Constant):
        return Constant(_TRUTH.get(operand.value, operand.value))
    return operand


_TRUTH = {"true": True, "false": False, "TRUE": True, "FALSE": False}
