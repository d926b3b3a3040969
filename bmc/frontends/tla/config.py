"""TLC's configuration files: constants, what is to be checked, and bmc's own notes.

What TLC takes for a comment may be a note for bmc: `\\* bmc: lemma A, B` offers operators for
induction, `\\* bmc: bound clock 0..7` an interval for a variable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from bmc.lang.bounds import LONGEST_NUMBER

from . import core as c
from .errors import Span, TlaError, TlaSyntaxError
from .signs import INFIX, POSTFIX, SAME
from .tree import Name

_LISTS = {
    "INVARIANT": "invariants",
    "INVARIANTS": "invariants",
    "PROPERTY": "properties",
    "PROPERTIES": "properties",
    "CONSTRAINT": "constraints",
    "CONSTRAINTS": "constraints",
    "ACTION_CONSTRAINT": "action_constraints",
    "ACTION_CONSTRAINTS": "action_constraints",
    "INIT": "init",
    "NEXT": "next",
    "SPECIFICATION": "specification",
    "SYMMETRY": "symmetry",
    "VIEW": "view",
    "ALIAS": "alias",
    "POSTCONDITION": "postcondition",
    "_PERIODIC": "periodic",
}
_CONSTANTS = ("CONSTANT", "CONSTANTS")
_DEADLOCK = "CHECK_DEADLOCK"
_SINGLE = (
    *("init", "next", "specification"),
    *("symmetry", "view", "alias", "postcondition", "periodic"),
)
_VALUES = (
    "a value is a number, a string on one line, a name or a set of these; "
    "for any other define an operator Op and write NAME <- Op"
)
_LARGEST = 1_000_000
_DEEPEST = 50

WORDS = (*_LISTS, *_CONSTANTS, _DEADLOCK)
"""What may begin a part of a configuration."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """`name = value`, or `name =[module] value`."""

    name: Name
    module: str | None
    value: c.Expression


@dataclass(frozen=True, slots=True)
class Override:
    """`name <- operator`, or `name <-[module] operator`."""

    name: Name
    module: str | None
    operator: Name


@dataclass(slots=True)
class Config:
    """What a .cfg says; the lists of names are in its order."""

    span: Span
    assignments: list[Assignment] = field(default_factory=list)
    overrides: list[Override] = field(default_factory=list)
    init: list[Name] = field(default_factory=list)
    next: list[Name] = field(default_factory=list)
    specification: list[Name] = field(default_factory=list)
    invariants: list[Name] = field(default_factory=list)
    properties: list[Name] = field(default_factory=list)
    constraints: list[Name] = field(default_factory=list)
    action_constraints: list[Name] = field(default_factory=list)
    symmetry: list[Name] = field(default_factory=list)
    view: list[Name] = field(default_factory=list)
    alias: list[Name] = field(default_factory=list)
    postcondition: list[Name] = field(default_factory=list)
    periodic: list[Name] = field(default_factory=list)
    check_deadlock: bool = True
    lemmas: list[Name] = field(default_factory=list)
    bounds: dict[str, tuple[int, int]] = field(default_factory=dict)


class _Token(NamedTuple):
    kind: str
    text: str
    span: Span


_SIGNS = frozenset((*INFIX, *POSTFIX, *SAME))
_OPERATORS = "|".join(
    re.escape(sign) + ("(?![A-Za-z])" if sign[-1].isalpha() else "")
    for sign in sorted(_SIGNS, key=len, reverse=True)
)
_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<note>\\\*[ \t]*bmc:[^\n]*)|(?P<comment>\\\*[^\n]*)|(?P<open>\(\*)"
    r'|"(?P<string>(?:[^"\\\n]|\\["\\tnfr])*)"|(?P<number>-?[0-9]+(?![A-Za-z_0-9]))|(?P<name>[A-Za-z0-9_!]+)'
    rf"|(?P<sign><-|[={{}}\[\],])|(?P<operator>{_OPERATORS})"
)
_EDGE = re.compile(r"\(\*|\*\)")
_NOTE_LEMMA = re.compile(r"lemmas?\s+(.*)")
_NOTE_BOUND = re.compile(r"bound\s+(\w+)\s+(-?\d+)\s*\.\.\s*(-?\d+)")


def read_config(path: Path) -> Config:
    """Return what a configuration file says. Raises TlaSyntaxError, or TlaError: unreadable."""
    file = str(path)
    start = Span(file, 1, 1, 1, 1)
    try:
        with path.open(encoding="utf-8") as stream:
            # A device may have no end.
            text = stream.read(_LARGEST + 1)
    except OSError as error:
        raise TlaError(
            start,
            f"cannot read the configuration: {error.strerror}",
            "name the one to use with --config FILE.cfg",
        ) from None
    except UnicodeDecodeError:
        raise TlaError(start, "the file is not UTF-8", "save it as UTF-8") from None
    return parse_config(text, file)


def parse_config(text: str, file: str) -> Config:
    """Return what the text of a configuration says. Raises TlaSyntaxError."""
    if len(text) > _LARGEST:
        raise TlaSyntaxError(
            Span(file, 1, 1, 1, 1),
            f"a configuration of more than {_LARGEST} characters is not read",
        )
    return _Reader(text, file).config()


class _Reader:
    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.found = Config(Span(file, 1, 1, 1, 1))
        self.tokens = list(self._scan())
        self.at = 0

    def _scan(self) -> Iterator[_Token]:
        text, position, line, start = self.text, 0, 1, 0
        while position < len(text):
            match = _TOKEN.match(text, position)
            column = position - start + 1
            if match is None:
                here = Span(self.file, line, column, line, column + 1)
                raise self.meaningless(here, text[position])
            kind, end = str(match.lastgroup), match.end()
            span = Span(self.file, line, column, line, column + end - position)
            if kind == "open":
                end = self._comment_end(position, span)
            elif kind == "note":
                self._note(match.group().partition("bmc:")[2].strip(), span)
            elif kind not in ("space", "comment"):
                yield _Token(kind, match[kind], span)
            breaks = text.count("\n", position, end)
            if breaks:
                line += breaks
                start = text.rfind("\n", position, end) + 1
            position = end
        column = len(text) - start + 1
        yield _Token("end", "the end of the file", Span(self.file, line, column, line, column))

    def _comment_end(self, position: int, span: Span) -> int:
        depth = 0
        while True:
            edge = _EDGE.search(self.text, position)
            if edge is None:
                raise self.error(span, "this comment has no end: close it with *)")
            depth += 1 if edge.group() == "(*" else -1
            position = edge.end()
            if depth == 0:
                return position

    def _note(self, note: str, span: Span) -> None:
        lemma, bound = _NOTE_LEMMA.fullmatch(note), _NOTE_BOUND.fullmatch(note)
        if lemma is not None:
            names = [name for name in re.split(r"[,\s]+", lemma[1]) if name]
            self.found.lemmas += [Name(span, name) for name in names]
        elif bound is not None:
            low, high = (self._integer(end, span) for end in bound.groups()[1:])
            if self.found.bounds.setdefault(bound[1], (low, high)) != (low, high):
                raise self.error(span, f"the bound of {bound[1]} is given twice", "say it once")
        else:
            raise self.error(
                span,
                f"bmc does not know the note {note!r}",
                "lemma NAME, … or bound NAME LOW..HIGH",
            )

    def error(self, span: Span, message: str, hint: str = "") -> TlaSyntaxError:
        line = self.text.split("\n")[span.line - 1].rstrip("\r")
        return TlaSyntaxError(span, message, hint, line)

    def meaningless(self, span: Span, sign: str) -> TlaSyntaxError:
        return self.error(span, f"{sign!r} begins nothing in a configuration", _VALUES)

    @property
    def next(self) -> _Token:
        return self.tokens[self.at]

    def take(self) -> _Token:
        token = self.next
        if token.kind != "end":
            self.at += 1
        return token

    def sees(self, sign: str) -> bool:
        return self.next.kind == "sign" and self.next.text == sign

    def accept(self, sign: str) -> bool:
        if self.sees(sign):
            self.at += 1
            return True
        return False

    def expect(self, sign: str) -> None:
        if not self.accept(sign):
            raise self.error(self.next.span, f"expected {sign}, found {self.next.text}")

    def operator(self) -> Name:
        """A name, or the sign of an operator such as `\\prec`, in its one spelling."""
        if self.next.kind != "operator":
            return self.name()
        token = self.take()
        return Name(token.span, SAME.get(token.text, token.text))

    def name(self) -> Name:
        token = self.take()
        if token.kind != "name":
            hint = "leave it out: a space or a new line is enough" if token.text == "," else ""
            raise self.error(token.span, f"expected a name, found {token.text}", hint)
        if token.text in ("TRUE", "FALSE"):
            hint = f"define an operator, such as Always == {token.text}, and write its name here"
            raise self.error(token.span, f"expected a name, found {token.text}", hint)
        return Name(token.span, token.text)

    @property
    def at_keyword(self) -> bool:
        token = self.next
        return token.kind == "end" or (
            token.kind == "name" and token.text in (*_LISTS, *_CONSTANTS, _DEADLOCK)
        )

    def config(self) -> Config:
        deadlock_is_said = False
        while self.next.kind != "end":
            token = self.take()
            if token.kind == "name" and token.text in _CONSTANTS:
                while not self.at_keyword:
                    self._constant()
            elif token.kind == "name" and token.text in _LISTS:
                kind = _LISTS[token.text]
                names: list[Name] = getattr(self.found, kind)
                while not self.at_keyword:
                    names.append(self.name())
                if kind in _SINGLE and not names:
                    hint = f"write its name behind {token.text}, or leave {token.text} out"
                    raise self.error(self.next.span, f"{token.text} names no operator", hint)
                if kind in _SINGLE and len(names) > 1:
                    raise self.error(names[1].span, f"{token.text} is given twice")
            elif token.kind == "name" and token.text == _DEADLOCK:
                value = self.take()
                if value.text not in ("TRUE", "FALSE"):
                    raise self.error(value.span, "CHECK_DEADLOCK is TRUE or FALSE")
                if deadlock_is_said:
                    raise self.error(token.span, "CHECK_DEADLOCK is given twice")
                deadlock_is_said = True
                self.found.check_deadlock = value.text == "TRUE"
            else:
                raise self.error(
                    token.span,
                    f"{token.text} is no word of a configuration",
                    "a section begins with CONSTANT, SPECIFICATION, INIT, NEXT, INVARIANT, "
                    "PROPERTY, CONSTRAINT, ACTION_CONSTRAINT, SYMMETRY, VIEW, ALIAS, "
                    "POSTCONDITION or CHECK_DEADLOCK",
                )
        self._check()
        return self.found

    def _check(self) -> None:
        found = self.found
        if found.specification and (found.init or found.next):
            raise self.error(
                found.specification[0].span,
                "SPECIFICATION is given beside INIT and NEXT",
                "leave out the one or the other",
            )
        if bool(found.init) != bool(found.next):
            one = (found.init or found.next)[0]
            raise self.error(one.span, "INIT and NEXT are given together, or SPECIFICATION")

    def _constant(self) -> None:
        name = self.operator()
        if self.accept("<-"):
            module = self._module()
            self.found.overrides.append(Override(name, module, self.operator()))
            return
        if name.text in _SIGNS:
            raise self.meaningless(name.span, name.text)
        if self.sees("["):
            raise self.error(self.next.span, "expected = or <- before the module")
        if not self.accept("="):
            raise self.error(
                self.next.span, f"expected {name.text} = value, or {name.text} <- Operator"
            )
        place = (name.text, module := self._module())
        # TLC takes the last one, so another number has to take that one's place.
        others = [o for o in self.found.assignments if (o.name.text, o.module) != place]
        self.found.assignments = [*others, Assignment(name, module, self._value(0))]

    def _module(self) -> str | None:
        if not self.accept("["):
            return None
        module = self.name().text
        self.expect("]")
        return module

    def _integer(self, digits: str, span: Span) -> int:
        """A number, also of a note; Python itself reads none of some thousand digits."""
        if len(digits) > LONGEST_NUMBER:
            raise self.error(span, f"a number of more than {LONGEST_NUMBER} digits is not read")
        return int(digits)

    def _value(self, depth: int) -> c.Expression:
        token = self.take()
        if depth > _DEEPEST:
            raise self.error(token.span, f"a value nested deeper than {_DEEPEST} is not read")
        match token.kind:
            case "number":
                return c.IntegerLiteral(token.span, self._integer(token.text, token.span))
            case "string":
                return c.StringLiteral(token.span, token.text)
            case "name" if token.text in ("TRUE", "FALSE"):
                return c.BooleanLiteral(token.span, token.text == "TRUE")
            case "name":
                return c.ModelValueLiteral(token.span, token.text)
        if token.kind == "operator":
            raise self.meaningless(token.span, token.text)
        if token.kind != "sign" or token.text != "{":
            raise self.error(token.span, f"expected a value, found {token.text}")
        elements: list[c.Expression] = []
        if not self.accept("}"):
            elements.append(self._value(depth + 1))
            while self.accept(","):
                elements.append(self._value(depth + 1))
            self.expect("}")
        return c.SetEnumeration(token.span, tuple(elements))
