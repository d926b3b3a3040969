"""Terms of a translated model in the words of the text that it was translated from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, cast

from bmc.lang.properties import Property
from bmc.lang.show import TermText, quoted
from bmc.lang.sorts import (
    BOOL,
    EnumSort,
    IntSort,
    RecordSort,
    Scalarset,
    SetSort,
    Sort,
    VariantSort,
)
from bmc.lang.terms import Term

from .forms import is_image, is_optional_image, is_tuple
from .layout import Layout
from .specification import Specification
from .translate.constants import Constants
from .translate.symmetry import atoms
from .values import ModelValue, is_field, selected, show

_LARGEST = 64
"""Members of a set without a name that is written out."""

_COMPARISON = 4
"""How strongly comparisons bind."""
_IN_A_DISJUNCTION, _OPERAND, _CLOSED = 2, 6, 8
"""Where a term stands: beside a ``\\/``, beside an operator between values, in parentheses."""
_BESIDE_NONE = ("mod", "div", "union", "intersection", "difference", "insert", "remove")


class Words(TermText):
    """Writes terms as TLA+; ``names`` has what stands for none in each option sort, ``constants``
    what sets are called.

    A set of a constant's members has the constant's name, and a tuple is written as one. What the
    translation added (the cases of a union of records, the images of a function of varying domain)
    is written as what it holds.
    """

    _beside = _OPERAND
    _from_one = True

    def __init__(
        self,
        constants: Mapping[frozenset[Any], str],
        layout: Layout,
        names: Mapping[Term, str],
        taken: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(names, brief=False)
        self._layout = layout
        self._constants = constants
        self._taken = set(taken)
        self.values: set[str] = set()
        """The model values that were written so far, by name."""
        self.translated = False
        """Whether something was written so far that only the translation has words for."""

    def of(self, stated: Property) -> str:
        """A property: a formula for all values of its arguments."""
        if not stated.arguments:
            return self.show(stated.body, 0)
        bound = []
        with ExitStack() as around:
            for one in stated.arguments:
                name = around.enter_context(self._called(one))
                bound.append(f"{name} \\in {self.sort(one.sort)}")
            return f"\\A {', '.join(bound)} : {self.show(stated.body, 0)}"

    @contextmanager
    def named(self, binder: Term) -> Iterator[str]:
        """The name of a binder's variable: in TLA+ none may hide another."""
        read = frozenset(self.name(other) for other in binder.free)
        with self._called(binder.args[0], read) as name:
            yield name

    @contextmanager
    def _called(self, variable: Term, read: frozenset[str] = frozenset()) -> Iterator[str]:
        before = self.names.get(variable)
        plain = text = str(cast("tuple[int, str]", variable.data)[1])
        number = 2
        while text in self._taken or text in read:
            text, number = f"{plain}{number}", number + 1
        self._taken.add(text)
        self.names[variable] = text
        try:
            yield text
        finally:
            self._taken.discard(text)
            if before is None:
                del self.names[variable]
            else:
                self.names[variable] = before

    def show(self, term: Term, level: int) -> str:
        """The text of a term, with parentheses where TLA+ knows no precedence of two operators."""
        if (term.op == "and" and level == _IN_A_DISJUNCTION) or (
            term.op in _BESIDE_NONE and level >= _OPERAND
        ):
            level = _CLOSED
        return super().show(term, level)

    def _value(self, value: Any) -> str:
        """A value as TLC prints it; what model values it has is remembered."""
        self.values |= {one.name for one in atoms(value) if isinstance(one, ModelValue)}
        return show(value)

    def sort(self, sort: Sort) -> str:
        """The set of a sort's values: the constant that it is, an interval, or written out."""
        if isinstance(sort, IntSort):
            return f"{sort.low}..{sort.high}"
        if isinstance(sort, RecordSort) and is_tuple(sort):
            return "(" + " \\X ".join(self._factor(part) for _, part in sort.fields) + ")"
        if sort == BOOL:
            return "BOOLEAN"
        if isinstance(sort, SetSort):
            members = self.sort(sort.element)
            return f"SUBSET {members if members.isidentifier() else f'({members})'}"
        if not isinstance(sort, EnumSort | Scalarset):
            self.translated = True
            return super().sort(sort)
        values = self._layout.domains.values(sort)
        if len(values) > _LARGEST:
            self.translated = True
            return super().sort(sort)
        held = frozenset(self._layout.decode(value, sort) for value in values)
        return self._constants.get(held) or self._value(held)

    def _factor(self, sort: Sort) -> str:
        """The set of a sort's values beside a ``\\X``, which binds more tightly than ``..``."""
        text = self.sort(sort)
        return f"({text})" if isinstance(sort, IntSort | SetSort) else text

    def atom(self, term: Term, level: int) -> str:
        """The text of a term that is no operator between others."""
        data: Any = term.data
        match term.op:
            case "enum":
                return self._value(self._layout.decode(data, term.sort))
            case "record" if is_image(term.sort):
                return self.show(term.args[0], level)
            case "record" if isinstance(term.sort, RecordSort) and is_tuple(term.sort):
                return f"<<{', '.join(self.show(part, 0) for part in term.args)}>>"
            case "record" if not all(is_field(name) for name in _fields(term.sort)):
                names = map(quoted, _fields(term.sort))
                parts = (self.show(part, _CLOSED) for part in term.args)
                return f"({' @@ '.join(map(' :> '.join, zip(names, parts, strict=True)))})"
            case "field" if is_image(term.args[0].sort):
                return self.show(term.args[0], level)
            case "the" if (image := term.args[0]).op == "select" and is_optional_image(image.sort):
                return super().atom(image, level)
            case "none" | "select" if is_optional_image(term.sort):
                # Of functions that have a value there or none the text compares the values alone.
                self.translated = True
            case "is_none" if (argument := _argument_of(term)) is not None:
                return self._domain("\\notin", argument, level)
            case "inject" | "payload":
                return self.show(term.args[0], level)
            case "is_case" if fields := fields_of_case(term):
                named = ", ".join(f'"{name}"' for name in fields)
                text = f"DOMAIN {self.show(term.args[0], 7)} = {{{named}}}"
                return f"({text})" if level > _COMPARISON else text
        return super().atom(term, level)

    def _selected(self, whole: Sort, name: str) -> str:
        assert isinstance(whole, RecordSort)
        return f"[{_fields(whole).index(name) + 1}]" if is_tuple(whole) else selected(name)

    def _negation(self, inner: Term, level: int) -> str:
        argument = _argument_of(inner)
        if argument is None:
            return super()._negation(inner, level)
        return self._domain("\\in", argument, level)

    def _domain(self, sign: str, argument: tuple[Term, Term], level: int) -> str:
        function, key = (self.show(part, _COMPARISON + 1) for part in argument)
        text = f"{key} {sign} DOMAIN {function}"
        return f"({text})" if level > _COMPARISON else text

    def _none(self, asked: Term) -> str:
        self.translated |= is_optional_image(asked.args[0].sort)
        return super()._none(asked)


def _argument_of(asked: Term) -> tuple[Term, Term] | None:
    """Return function and argument where a term asks if the function has no value there."""
    if asked.op != "is_none":
        return None
    (image,) = asked.args
    whole = is_optional_image(image.sort) and image.op == "select"
    return (image.args[0], image.args[1]) if whole else None


def _fields(sort: Sort) -> tuple[str, ...]:
    assert isinstance(sort, RecordSort)
    return tuple(name for name, _ in sort.fields)


def fields_of_case(term: Term) -> tuple[str, ...]:
    """Return the fields of the records that `is_case` asks for; none where it asks for others."""
    sort = term.args[0].sort
    case = dict(sort.cases)[str(term.data)] if isinstance(sort, VariantSort) else None
    if not isinstance(case, RecordSort) or is_tuple(case) or is_image(case):
        return ()
    return _fields(case)


def named_sets(specification: Specification) -> dict[frozenset[Any], str]:
    """Return the constants that are sets, by what they hold; the first of those that are equal."""
    found: dict[frozenset[Any], str] = {}
    for name, value in _constants(specification):
        if isinstance(value, frozenset):
            found.setdefault(value, name)
    return found


def model_values(specification: Specification) -> frozenset[str]:
    """Return the names of the model values that constants are made of."""
    held = (atoms(value) for _, value in _constants(specification))
    return frozenset(one.name for each in held for one in each if isinstance(one, ModelValue))


def _constants(specification: Specification) -> Iterator[tuple[str, Any]]:
    """Yield each constant that has a value, with it."""
    constants = Constants(specification)
    for name in specification.constants:
        try:
            value = constants.constant_named(name)
        except Exception:
            continue
        yield name, value
