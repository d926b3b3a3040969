"""Terms as a person reads them: TLA+'s words, without its prefix junction lists."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from bmc.lang.operator_table import BINDERS, OPERATORS
from bmc.lang.operators import application
from bmc.lang.sorts import SequenceSort, Sort
from bmc.lang.terms import Term, make

# Inside = and # these stand without parentheses, as they do in the certificates that are locked.
_BESIDE = 5
_FACTOR = 7

_EXCERPT = 100
"""Parts of a term that a message has."""

_MOST = 10_000
"""Parts of a term that any text has: shared parts can make more than there is memory for."""


_ESCAPED = str.maketrans(
    {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f"}
)


def show(term: Term, names: Mapping[Term, str] | None = None, brief: bool = False) -> str:
    """The text of a term; ``names`` says what stands for free variables, and for none.

    A ``brief`` text names operators (``MaxSeq(log[n])``) instead of writing out what they mean.
    What comes after ten thousand parts is left out.
    """
    return TermText(names or {}, brief).show(term, 0)


def quoted(text: str) -> str:
    """Return a string of TLA+, on one line."""
    return f'"{text.translate(_ESCAPED)}"'


def visible(text: str) -> str:
    """Return a text with what a terminal obeys, or does not show, as JSON has it: ``\\u001b``."""
    return "".join(one if one.isprintable() else json.dumps(one)[1:-1] for one in text)


def excerpt(term: Term) -> str:
    """Return the text of a term, its end left out where it is long.

    Messages have it, and a term whose parts are shared can have a text of megabytes.
    """
    return TermText({}, brief=False, room=_EXCERPT).show(term, 0)


class TermText:
    """Writes terms; ``names`` are what bound variables are called in the text.

    It writes as many parts as there is ``room`` for, and dots for each further one. A front end
    writes terms in the words of its text by a class of its own.
    """

    _beside = 5
    """Operators up to so much need parentheses before ``\\union {x}`` and ``\\ {x}``."""

    _from_one = False
    """Whether the text counts the places of a sequence from 1. Terms count them from 0."""

    def __init__(self, names: Mapping[Term, str], brief: bool, room: int = _MOST) -> None:
        self.names = dict(names)
        self.brief = brief
        self._room = room

    @property
    def is_cut(self) -> bool:
        """Whether something was left out so far."""
        return self._room < 0

    def sort(self, sort: Sort) -> str:
        """What the values of a sort are called here."""
        return show_sort(sort)

    def name(self, variable: Term) -> str:
        """What a bound variable is called here."""
        data: Any = variable.data
        return self.names.get(variable, str(data[1]))

    @contextmanager
    def named(self, binder: Term) -> Iterator[str]:
        """The name of a binder's variable: not one of a variable that is read inside of it."""
        variable = binder.args[0]
        taken = {self.name(other) for other in binder.free}
        before = dict(self.names)
        self.names.pop(variable, None)
        plain = self.name(variable)
        text, number = plain, 2
        while text in taken:
            text, number = f"{plain}{number}", number + 1
        self.names[variable] = text
        try:
            yield text
        finally:
            self.names = before

    def show(self, term: Term, level: int) -> str:
        """The text of a term where operators up to ``level`` need parentheses.

        Dots where there was enough text before it.
        """
        self._room -= 1
        if self.is_cut:
            return "…"
        applied = application(term) if self.brief else None
        if applied is not None:
            name, arguments = applied
            return f"{name}({', '.join(self.show(a, 0) for a in arguments)})"
        same = _in_another_sort(term) if self.brief else None
        if same is not None:
            return self.show(same, level)
        infix = OPERATORS[term.op].infix
        if infix is not None:
            word, own = infix
            text = f" {word} ".join(self.show(child, own + 1) for child in term.args)
            return _closed(text, own, level)
        if term.op == "not":
            return self._negation(term.args[0], level)
        if term.op in BINDERS or term.op == "ite":
            text = self._conditional(term) if term.op == "ite" else self._binder(term)
            return text if text[0] in "{[" or level == 0 else f"({text})"
        return self.atom(term, level)

    def _negation(self, inner: Term, level: int) -> str:
        match inner.op:
            case "eq":
                left, right = (self.show(child, 5) for child in inner.args)
                return _closed(f"{left} # {right}", _BESIDE, level)
            case "member":
                left, right = (self.show(child, 5) for child in inner.args)
                return _closed(f"{left} \\notin {right}", _BESIDE, level)
            case "is_none":
                return _closed(
                    f"{self.show(inner.args[0], 5)} # {self._none(inner)}", _BESIDE, level
                )
        return f"~{self.show(inner, 7)}"

    def _conditional(self, term: Term) -> str:
        condition, then, otherwise = (self.show(child, 0) for child in term.args)
        return f"IF {condition} THEN {then} ELSE {otherwise}"

    def _binder(self, term: Term) -> str:
        extreme = term.op in ("last", "first")
        over_set = len(term.args) == 3 and not extreme
        domain = self.show(term.args[1], 5) if over_set else self.sort(term.args[0].sort)
        with self.named(term) as name:
            bound = f"{name} \\in {domain}"
            body = self.show(term.args[1] if extreme else term.args[-1], 0)
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
        return f"{term.op.upper()} {bound} : {body} OTHERWISE {self.show(term.args[2], 0)}"

    def atom(self, term: Term, level: int) -> str:
        """The text of a term that is no operator between others, and binds nothing."""
        data: Any = term.data
        match term.op:
            case "bool":
                return "TRUE" if data else "FALSE"
            case "int" | "bound":
                text = str(data)
                return f"({text})" if level > _FACTOR and " " in text else text
            case "enum":
                return f'"{data}"'
            case "variable":
                return f"{data[0]}'" if data[1] else str(data[0])
            case "bound_variable":
                return self.name(term)
            case "none":
                return self.names.get(term, "None")
            case "empty":
                return "<<>>" if isinstance(term.sort, SequenceSort) else "{}"
            case "full":
                return self.sort(getattr(term.sort, "element", term.sort))
            case "narrow" | "some" | "the":
                return self.show(term.args[0], max(level, _FACTOR))
            case "is_none":
                return _closed(f"{self.show(term.args[0], 5)} = {self._none(term)}", _BESIDE, level)
            case "insert" | "remove":
                return self._changed(term, level)
        return self._structure(term)

    def _none(self, asked: Term) -> str:
        """What none is called in the sort of the option that a term asks about."""
        return self.names.get(make("none", (), asked.args[0].sort), "None")

    def _changed(self, term: Term, level: int) -> str:
        whole, element = term.args
        single = f"{{{self.show(element, 0)}}}"
        if term.op == "insert" and whole.op == "empty":
            return single
        word = "\\union" if term.op == "insert" else "\\"
        return _closed(f"{self.show(whole, self._beside)} {word} {single}", 5, level)

    def _structure(self, term: Term) -> str:
        match term.op:
            case "field":
                selected = self._selected(term.args[0].sort, str(term.data))
                return f"{self.show(term.args[0], 7)}{selected}"
            case "at" if self._from_one:
                return f"{self.show(term.args[0], 7)}[{self._from_first(term.args[1])}]"
            case "select" | "at":
                return f"{self.show(term.args[0], 7)}[{self.show(term.args[1], 0)}]"
        parts = [self.show(child, 0) for child in term.args]
        match term.op:
            case "record":
                fields = [n for n, _ in getattr(term.sort, "fields", ())]
                pairs = zip(fields, parts, strict=True)
                return f"[{', '.join(f'{n} |-> {p}' for n, p in pairs)}]"
            case "with_field":
                selected = self._selected(term.args[0].sort, str(term.data))
                return f"[{parts[0]} EXCEPT !{selected} = {parts[1]}]"
            case "store":
                return f"[{parts[0]} EXCEPT ![{parts[1]}] = {parts[2]}]"
            case "inject":
                return f"{term.data}({parts[0]})"
            case "payload":
                return f"As{term.data}({parts[0]})"
            case "is_case":
                return f"Is{term.data}({parts[0]})"
            case "size":
                word = "Len" if isinstance(term.args[0].sort, SequenceSort) else "Cardinality"
                return f"{word}({parts[0]})"
        return f"{OPERATORS[term.op].call or term.op}({', '.join(parts)})"

    def _selected(self, whole: Sort, name: str) -> str:
        """What stands behind a record whose field is read or written."""
        return f".{name}"

    def _from_first(self, place: Term) -> str:
        """A place in a sequence, which is one more where it is counted from 1."""
        data: Any = place.data
        if place.op == "int":
            return str(data + 1)
        if place.op == "sub" and (place.args[1].op, place.args[1].data) == ("int", 1):
            return self.show(place.args[0], 0)
        return f"{self.show(place, _BESIDE)} + 1"


def _in_another_sort(term: Term) -> Term | None:
    """Return what a chain of conditions gives another sort: ``IF x = "a" THEN "a" ELSE …``.

    It ends where there is no value, so it has the value of ``x`` or none. None for other terms.
    """
    whole: Term | None = None
    while term.op == "ite":
        condition, value, term = term.args
        if condition.op != "eq" or value.op != "enum":
            return None
        left, right = condition.args
        if right.op != "enum" or right.data != value.data:
            return None
        if whole is not None and whole is not left:
            return None
        whole = left
    ended = term.op == "the" and term.args[0].op == "none"
    return whole if ended else None


def _closed(text: str, own: int, level: int) -> str:
    return f"({text})" if own < level else text


def show_sort(sort: Sort) -> str:
    """A sort's name, as a binder shows it."""
    return str(sort)


Term.written = excerpt
