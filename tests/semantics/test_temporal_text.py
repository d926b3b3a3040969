"""A printed temporal formula, read back by the precedences of TLA+, means what was printed."""

from __future__ import annotations

import re
from random import Random

from bmc.lang.build import TRUE, argument
from bmc.lang.show import show
from bmc.lang.sorts import BOOL
from bmc.lang.temporal import (
    Both,
    Formula,
    Not,
    Now,
    Taken,
    Until,
    always,
    both,
    either_of,
    entails,
    eventually,
    leads_to,
    never,
    shown,
    until,
)

NAMES = "pqr"
BUILDERS = (
    (both, 3),
    (both, 2),
    (either_of, 1),
    (either_of, 2),
    (either_of, 3),
    (entails, 2),
    (leads_to, 2),
    (until, 2),
    (always, 1),
    (eventually, 1),
    (never, 1),
    (Not, 1),
)
INFIX = {"/\\": both, "\\/": either_of, "=>": entails, "~>": leads_to, "\\U": until}
PREFIX = {"[]": always, "<>": eventually, "~": Not}
TOKEN = re.compile(r"\s*(\[\]|<>|~>|~|/\\|\\/|=>|\\U|\(|\)|[a-z]+)")

Word = list[dict[str, bool]]


def word(name: str) -> Formula:
    return Now(argument(name, BOOL))


def drawn(random: Random, depth: int) -> Formula:
    if depth == 0:
        return word(random.choice(NAMES))
    builder, parts = random.choice(BUILDERS)
    return builder(*(drawn(random, random.randrange(depth)) for _ in range(parts)))  # type: ignore[operator]


class Reader:
    """Reads a text in which no two infix operators stand beside each other without parentheses."""

    def __init__(self, text: str) -> None:
        self.tokens = TOKEN.findall(text)
        assert "".join(self.tokens) == text.replace(" ", "")

    def next(self) -> str:
        return str(self.tokens[0]) if self.tokens else ")"

    def take(self) -> str:
        return str(self.tokens.pop(0))

    def part(self) -> Formula:
        token = self.take()
        if token in PREFIX:
            return PREFIX[token](self.part())
        if token != "(":
            return word(token)
        inner = self.whole()
        assert self.take() == ")"
        return inner

    def whole(self) -> Formula:
        parts, operator = [self.part()], self.next()
        while operator in INFIX and self.next() == operator:
            self.take()
            parts.append(self.part())
        assert self.next() == ")", "operators are mixed"
        if len(parts) == 1:
            return parts[0]
        assert len(parts) == 2 or operator in ("/\\", "\\/")
        return INFIX[operator](*parts)


def holds(formula: Formula, states: Word, loop: int) -> list[bool]:
    """In which states of a word that goes back from its end to ``loop`` a formula holds."""
    match formula:
        case Now(term):
            return [term is TRUE or state[show(term)] for state in states]
        case Not(inner):
            return [not one for one in holds(inner, states, loop)]
        case Both(left, right):
            pairs = zip(holds(left, states, loop), holds(right, states, loop), strict=True)
            return [one and other for one, other in pairs]
        case Until(left, right):
            meanwhile, found = holds(left, states, loop), holds(right, states, loop)
            after = [*range(1, len(states)), loop]
            for _ in states:
                # What follows is looked at first, so a round settles a state at least.
                for place in reversed(range(len(states))):
                    found[place] |= meanwhile[place] and found[after[place]]
            return found
        case Taken():
            raise AssertionError


def test_a_printed_formula_is_read_as_it_was_meant() -> None:
    random = Random(16)
    for _ in range(3000):
        formula = drawn(random, random.randint(1, 4))
        reader = Reader(shown(formula))
        again = reader.whole()
        assert not reader.tokens
        for _ in range(6):
            length = random.randint(1, 5)
            states = [{n: random.random() < 0.5 for n in NAMES} for _ in range(length)]
            loop = random.randrange(length)
            assert holds(formula, states, loop) == holds(again, states, loop), shown(formula)
