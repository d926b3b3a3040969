"""Formulas as text of the language: what a user pastes into a file as a lemma."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from keyword import iskeyword
from typing import Any

import bmc.lang
from bmc.evidence.certificate import formula_text
from bmc.lang.bounds import Bound
from bmc.lang.errors import LanguageError
from bmc.lang.operator_table import OPERATORS
from bmc.lang.properties import Property, PropertyDeclaration
from bmc.lang.protocol import Protocol
from bmc.lang.sorts import IntSort, OptionSort, SetSort, Sort
from bmc.lang.suite import Suite
from bmc.lang.terms import Term

_WIDE = 96

_HIDDEN = {"s", "m", "self", *bmc.lang.__all__}
"""What the text of a lemma itself reads, so that no variable of it may be called so."""


class LemmaText:
    """Writes properties of one suite as its author would.

    Where the protocol's class holds its properties, a lemma is a method to be put beside them;
    else it is a function to be put into the suite's ``lemmas``; a text that the protocol was
    translated from has words of its own. :meth:`imports` are the lines that what was written so
    far needs.
    """

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._protocol = suite.protocol
        self._origin = suite.origin
        self._inside = any(
            isinstance(value, PropertyDeclaration)
            for base in suite.protocol.__mro__
            for value in vars(base).values()
        )
        self._imported: set[tuple[str, str]] = set()
        self._names: dict[Term, str] = {}

    def imports(self) -> list[str]:
        """Import lines, sorted."""
        modules: dict[str, set[str]] = {}
        for module, name in self._imported:
            modules.setdefault(module, set()).add(name)
        return [f"from {m} import {', '.join(sorted(n))}" for m, n in sorted(modules.items())]

    def lemma(self, stated: Property) -> list[str]:
        """The lines of a lemma; where the language has no words for it, a comment that says why."""
        if self._origin is not None:
            return self._origin.lemma_text(stated)
        try:
            return self._declared(stated)
        except LanguageError as error:
            return [f"# not to paste ({error}), {stated.name}: {formula_text(stated)}"]

    def _declared(self, stated: Property) -> list[str]:
        self._names = {}
        names = [
            self._name(argument, stated.arguments[:place])
            for place, argument in enumerate(stated.arguments)
        ]
        sorts = [self._sort(argument.sort) for argument in stated.arguments]
        declared = [f"{n}={s}" for n, s in zip(names, sorts, strict=True)]
        self._import("bmc.lang", "lemma")
        given = ["self" if self._inside else "m", "s", *names]
        return [
            *broken(f"@lemma({', '.join((repr(stated.text), *declared))})", 0),
            f"def {stated.name}({', '.join(given)}):",
            *_returned(self.formula(stated.body)),
        ]

    def formula(self, term: Term) -> str:
        """A formula on one line; evaluating it gives the very term."""
        if self._origin is not None:
            return self._origin.formula_text(term)
        return self._write(term, False)

    def _import(self, module: str, name: str) -> str:
        if not (self._inside and module == self._protocol.__module__):
            self._imported.add((module, name))
        return name

    def _call(self, name: str, *arguments: str) -> str:
        return f"{self._import('bmc.lang', name)}({', '.join(arguments)})"

    def _write(self, term: Term, tight: bool) -> str:
        data: Any = term.data
        match term.op:
            case "variable":
                return f"s.{data[0]}"
            case "bound_variable":
                return self._names.get(term, str(data[1]))
            case "int":
                return str(data)
            case "bool":
                return self._import("bmc.lang", "TRUE" if data else "FALSE")
            case "enum":
                return quoted(data)
            case "bound":
                return self._bound(data)
            case "none":
                return "None"
            case "some" | "narrow":
                return self._write(term.args[0], tight)
            case "field":
                word = iskeyword(data)
                holder = self._write(term.args[0], not word)
                return f"getattr({holder}, {quoted(data)})" if word else f"{holder}.{data}"
            case "select":
                return f"{self._write(term.args[0], True)}[{self._write(term.args[1], False)}]"
            case "is_case" | "payload":
                return self._call(term.op, self._write(term.args[0], False), quoted(data))
            case "empty":
                return self._call("empty", self._sort(term.sort, "self."))
            case "full":
                return self._call(
                    "everything", self._sort(getattr(term.sort, "element", None), "self.")
                )
            case "not":
                return self._negation(term.args[0], tight)
            case "forall" | "exists" | "filter":
                return self._binder(term)
            case "record":
                return self._record(term)
            case "inject":
                payload = self._write(term.args[0], False)
                return self._call("inject", self._sort(term.sort, "self."), quoted(data), payload)
        if _is_optional_member(term):
            option, whole = term.args[0].args[0].args[0], term.args[1].args[1]
            return self._call("member", self._write(option, False), self._write(whole, False))
        written = OPERATORS[term.op].python
        if written is None:
            raise LanguageError(f"there is no text for {term.op!r}: write the lemma by hand")
        if written.isidentifier():
            return self._call(written, *(self._write(a, False) for a in term.args))
        left, right = (self._write(a, True) for a in term.args)
        text = f"{left} {written} {right}"
        return f"({text})" if tight else text

    def _binder(self, term: Term) -> str:
        variable = term.args[0]
        domain = (
            self._write(term.args[1], False)
            if len(term.args) == 3
            else self._sort(variable.sort, "self." if self._inside else "m.")
        )
        word = "filtered" if term.op == "filter" else term.op
        before = dict(self._names)
        name = self._name(variable, term.free)
        body = self._write(term.args[-1], False)
        self._names = before
        return self._call(word, domain, f"lambda {name}: {body}")

    def _name(self, variable: Term, read: Iterable[Term]) -> str:
        """Call a variable so that it hides nothing: no word, and no other one that is read."""
        plain = str(self._write(variable, False))
        plain = f"{plain}_" if plain in _HIDDEN or iskeyword(plain) else plain
        taken = {self._write(other, False) for other in read}
        name, number = plain, 2
        while name in taken:
            name, number = f"{plain}{number}", number + 1
        self._names[variable] = name
        return name

    def _record(self, term: Term) -> str:
        names = [name for name, _ in getattr(term.sort, "fields", ())]
        given = [given_as(n, self._write(a, False)) for n, a in zip(names, term.args, strict=True)]
        return self._call("record", self._sort(term.sort, "self."), *given)

    def _negation(self, inner: Term, tight: bool) -> str:
        if inner.op == "is_none":
            return self._call("is_some", self._write(inner.args[0], False))
        if inner.op == "eq":
            left, right = (self._write(a, True) for a in inner.args)
            return f"({left} != {right})" if tight else f"{left} != {right}"
        return f"~{self._write(inner, True)}"

    def _bound(self, bound: Bound) -> str:
        if bound.coefficients:
            raise LanguageError(f"there is no text for {bound}: write the lemma by hand")
        return str(bound.constant)

    def _sort(self, sort: Sort | None, own: str = "") -> str:
        """A sort's name; ``own`` is what reaches the class from where the text stands."""
        for holder, name in _homes(self._protocol):
            if getattr(holder, name) == sort:
                if not isinstance(holder, type):
                    return self._import(holder.__name__, name)
                if self._inside and holder is self._protocol:
                    return f"{own}{name}"
                return f"{self._import(holder.__module__, holder.__name__)}.{name}"
        match sort:
            case SetSort(element):
                return self._call("SetSort", self._sort(element, own))
            case OptionSort(inner):
                return self._call("OptionSort", self._sort(inner, own))
            case IntSort(name, Bound() as low, Bound() as high):
                return self._call("Integer", quoted(name), self._bound(low), self._bound(high))
        raise LanguageError(f"the sort {sort} has no name: give it one in the protocol's class")


def _is_optional_member(term: Term) -> bool:
    """Whether a term is what ``member`` makes of an option: there is a value, and it is in."""
    if term.op != "and" or len(term.args) != 2 or term.args[1].op != "member":
        return False
    there, inside = term.args[0], term.args[1].args[0]
    if there.op != "not" or there.args[0].op != "is_none" or inside.op != "the":
        return False
    return inside.args[0] is there.args[0].args[0]


def _homes(protocol: type[Protocol]) -> Iterator[tuple[Any, str]]:
    """Where sorts have names: the protocol's classes, the earliest first, then its package."""
    for base in reversed(protocol.__mro__):
        for name, value in vars(base).items():
            if isinstance(value, Sort):
                yield base, name
    packages = {base.__module__.rpartition(".")[0] for base in protocol.__mro__}
    for place, module in sorted(sys.modules.items()):
        if place.rpartition(".")[0] in packages - {"", "bmc.lang", "builtins"}:
            for name, value in list(vars(module).items()):
                if isinstance(value, Sort) and name.isidentifier():
                    yield module, name


def quoted(text: str) -> str:
    """Return a text as Python writes it, in double quotes where it has none itself."""
    return repr(text) if set(text) & {"'", '"'} else f'"{repr(text)[1:-1]}"'


def given_as(name: str, value: str) -> str:
    """Return an argument that is given by its name, also where that is a word of Python's."""
    return f"**{{{quoted(name)}: {value}}}" if iskeyword(name) else f"{name}={value}"


def _returned(text: str) -> list[str]:
    first, *rest = broken(f"return {text}", 4)
    return [first, *rest]


def broken(text: str, indent: int) -> list[str]:
    """Return a line, broken at the commas of its outermost call as often as needed."""
    line = " " * indent + text
    if len(line) <= _WIDE or not text.rstrip(",").endswith(")"):
        return [line]
    comma = "," if text.endswith(",") else ""
    start = text.index("(") + 1
    parts = _arguments(text[start : len(text) - len(comma) - 1])
    if len(parts) < 2:
        return [line]
    inner = [piece for part in parts for piece in broken(f"{part},", indent + 4)]
    return [" " * indent + text[:start], *inner, " " * indent + ")" + comma]


def _arguments(text: str) -> Sequence[str]:
    found, depth, quoted, last = [""], 0, "", ""
    for sign in text:
        if quoted:
            quoted = "" if sign == quoted and last != "\\" else quoted
        elif sign in "'\"":
            quoted = sign
        elif sign in "([":
            depth += 1
        elif sign in ")]":
            depth -= 1
        last = "" if last == "\\" else sign
        if sign == "," and not depth and not quoted:
            found.append("")
        else:
            found[-1] += sign
    return [part.strip() for part in found]
