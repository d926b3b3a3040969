"""Atoms: the Boolean facts about a state of which clauses are made, each with a stable text.

An atom is a Bool scalar, an integer scalar's "at least n", or an enumeration's or scalarset's
"is this member". All atoms together determine a state. A literal is an atom or its negation; as
a number it is ``index + 1`` or the negative of it, as a text the atom's text, perhaps behind
``"~ "``. Texts are read back by looking them up: nothing but an atom's exact text names it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import assert_never

from bmc.lang.errors import BmcError, LanguageError
from bmc.lang.sorts import EnumSort, IntSort
from bmc.layout.affordable import require_narrow
from bmc.layout.keys import Key, key_text, key_token
from bmc.layout.layouts import Bit, Cases, Layout, Maybe, Number, Row, Slots, Table
from bmc.readings.circuit import Node
from bmc.readings.shapes import Shape
from bmc.system.transition import TransitionSystem

NEGATION = "~ "


class UnknownLiteral(BmcError):
    """A text that is no literal of this model at these parameters."""


@dataclass(frozen=True)
class Atom:
    """One fact: its text, what it is about, the formula, and the scalar it speaks of.

    ``subject`` is the scalar's own text. Of two atoms of one scalar the later one says more.
    """

    text: str
    key: Key
    node: Node
    scalar: int
    subject: str


class Atoms:
    """All atoms of a transition system's state, in a fixed order."""

    def __init__(self, system: TransitionSystem) -> None:
        self._system = system
        self._found: list[Atom] = []
        self._subjects: dict[int, str] = {}
        self.layouts = system.shapes.layouts
        true = system.circuit.true
        for leaf in system.leaves:
            require_narrow(leaf.high - leaf.low + 1)
        for name, sort in system.model.variables.items():
            self._describe(self.layouts.of(sort), system.state[name], name, (name,), true)
        self.all = tuple(self._found)
        self._numbers = {atom.text: i + 1 for i, atom in enumerate(self.all)}
        if len(self._numbers) != len(self.all):
            raise LanguageError("two scalars of the state have one name: rename a field or a value")

    def __len__(self) -> int:
        return len(self.all)

    def node(self, literal: int) -> Node:
        """The formula of a literal."""
        node = self.all[abs(literal) - 1].node
        return node if literal > 0 else self._system.circuit.not_(node)

    def text(self, literal: int) -> str:
        """The text of a literal."""
        return (NEGATION if literal < 0 else "") + self.all[abs(literal) - 1].text

    def literal(self, text: str) -> int:
        """The literal of a text; UnknownLiteral unless it is exactly one's."""
        plain = text.removeprefix(NEGATION)
        number = self._numbers.get(plain)
        if number is None:
            raise UnknownLiteral(f"{text!r} is not a literal of this model's state")
        return number if plain == text else -number

    def clause(self, literals: Iterable[int]) -> Node:
        """The formula of a clause."""
        return self._system.circuit.any(self.node(literal) for literal in literals)

    def subjects(self) -> list[str]:
        """The text of every scalar of the state, by its number."""
        return [self._subjects[leaf.index] for leaf in self._system.leaves]

    def _add(self, text: str, key: Key, node: Node, scalar: Node, subject: str) -> None:
        self._subjects[scalar.data] = subject
        self._found.append(Atom(text, key, node, scalar.data, subject))

    def _describe(
        self, layout: Layout, shape: Shape, text: str, key: tuple[Key, ...], there: Node
    ) -> None:
        """The atoms of one part of the state; ``there`` says where the part is not just filling.

        What is absent holds a default, which for a scalarset is one of its members. A literal
        "is this member" says *there* as well, so that renaming the members maps it to another.
        """
        c, domains = self._system.circuit, self._system.domains
        match layout:
            case Bit():
                self._truth(shape, text, key)
            case Number(sort=IntSort()):
                self._amount(shape, text, key)
            case Number(sort=EnumSort(_, values)):
                self._choice(shape, text, key, [(v, v, c.true) for v in values])
            case Number(sort=members):
                listed = domains.values(members)
                named = [
                    (key_text(domains, members, v), key_token(domains, members, v), there)
                    for v in listed
                ]
                self._choice(shape, text, key, named)
            case Maybe():
                self._truth(shape[0], f"{text}?", (*key, "?"))
                inside = c.and_(there, shape[0])
                self._describe(layout.part, shape[1], f"{text}!", (*key, "!"), inside)
            case Row():
                for name, part, inside in zip(layout.names, layout.parts, shape, strict=True):
                    self._describe(part, inside, f"{text}.{name}", (*key, name), there)
            case Cases():
                tag, contents = shape
                self._choice(tag, f"{text}?", (*key, "?"), [(t, t, c.true) for t in layout.tags])
                cases = zip(layout.tags, layout.parts, contents, strict=True)
                for i, (t, part, inside) in enumerate(cases):
                    chosen = c.and_(there, c.eq(tag, c.number(i)))
                    self._describe(part, inside, f"{text}!{t}", (*key, "!", t), chosen)
            case Table():
                for value, inside in zip(layout.keys, shape, strict=True):
                    name = f"{text}[{key_text(domains, layout.index, value)}]"
                    token = key_token(domains, layout.index, value)
                    self._describe(layout.part, inside, name, (*key, token), there)
            case Slots():
                length, slots = shape
                self._amount(length, f"{text}#", (*key, "#"))
                for i, slot in enumerate(slots):
                    inside = c.and_(there, c.lt(c.number(i), length))
                    self._describe(layout.part, slot, f"{text}[{i}]", (*key, i), inside)
            case _:
                assert_never(layout)

    def _truth(self, shape: Node, text: str, key: Key) -> None:
        if shape.op == "var":
            self._add(text, key, shape, shape, text)

    def _amount(self, shape: Node, text: str, key: tuple[Key, ...]) -> None:
        c = self._system.circuit
        # Derived scalars (the key of a keyed set's element) and constants say nothing new.
        if shape.op == "ivar":
            # With one value it has no atom, and is a scalar all the same.
            self._subjects[shape.data] = text
            for least in range(shape.low + 1, shape.high + 1):
                reached = c.le(c.number(least), shape)
                self._add(f"{text} >= {least}", (*key, ">=", least), reached, shape, text)

    def _choice(
        self,
        shape: Node,
        text: str,
        key: tuple[Key, ...],
        named: list[tuple[str, Key, Node]],
    ) -> None:
        c = self._system.circuit
        if shape.op == "ivar":
            for number, (name, token, there) in enumerate(named):
                chosen = c.and_(there, c.eq(shape, c.number(number)))
                self._add(f"{text} = {name}", (*key, "=", token), chosen, shape, text)
