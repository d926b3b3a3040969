"""Mapping files: a mapping as TOML, read and checked against a model.

docs/conformance.md describes them; every key that it does not know is refused.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

from bmc.conformance.checks import Check, check_of
from bmc.conformance.errors import MappingError
from bmc.conformance.mapping import MOST_STEPS, EventRule, LogMapping, MappedAction, Order, ReadOff
from bmc.conformance.mapping_lines import line_of
from bmc.conformance.operands import Field, operand_of
from bmc.conformance.paths import Notation
from bmc.evidence.untrusted import NotADocument, line_of_digits, text_in, too_many_digits
from bmc.lang.errors import suggest
from bmc.lang.model import Action
from bmc.lang.sort_parts import inside
from bmc.lang.sorts import (
    EnumSort,
    Scalarset,
    Sort,
)
from bmc.lang.suite import Suite


def read_mapping(file: Path, suite: Suite) -> LogMapping:
    """Return the mapping in a file, checked against a protocol. Raises MappingError."""
    return mapping_in(mapping_text(file), file, suite)


def mapping_text(file: Path) -> str:
    """Return the text of a mapping file, which may be a pipe. Raises MappingError."""
    try:
        text = text_in(file)
    except OSError as error:
        raise MappingError(f"cannot read {file}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise MappingError(f"{file} is not UTF-8") from None
    except NotADocument as error:
        raise MappingError(f"{file} is no mapping: {error}") from None
    # What some editors begin a file with, and TOML's reader does not know.
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def mapping_in(text: str, file: Path, suite: Suite) -> LogMapping:
    """Return the mapping that a text is, checked against a protocol.

    Raises MappingError, which says that it stands in ``file``.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise MappingError(f"{file} is no TOML: {error}") from None
    except RecursionError:
        raise _too_deep(file) from None
    except ValueError:
        line = line_of_digits(text)
        where = file if line is None else f"{file}, line {line}"
        raise MappingError(f"{where}: {too_many_digits()}") from None
    try:
        return _Reader(file, suite).mapping(data)
    except MappingError as error:
        said = str(error).removeprefix(f"{file}: ")
        line = line_of(text, said)
        where = file if line is None else f"{file}, line {line}"
        raise MappingError(f"{where}: {said}") from None
    except RecursionError:
        raise _too_deep(file) from None


def _too_deep(file: Path) -> MappingError:
    return MappingError(f"{file} is nested too deeply: write it more simply")


class _Reader:
    def __init__(self, file: Path, suite: Suite) -> None:
        self._file = file
        self._goes_by = (suite.name, *suite.aliases)
        self._notation = Notation(suite.origin)
        model = suite.model(False)
        self._actions = {action.name: action for action in model.actions}
        self._parameters = [parameter.name for parameter in model.parameters]
        self._variables = {n: s for n, s in model.variables.items() if n not in model.ghosts}
        sorts = [*self._variables.values()]
        sorts += [a.variable.sort for action in model.actions for a in action.arguments]
        parts = [part for sort in sorts for part in inside(sort)]
        self._sorts: dict[str, Sort] = {part.name: part for part in parts}
        self._absent = self._notation.absent(parts)
        self._written = self._notation.written(parts)

    def mapping(self, data: dict[str, Any]) -> LogMapping:
        known = ("protocol", "log", "parameters", "members", "names", "silent", "order", "event")
        self._only(data, known, "")
        named = data.get("protocol")
        if named is not None and named not in self._goes_by:
            asked = self._goes_by[0]
            self._refuse("protocol", f"it maps {named!r:.60}, and {asked} was asked for")
        log = self._table(data, "log", ("name", "ignore", "none"))
        silent = self._table(data, "silent", ("actions", "steps"))
        actions = tuple(
            self._action(name, "silent.actions") for name in self._list(silent, "actions", "silent")
        )
        steps = silent.get("steps", 1 if actions else 0)
        if type(steps) is not int or not 0 <= steps <= MOST_STEPS:
            self._refuse("silent.steps", f"{steps!r:.60} is not a number of steps up to 1000")
        rules = data.get("event", [])
        if not isinstance(rules, list) or not rules:
            self._refuse("event", "a mapping has at least one [[event]]")
        return LogMapping(
            self._file,
            self._text(log.get("name", "event"), "log.name"),
            frozenset(self._text(one, "log.ignore") for one in self._list(log, "ignore", "log")),
            {
                name: self._parameter(name, value)
                for name, value in self._table(data, "parameters", self._parameters).items()
            },
            tuple(self._loggable(one, "log.none") for one in self._list(log, "none", "log")),
            {
                name: self._members(name, value)
                for name, value in self._table(data, "members", self._named(Scalarset)).items()
            },
            {
                name: self._names(name, value)
                for name, value in self._table(data, "names", self._named(EnumSort)).items()
            },
            actions,
            steps,
            tuple(self._rule(rule, f"event[{i}]") for i, rule in enumerate(rules, 1)),
            self._order(data),
            self._absent,
            self._written,
        )

    def _order(self, data: dict[str, Any]) -> Order | None:
        if "order" not in data:
            return None
        said = self._table(data, "order", ("source", "counter", "clock", "skew"))
        if "source" not in said:
            self._refuse("order", "it has no source: the field that says whose event it is")
        skew = said.get("skew", 0)
        if type(skew) not in (int, float) or not 0 <= skew < float("inf"):
            self._refuse("order.skew", f"{skew!r:.60} is no difference of clocks")
        if "skew" in said and "clock" not in said:
            self._refuse("order", "it has a skew and no clock")

        def named(key: str) -> Field | None:
            if key not in said:
                return None
            return Field(tuple(self._text(said[key], f"order.{key}").split(".")))

        source = named("source")
        assert source is not None
        return Order(source, named("counter"), named("clock"), skew)

    def _named(self, kind: type) -> list[str]:
        return [name for name, sort in self._sorts.items() if isinstance(sort, kind)]

    def _parameter(self, name: str, data: Any) -> int | ReadOff:
        place = f"parameters.{name}"
        if type(data) is int:
            return data
        if not isinstance(data, dict):
            self._refuse(place, 'write an integer, { members = "Sort" } or { greatest = "Sort" }')
        self._only(data, ("members", "greatest", "plus"), place)
        plus = data.get("plus", 0)
        if type(plus) is not int or ("members" in data) == ("greatest" in data):
            self._refuse(place, "write either members or greatest, and plus as an integer")
        members, greatest = data.get("members"), data.get("greatest")
        if members is not None and members not in self._named(Scalarset):
            self._refuse(place, f"no sort of members is {members!r:.60}")
        if greatest is not None and greatest not in self._sorts:
            known = ", ".join(sorted(name for name in self._sorts if name.isidentifier()))
            self._refuse(place, f"no sort is called {greatest!r:.60}; there are {known}")
        return ReadOff(members, greatest, plus)

    def _members(self, name: str, data: Any) -> tuple[Any, ...]:
        if not isinstance(data, list) or any(type(one) not in (int, str) for one in data):
            self._refuse(f"members.{name}", "write what the log calls them: [1007, 1008]")
        return tuple(data)

    def _names(self, name: str, data: Any) -> dict[str, str]:
        sort = self._sorts[name]
        assert isinstance(sort, EnumSort)
        if not isinstance(data, dict):
            self._refuse(f"names.{name}", 'write LOGGED = "value"')
        for logged, value in data.items():
            if value not in sort.values:
                self._refuse(
                    f"names.{name}.{logged}", f"a {name} is one of {', '.join(sort.values)}"
                )
        return data

    def _rule(self, data: Any, place: str) -> EventRule:
        if not isinstance(data, dict):
            self._refuse(place, "write [[event]]")
        known = ("name", "when", "actions", "arguments", "steps", "before", "after")
        self._only(data, (*known, "sends", "receives"), place)
        if "name" not in data:
            self._refuse(place, "it has no name: the events that it is about")
        name = self._text(data["name"], f"{place}.name")
        place = f"{place} ({name})"
        shared = self._table(data, "arguments", None, place)
        listed = self._list(data, "actions", place)
        if shared and not listed:
            self._refuse(place, "it has arguments and no actions")
        actions = tuple(self._mapped(one, shared, f"{place}.actions") for one in listed)
        steps = data.get("steps", 1 if actions else 0)
        ends = steps if isinstance(steps, list) else [steps, steps]
        if len(ends) != 2 or (not actions and ends != [0, 0]):
            self._refuse(f"{place}.steps", "write a number or [least, most]; 0 without actions")
        least, most = (operand_of(end, f"{place}.steps") for end in ends)
        for end in (least, most):
            if not isinstance(end, Field) and type(end.of({})) is not int:
                self._refuse(f"{place}.steps", f"{end} is no number of steps and no $field")
        return EventRule(
            place,
            name,
            {
                field: self._loggable(wanted, f"{place}.when")
                for field, wanted in self._table(data, "when", None, place).items()
            },
            actions,
            least,
            most,
            self._checks(data, "before", place),
            self._checks(data, "after", place),
            operand_of(data["sends"], f"{place}.sends") if "sends" in data else None,
            operand_of(data["receives"], f"{place}.receives") if "receives" in data else None,
        )

    def _mapped(self, data: Any, shared: dict[str, Any], place: str) -> MappedAction:
        own: dict[str, Any] = {}
        if isinstance(data, dict):
            self._only(data, ("name", "arguments"), place)
            own = self._table(data, "arguments", None, place)
            data = data.get("name")
        action = self._action(data, place)
        roots = {argument.name: argument.variable.sort for argument in action.arguments}
        what = f"argument of {action.name}"
        if self._notation.origin is not None:
            what += " (one that a guard says, as in owner = n, is compared in `before`)"
        where = {text: place.removesuffix(".actions") for text in shared} | dict.fromkeys(
            own, place
        )
        return MappedAction(
            action,
            tuple(
                check_of(text, value, roots, what, f"{where[text]}.arguments", self._notation)
                for text, value in {**shared, **own}.items()
            ),
        )

    def _checks(self, data: dict[str, Any], key: str, place: str) -> tuple[Check, ...]:
        found = self._table(data, key, None, place)
        where = f"{self._file}: {place}.{key}"
        return tuple(
            check_of(text, value, self._variables, "variable", where, self._notation)
            for text, value in found.items()
        )

    def _action(self, name: Any, place: str) -> Action:
        if isinstance(name, str) and name in self._actions:
            return self._actions[name]
        near = suggest(str(name), self._actions)
        if (origin := self._notation.origin) is not None and name in origin.names:
            # A step that the constants rule out is none of the model's.
            self._refuse(
                place,
                f"no step of the text at these constants is one of {name}: leave it out here, or "
                f"check the log at constants that allow it ({near})",
            )
        self._refuse(place, f"there is no action {name!r:.60}: {near}")

    def _table(
        self, data: dict[str, Any], key: str, known: Iterable[str] | None, place: str = ""
    ) -> dict[str, Any]:
        found = data.get(key, {})
        where = f"{place}.{key}" if place else key
        if not isinstance(found, dict):
            self._refuse(where, "it is to be a table")
        if known is not None:
            self._only(found, known, where)
        return found

    def _list(self, data: dict[str, Any], key: str, place: str) -> list[Any]:
        found = data.get(key, [])
        if not isinstance(found, list):
            self._refuse(f"{place}.{key}", "it is to be an array")
        return found

    def _loggable(self, data: Any, place: str) -> Any:
        match data:
            case list():
                return [self._loggable(one, place) for one in data]
            case dict():
                return {name: self._loggable(one, place) for name, one in data.items()}
            case float() if not isfinite(data):
                self._refuse(place, f"no log has {data}, which is no number of JSON")
            case str() | bool() | int() | float():
                return data
        self._refuse(place, f'no log has a date or a time: write "{data}", as a log has its text')

    def _text(self, data: Any, place: str) -> str:
        if not isinstance(data, str):
            self._refuse(place, f"{data!r:.60} is no string")
        return data

    def _only(self, data: dict[str, Any], known: Iterable[str], place: str) -> None:
        for key in data:
            if key not in set(known):
                self._refuse(place or "the file", f"unknown key {key!r:.60}: {suggest(key, known)}")

    def _refuse(self, place: str, why: str) -> NoReturn:
        raise MappingError(f"{self._file}: {place}: {why}")
