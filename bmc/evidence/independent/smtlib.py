"""Formulas as SMT-LIB 2 text, over bit-vectors or over the integers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum

from bmc.evidence.independent.formula import Formula

_DEEPEST = 24
"""Nesting at which a part gets a name, so that no reader of the text has to recurse deeply."""


class Theory(Enum):
    """What numbers are. The text is the same but for three operators and the literals."""

    BIT_VECTORS = "QF_BV"
    INTEGERS = "QF_LIA"


def script(assertions: Sequence[Formula], expected: str | None, about: str, theory: Theory) -> str:
    """Return a script that asserts the formulas and asks once whether they can be satisfied.

    ``expected`` is ``sat``, ``unsat``, or None where either may be the answer.
    """
    writer = _Writer(assertions, theory)
    head = ["(set-info :smt-lib-version 2.6)", f"(set-info :source |{_quoted(about)}|)"]
    if expected is not None:
        head.append(f"(set-info :status {expected})")
    head.append(f"(set-logic {theory.value})")
    return "\n".join((*head, *writer.lines(), "(check-sat)", "(exit)", ""))


def _quoted(text: str) -> str:
    return "".join(one if one.isprintable() and one not in "|\\" else "/" for one in text)


class _Writer:
    def __init__(self, assertions: Sequence[Formula], theory: Theory) -> None:
        self._assertions = [a for a in assertions if a.op != "true"]
        self._vectors = theory is Theory.BIT_VECTORS
        self._order = list(_below(self._assertions))
        largest = max((max(abs(x.low), abs(x.high)) for x in self._order), default=1)
        self._width = largest.bit_length() + 1
        vectors = {"<=": "bvsle", "+": "bvadd", "-": "bvsub"}
        self._names = vectors if self._vectors else {}
        self._number_sort = f"(_ BitVec {self._width})" if self._vectors else "Int"

    def lines(self) -> Iterable[str]:
        uses: dict[Formula, int] = {}
        for one in self._order:
            for argument in one.args:
                uses[argument] = uses.get(argument, 0) + 1
        text: dict[Formula, str] = {}
        depth: dict[Formula, int] = {}
        for one in self._order:
            if one.op == "constant":
                yield from self._declaration(one)
                text[one] = _symbol(one)
            elif not one.args:
                text[one] = one.op if one.boolean else self._literal(one.low)
            else:
                operator = self._names.get(one.op, one.op)
                text[one] = f"({operator} {' '.join(text[a] for a in one.args)})"
                depth[one] = 1 + max(depth.get(a, 0) for a in one.args)
                if uses.get(one, 0) > 1 or depth[one] > _DEEPEST:
                    sort = "Bool" if one.boolean else self._number_sort
                    name = f"${len(depth)}"
                    yield f"(define-fun {name} () {sort} {text[one]})"
                    text[one], depth[one] = name, 0
        for assertion in self._assertions:
            yield f"(assert {text[assertion]})"

    def _declaration(self, one: Formula) -> Iterable[str]:
        sort = "Bool" if one.boolean else self._number_sort
        name = _symbol(one)
        yield f"(declare-const {name} {sort})"
        if not one.boolean:
            at_most = self._names.get("<=", "<=")
            low, high = self._literal(one.low), self._literal(one.high)
            yield f"(assert ({at_most} {low} {name}))"
            yield f"(assert ({at_most} {name} {high}))"

    def _literal(self, value: int) -> str:
        if self._vectors:
            return f"#b{value & (1 << self._width) - 1:0{self._width}b}"
        return str(value) if value >= 0 else f"(- {-value})"


def _symbol(one: Formula) -> str:
    """Return a constant's name, which is no word of the language and no function of a theory.

    Bars make none of a word: ``|true|`` and ``|repeat|`` are the same symbols as without them. With
    the blank it is one that only bars can write.
    """
    return f"|{one.data} |"


def _below(roots: Iterable[Formula]) -> Iterable[Formula]:
    """Yield all parts of some formulas, each after its arguments."""
    seen: set[Formula] = set()
    stack = [(root, False) for root in reversed(list(roots))]
    while stack:
        one, finished = stack.pop()
        if finished:
            yield one
        elif one not in seen:
            seen.add(one)
            stack.append((one, True))
            stack.extend((a, False) for a in reversed(one.args) if a not in seen)
