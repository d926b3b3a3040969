"""Values as TLC prints them: what `bmc export tla` makes of each sort, at one value.

[hw |-> 0, leader |-> None]     a record; a variant has its case in the field `tag`
<<"a", "b">>                    a sequence, or a map from 1, 2, 3 ...
(r1 :> 0 @@ r2 :> 1)            a map from other keys
{r1, r2}                        a set
"""

from __future__ import annotations

from bmc.lang.show import quoted, visible
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
from bmc.reports.exports.tla.sorts import is_flat, tag_of
from bmc.reports.values import members
from bmc.reports.vocabulary import Vocabulary


def tla_text(words: Vocabulary, sort: Sort, value: Value) -> str:
    """Return a value as an expression of TLA+."""
    if words.origin is not None:
        return words.origin.value_text(sort, value)
    match sort:
        case BoolSort():
            return "TRUE" if value else "FALSE"
        case IntSort():
            return str(value)
        case EnumSort():
            # TLA+ has no escape for some letters, and a terminal does as they say.
            return visible(quoted(value))
        case Scalarset():
            return words.member(sort, value)
        case OptionSort():
            return "None" if value is None else tla_text(words, sort.inner, value)
        case RecordSort():
            return _record(_fields(words, sort, value))
        case VariantSort():
            case_, content = value
            payload = sort.case(case_)
            if isinstance(payload, RecordSort) and is_flat(sort, case_):
                held = _fields(words, payload, content)
            else:
                held = {case_: tla_text(words, payload, content)}
            return _record({tag_of(sort): quoted(case_), **held})
        case MapSort():
            keys = words.domains.values(sort.key)
            return _function(words, sort, dict(zip(keys, value, strict=True)))
        case _ if isinstance(sort, AnySet):
            shown = (tla_text(words, sort.element, one) for one in members(sort, value))
            return f"{{{', '.join(shown)}}}"
        case SequenceSort():
            return f"<<{', '.join(tla_text(words, sort.element, one) for one in value)}>>"
        case _:
            unknown_sort(sort)


def _fields(words: Vocabulary, sort: RecordSort, value: Value) -> dict[str, str]:
    parts = zip(sort.fields, value, strict=True)
    return {name: tla_text(words, part, one) for (name, part), one in parts}


def _record(fields: dict[str, str]) -> str:
    return f"[{', '.join(f'{name} |-> {text}' for name, text in fields.items())}]"


def _function(words: Vocabulary, sort: MapSort, graph: dict[Value, Value]) -> str:
    values = [tla_text(words, sort.value, one) for one in graph.values()]
    # TLC prints the function without arguments as the sequence that it is as well.
    if not graph or (isinstance(sort.key, IntSort) and list(graph) == [*range(1, len(graph) + 1)]):
        return f"<<{', '.join(values)}>>"
    keys = [tla_text(words, sort.key, one) for one in graph]
    return f"({' @@ '.join(f'{k} :> {v}' for k, v in zip(keys, values, strict=True))})"
