"""Files that hold a trace: found out what they are, and read back as states.

Three kinds are known: ITF, the documents of `bmc check`, `prove` and `explore` (``--json``), and
a single trace (what `bmc trace export` and sweeps write). What is read is data; that it is an
execution is for :mod:`bmc.evidence.replay` to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bmc.evidence import untrusted
from bmc.lang.errors import suggest
from bmc.lang.sorts import Sort
from bmc.lang.suite import Suite
from bmc.layout.domain import Value
from bmc.readings.value import ConcreteState
from bmc.reports.traces.itf import ItfParser
from bmc.reports.traces.parsing import Parser, TraceFileError
from bmc.reports.vocabulary import Vocabulary


@dataclass(frozen=True)
class Told:
    """How a file says that a state was reached: None and nothing where it does not.

    ``arguments`` are JSON, as states are.
    """

    action: str | None
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class StoredTrace:
    """A trace as a file has it: what it says it is about, and its states as JSON.

    ``protocol``, ``parameters`` and ``property`` are None where the file does not say.
    ``steps`` are how it says that each of the states was reached.
    """

    file: str
    itf: bool
    protocol: str | None
    parameters: Mapping[str, Any] | None
    property: str | None
    states: tuple[Any, ...]
    steps: tuple[Told, ...]

    def read(self, suite: Suite, words: Vocabulary) -> list[ConcreteState]:
        """Its states, as a suite's model has them; TraceFileError where they are none."""
        parser = self._parser(words)
        names = self._variables(suite)
        found = [_without_meta(data) if self.itf else data for data in self.states]
        return [parser.state(s, names, f"{self.file}, state {i}") for i, s in enumerate(found)]

    def arguments(self, index: int, words: Vocabulary) -> dict[str, Value]:
        """Those that it says the action had that led to a state, whose name is one of the model's.

        TraceFileError where the action has none of that name, or where one is no value.
        """
        told, parser, place = self.steps[index], self._parser(words), f"{self.file}, state {index}"
        sorts = words.action_arguments(told.action or "")
        for name in told.arguments:
            if name not in sorts:
                parser.refuse(place, f"{told.action} has no argument {name}")
        given = told.arguments.items()
        return {name: parser.checked(sorts[name], v, f"{place}, {name}") for name, v in given}

    def _parser(self, words: Vocabulary) -> Parser:
        return ItfParser(words) if self.itf else Parser(words)

    def has_ghosts(self, suite: Suite) -> bool:
        """Whether its states hold the ghosts of the suite's history."""
        ghosts = suite.model(True).ghosts
        first = self.states[0]
        return bool(ghosts) and isinstance(first, dict) and all(name in first for name in ghosts)

    def _variables(self, suite: Suite) -> Mapping[str, Sort]:
        return suite.model(self.has_ghosts(suite)).variables


def _without_meta(data: Any) -> Any:
    """An ITF state without what tools say about it, Quint's `mbt::` variables included."""
    if not isinstance(data, dict):
        return data
    return {n: value for n, value in data.items() if n != "#meta" and not n.startswith("mbt::")}


def read_trace(path: Path, wanted: str | None = None) -> StoredTrace:
    """The trace in a file; of several the one of property ``wanted``.

    Raises TraceFileError when the file cannot be read, holds no trace, or several of which none
    is named.
    """
    try:
        data = untrusted.document(untrusted.text_in(path))
    except OSError as error:
        raise TraceFileError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise TraceFileError(f"{path} is not JSON: it is no text") from None
    except ValueError as error:
        why = str(error)
        if path.suffix in (".html", ".txt"):
            why = "that is for people, and a trace is read again from .itf.json or .json"
        raise TraceFileError(f"{path} is not JSON: {why}") from None
    if not isinstance(data, dict):
        raise TraceFileError(f"{path} holds no trace: it is no JSON object")
    if data.get("loop") is not None:
        raise TraceFileError(
            f"{path} is a lasso, and only finite traces are read back: `bmc prove PROTOCOL "
            "-P CLAIM --trace FILE` writes one in another form, and `bmc regress` keeps one and "
            "takes it again"
        )
    if "states" in data:
        return _itf(str(path), data)
    if "trace" in data:
        return _single(str(path), data, data, data.get("property"))
    if "results" in data:
        return _chosen(str(path), data, wanted)
    raise TraceFileError(
        f"{path} holds no trace: it is neither ITF nor what `bmc check --json` writes"
    )


def _itf(file: str, data: Mapping[str, Any]) -> StoredTrace:
    states = data["states"]
    if not isinstance(states, list) or not states:
        raise TraceFileError(f"{file}: the states of an ITF trace are an array of at least one")
    meta = _object(f"{file}, #meta", data.get("#meta"))
    own = _object(f"{file}, #meta.bmc", meta.get("bmc"))
    metas = [
        _object(f"{file}, state {index}, #meta", state.get("#meta"))
        if isinstance(state, dict)
        else {}
        for index, state in enumerate(states)
    ]
    return StoredTrace(
        file,
        True,
        _text(f"{file}, #meta.bmc.protocol", own.get("protocol")),
        _parameters(f"{file}, #meta.bmc.parameters", own.get("parameters")),
        _text(f"{file}, #meta.bmc.property", own.get("property")),
        tuple(states),
        tuple(_told(file, index, one) for index, one in enumerate(metas)),
    )


def _chosen(file: str, data: Mapping[str, Any], wanted: str | None) -> StoredTrace:
    if not isinstance(data["results"], list):
        raise TraceFileError(f"{file} holds no trace: its results are no array")
    results = [r for r in data["results"] if isinstance(r, dict) and r.get("trace")]
    names = [str(r.get("property")) for r in results]
    if not results:
        raise TraceFileError(f"{file} holds no trace: nothing in it is violated")
    if wanted is None and len(results) > 1:
        raise TraceFileError(f"{file} holds traces of {', '.join(names)}: name one with --property")
    name = wanted or names[0]
    if name not in names:
        raise TraceFileError(f"{file} has no trace of {name!r}: {suggest(name, names)}")
    return _single(file, data, results[names.index(name)], name)


def _single(
    file: str, about: Mapping[str, Any], holder: Mapping[str, Any], name: Any
) -> StoredTrace:
    steps: Sequence[Any] = holder["trace"]
    if not isinstance(steps, list) or not all(isinstance(s, dict) and "state" in s for s in steps):
        raise TraceFileError(f"{file}: a trace is an array of steps, each with a state")
    if not steps:
        raise TraceFileError(f"{file}: the trace has no states")
    return StoredTrace(
        file,
        False,
        _text(f"{file}, protocol", about.get("protocol")),
        _parameters(f"{file}, parameters", about.get("parameters")),
        _text(f"{file}, property", name),
        tuple(step["state"] for step in steps),
        tuple(_told(file, index, step) for index, step in enumerate(steps)),
    )


def _told(file: str, index: int, said: Mapping[str, Any]) -> Told:
    action, arguments = said.get("action"), said.get("arguments")
    place = f"{file}, state {index}"
    if action is not None and not isinstance(action, str):
        raise TraceFileError(f"{place}: an action is a name, and not {action!r}")
    if arguments is not None and not isinstance(arguments, dict):
        raise TraceFileError(f"{place}: an action's arguments are an object, each by its name")
    if arguments and action is None:
        raise TraceFileError(f"{place}: it has arguments of an action that it does not name")
    return Told(action, arguments or {})


# What is of another kind is no part that is left out: taken for one, a violation without a property
# would count as an execution that nothing was asked of.
def _object(place: str, data: Any) -> Mapping[str, Any]:
    if data is not None and not isinstance(data, dict):
        raise TraceFileError(
            f"{place}: expected an object, found {data!r}: correct it or leave it out"
        )
    return data or {}


def _parameters(place: str, data: Any) -> Mapping[str, Any] | None:
    return None if data is None else _object(place, data)


def _text(place: str, data: Any) -> str | None:
    if data is not None and not isinstance(data, str):
        raise TraceFileError(
            f"{place}: expected a name, found {data!r}: correct it or leave it out"
        )
    return data
