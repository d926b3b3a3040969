"""Traces as ITF, the JSON that Apalache and Quint exchange (Apalache's ADR 015).

A value's form follows its sort: integers are ``{"#bigint": "3"}``, sets ``{"#set": …}``, maps
``{"#map": [[key, value], …]}``, sequences arrays, records objects; an option is Quint's variant
``Some``/``None``. Members of scalarsets and enumerations are strings. docs/itf.schema.json says
it formally. What only a reader of bmc needs stands in ``#meta``: protocol, parameters, property,
and of each state its action.
"""

from __future__ import annotations

import re
from typing import Any

from bmc import __version__
from bmc.evidence.trace import Trace
from bmc.lang.sorts import (
    AnySet,
    BoolSort,
    EnumSort,
    IntSort,
    MapSort,
    OptionSort,
    RecordSort,
    Scalarset,
    SequenceSort,
    Sort,
    VariantSort,
    unknown_sort,
)
from bmc.layout.domain import Value
from bmc.reports.traces.parsing import Parser
from bmc.reports.values import members
from bmc.reports.vocabulary import Vocabulary

UNIT: dict[str, list[Any]] = {"#tup": []}
"""The payload of ``None``."""


def itf_json(
    words: Vocabulary, protocol: str, trace: Trace, name: str | None, loop: int | None = None
) -> dict[str, Any]:
    """A trace of a protocol; ``name`` is the property its end violates, or None.

    Of a lasso ``loop`` is the state that follows the last one.
    """
    variables = {n: s for n, s in words.variables.items() if n in trace.steps[0].state}
    return {
        "#meta": {
            "format": "ITF",
            "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
            "description": f"Created by bmc {__version__}",
            "source": protocol,
            "status": "ok" if name is None else "violation",
            "varTypes": {n: type_text(sort) for n, sort in variables.items()},
            "bmc": {"protocol": protocol, "parameters": words.parameters, "property": name},
        },
        "vars": list(variables),
        **({} if loop is None else {"loop": loop}),
        "states": [
            {
                "#meta": {
                    "index": index,
                    "action": step.action,
                    "arguments": {
                        n: itf_value(words, sort, step.arguments[n])
                        for n, sort in words.action_arguments(step.action or "").items()
                        if n in step.arguments
                    },
                },
                **{n: itf_value(words, sort, step.state[n]) for n, sort in variables.items()},
            }
            for index, step in enumerate(trace.steps)
        ],
    }


def itf_value(words: Vocabulary, sort: Sort, value: Value) -> Any:
    """A value as an ITF expression."""
    match sort:
        case OptionSort():
            if value is None:
                return {"tag": "None", "value": UNIT}
            return {"tag": "Some", "value": itf_value(words, sort.inner, value)}
        case IntSort():
            return {"#bigint": str(value)}
        case Scalarset():
            return words.member(sort, value)
        case RecordSort():
            parts = zip(sort.fields, value, strict=True)
            return {name: itf_value(words, part, v) for (name, part), v in parts}
        case VariantSort():
            return {"tag": value[0], "value": itf_value(words, sort.case(value[0]), value[1])}
        case MapSort():
            keys = words.domains.values(sort.key)
            return {
                "#map": [
                    [itf_value(words, sort.key, key), itf_value(words, sort.value, part)]
                    for key, part in zip(keys, value, strict=True)
                ]
            }
        case _ if isinstance(sort, AnySet):
            return {"#set": [itf_value(words, sort.element, v) for v in members(sort, value)]}
        case SequenceSort():
            return [itf_value(words, sort.element, v) for v in value]
        case BoolSort() | EnumSort():
            return value
        case _:
            unknown_sort(sort)


def type_text(sort: Sort) -> str:
    """A sort as a type of Apalache (Snowcat)."""
    match sort:
        case BoolSort():
            return "Bool"
        case IntSort():
            return "Int"
        case EnumSort() | Scalarset():
            return "Str"
        case OptionSort():
            return f"None(UNIT) | Some({type_text(sort.inner)})"
        case RecordSort():
            return f"{{ {', '.join(f'{n}: {type_text(s)}' for n, s in sort.fields)} }}"
        case VariantSort():
            return " | ".join(f"{tag}({type_text(part)})" for tag, part in sort.cases)
        case MapSort():
            return f"({type_text(sort.key)} -> {type_text(sort.value)})"
        case _ if isinstance(sort, AnySet):
            return f"Set({type_text(sort.element)})"
        case SequenceSort():
            return f"Seq({type_text(sort.element)})"
        case _:
            unknown_sort(sort)


class ItfParser(Parser):
    """Reads ITF expressions by their sort, of every dialect in use.

    Integers may be plain numbers, a sequence a tuple, and the payload of ``None`` is whatever a
    tool takes for a unit.
    """

    def value(self, sort: Sort, data: Any, place: str) -> Value:
        """A value of a sort's form; its range is for :meth:`checked`."""
        if isinstance(sort, OptionSort):
            return self._option(sort, data, place)
        if isinstance(sort, SequenceSort) and isinstance(data, dict):
            data = self._under("#tup", data, place)
        return super().value(sort, data, place)

    def _option(self, sort: OptionSort, data: Any, place: str) -> Value:
        parts = self.a(dict, data, place)
        if set(parts) == {"tag", "value"} and parts["tag"] == "None":
            return None
        if set(parts) == {"tag", "value"} and parts["tag"] == "Some":
            return self.value(sort.inner, parts["value"], place)
        self.refuse(place, "an option is a variant, Some or None")

    def integer(self, data: Any, place: str) -> int:
        """``{"#bigint": "3"}``, or a number."""
        if isinstance(data, dict):
            text = self._under("#bigint", data, place)
            if not isinstance(text, str) or not re.fullmatch(r"-?[0-9]{1,18}", text):
                self.refuse(place, f"{text!r:.60} is no integer that fits")
            return int(text)
        return super().integer(data, place)

    def mapping(self, sort: MapSort, data: Any, place: str) -> Value:
        """``{"#map": [[key, value], …]}`` with every key once, in any order."""
        pairs = self.a(list, self._under("#map", data, place), place)
        found: dict[Value, Value] = {}
        for pair in pairs:
            if not isinstance(pair, list) or len(pair) != 2:
                self.refuse(place, "a map is an array of pairs, key and value")
            key = self.checked(sort.key, pair[0], f"{place}, a key")
            if key in found:
                self.refuse(place, f"the key {pair[0]!r:.60} is given twice")
            found[key] = self.value(sort.value, pair[1], f"{place}[{pair[0]!r:.40}]")
        keys = self.words.domains.values(sort.key)
        if len(found) != len(keys):
            self.refuse(place, f"expected a value for each of {len(keys)} keys, found {len(found)}")
        return tuple(found[key] for key in keys)

    def collection(self, element: Sort, data: Any, place: str) -> Value:
        """``{"#set": […]}``."""
        return super().collection(element, self._under("#set", data, place), place)

    def _under(self, mark: str, data: Any, place: str) -> Any:
        if not isinstance(data, dict) or set(data) != {mark}:
            self.refuse(place, f'expected {{"{mark}": …}}, found {data!r:.60}')
        return data[mark]
