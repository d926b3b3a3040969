"""Terms as a person reads them: TLA+'s words, without its prefix junction lists."""

from __future__ import annotations

from typing import Any

from bmc.lang.sorts import Sort
from bmc.lang.terms import BINDERS, Term

_INFIX = {
    "and": ("/\\", 2),
    "or": ("\\/", 1),
    "implies": ("=>", 0),
    "eq": ("=", 4),
    "le": ("<=", 4),
    "lt": ("<", 4),
    "member": ("\\in", 4),
    "subset": ("\\subseteq", 4),
    "union": ("\\union", 5),
    "intersection": ("\\intersect", 5),
    "difference": ("\\", 5),
    "add": ("+", 6),
    "sub": ("-", 6),
}

_CALLS = {
    "size": "Cardinality",
    "append": "Append",
    "tail": "Tail",
    "take": "Take",
    "lookup": "Lookup",
    "is_none": "IsNone",
    "the": "The",
}


def show(term: Term) -> str:
    """The text of a term."""
    return _show(term, 0)


def _show(term: Term, level: int) -> str:
    if term.op in _INFIX:
        word, own = _INFIX[term.op]
        text = f" {word} ".join(_show(child, own + 1) for child in term.args)
        return f"({text})" if own < level else text
    if term.op == "not":
        return _negation(term.args[0])
    if term.op in BINDERS or term.op == "ite":
        text = _binder(term)
        closed = text[0] in "{["
        return text if closed or level == 0 else f"({text})"
    return _atom(term)


def _negation(inner: Term) -> str:
    match inner.op:
        case "eq":
            return f"{_show(inner.args[0], 5)} # {_show(inner.args[1], 5)}"
        case "member":
            return f"{_show(inner.args[0], 5)} \\notin {_show(inner.args[1], 5)}"
        case "is_none":
            return f"{_show(inner.args[0], 7)} # None"
    return f"~{_show(inner, 7)}"


def _binder(term: Term) -> str:
    body = _show(term.args[-1], 0)
    if term.op == "ite":
        condition, then = (_show(child, 0) for child in term.args[:2])
        return f"IF {condition} THEN {then} ELSE {body}"
    variable = term.args[0]
    domain = _show(term.args[1], 5) if len(term.args) == 3 else show_sort(variable.sort)
    bound = f"{_name(variable)} \\in {domain}"
    match term.op:
        case "forall":
            return f"\\A {bound} : {body}"
        case "exists":
            return f"\\E {bound} : {body}"
        case "choose":
            return f"CHOOSE {bound} : {body}"
        case "filter":
            return f"{{{bound} : {body}}}"
        case "lambda":
            return f"[{bound} |-> {body}]"
        case "union_of":
            return f"UNION {{{body} : {bound}}}"
    bound = f"{_name(variable)} \\in {show_sort(variable.sort)}"
    return f"{term.op.upper()} {bound} : {_show(term.args[1], 0)} OTHERWISE {body}"


def _atom(term: Term) -> str:
    data: Any = term.data
    parts = [_show(child, 0) for child in term.args]
    match term.op:
        case "bool":
            return "TRUE" if data else "FALSE"
        case "int" | "bound":
            return str(data)
        case "enum":
            return f'"{data}"'
        case "variable":
            return f"{data[0]}'" if data[1] else str(data[0])
        case "bound_variable":
            return _name(term)
        case "none":
            return "None"
        case "narrow" | "some":
            return _show(term.args[0], 7)
        case "the":
            return _show(term.args[0], 7)
        case "is_none":
            return f"{_show(term.args[0], 5)} = None"
        case "record":
            fields = [n for n, _ in getattr(term.sort, "fields", ())]
            pairs = zip(fields, parts, strict=True)
            return f"[{', '.join(f'{n} |-> {p}' for n, p in pairs)}]"
        case "field":
            return f"{_show(term.args[0], 7)}.{data}"
        case "with_field":
            return f"[{parts[0]} EXCEPT !.{data} = {parts[1]}]"
        case "store":
            return f"[{parts[0]} EXCEPT ![{parts[1]}] = {parts[2]}]"
        case "select" | "at":
            return f"{_show(term.args[0], 7)}[{parts[1]}]"
        case "inject" | "payload":
            return f"{data}({parts[0]})"
        case "is_case":
            return f"Is{data}({parts[0]})"
        case "empty":
            return "<<>>" if term.sort.name.startswith("Seq") else "{}"
        case "full":
            return show_sort(getattr(term.sort, "element", term.sort))
        case "insert":
            return f"{parts[0]} \\union {{{parts[1]}}}" if parts[0] != "{}" else f"{{{parts[1]}}}"
        case "remove":
            return f"{parts[0]} \\ {{{parts[1]}}}"
    return f"{_CALLS.get(term.op, term.op)}({', '.join(parts)})"


def _name(variable: Term) -> str:
    data: Any = variable.data
    return str(data[1])


def show_sort(sort: Sort) -> str:
    """A sort's name, as a binder shows it."""
    return str(sort)
