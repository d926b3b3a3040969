"""Why a property is false, as lines of text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bmc.evidence.explanation import Explanation, Truth
from bmc.lang.bounds import Bound
from bmc.lang.quotation import Quotation
from bmc.lang.show import TermText, show
from bmc.lang.sorts import RecordSort, Sort
from bmc.lang.terms import Term
from bmc.layout.domain import Value
from bmc.reports.notation import value_text
from bmc.reports.values import value_json
from bmc.reports.vocabulary import Vocabulary

_WIDEST_FORMULA = 110
_SIGNS = {"eq": "=", "le": "<=", "lt": "<", "member": "\\in", "subset": "\\subseteq"}


@dataclass(frozen=True)
class ExplanationLine:
    """A line of an explanation: an instance that was chosen, or a formula with its truth.

    ``truth`` is None on a line that says an instance. ``values`` are the operands, in the
    formula's own form (``0 < 1``); ``deep`` counts the choices above the line.
    """

    deep: int
    text: str
    truth: Truth | None = None
    values: str = ""


def quotation_lines(found: Quotation) -> list[ExplanationLine]:
    """A quoted conjunct with its place, its instance, and the parts that make it false."""
    first, *others = found.lines
    only = len(found.parts) == 1 and not others and found.parts[0].text == first
    lines = [ExplanationLine(0, found.place if only else f"{found.place}: {first}")]
    lines += [ExplanationLine(0, f"{' ' * (len(found.place) + 2)}{line}") for line in others]
    if found.chosen:
        chosen = ", ".join(f"{name} = {value}" for name, value in found.chosen)
        lines.append(ExplanationLine(1, f"for {chosen}"))
    for part in found.parts:
        truth = Truth.TRUE if part.truth else Truth.FALSE
        lines.append(ExplanationLine(1, part.text, truth, part.values))
    return lines


def explanation_lines(words: Vocabulary, why: Explanation) -> list[ExplanationLine]:
    """The instances and the atoms that make a formula what it is, in the order they are read."""
    return list(_lines(words, why, 0))


def _lines(words: Vocabulary, why: Explanation, deep: int) -> Iterator[ExplanationLine]:
    if why.chosen:
        # The values of quantifiers that stand directly inside each other go on one line.
        chosen = dict(why.chosen)
        while len(why.parts) == 1 and why.parts[0].chosen and not why.more:
            why = why.parts[0]
            chosen |= why.chosen
        yield ExplanationLine(deep, f"for {_choice_text(words, chosen)}")
        deep += 1
    if not why.parts:
        yield _leaf(words, why, deep)
    for part in why.parts:
        yield from _lines(words, part, deep)
    if why.more:
        yield ExplanationLine(
            deep, f"(and {why.more} further instance{'' if why.more == 1 else 's'})"
        )


def _leaf(words: Vocabulary, why: Explanation, deep: int) -> ExplanationLine:
    text = formula_text(words, why.term, why.environment)
    if why.truth is Truth.NO_VALUE:
        return ExplanationLine(deep, text, why.truth, why.reason or "")
    return ExplanationLine(deep, text, why.truth, _values_text(words, why))


def _values_text(words: Vocabulary, why: Explanation) -> str:
    shown = [value_text(words, term.sort, value) for term, value in why.operands]
    sign = _SIGNS.get(why.term.op)
    if sign is not None and len(why.term.args) == 2:
        known = dict(zip((term for term, _ in why.operands), shown, strict=True))
        left, right = (
            known.get(child) or _constant_text(words, child, why.environment)
            for child in why.term.args
        )
        return f"{left} {sign} {right}"
    if why.term.op == "is_none" and shown:
        return f"{shown[0]} = {value_text(words, why.operands[0][0].sort, None)}"
    return ", ".join(shown) if why.term.op not in ("variable", "select", "field") else ""


def _constant_text(words: Vocabulary, term: Term, environment: Mapping[Term, Value]) -> str:
    """A side of a comparison that no state decides: a parameter has its value."""
    if isinstance(term.data, Bound):
        return str(term.data.at(words.domains.parameters))
    return formula_text(words, term, environment)


def formula_text(words: Vocabulary, term: Term, environment: Mapping[Term, Value]) -> str:
    """A formula with values in the place of its free variables."""
    names = {v: value_text(words, v.sort, value) for v, value in environment.items()}
    text = _Brief(words, names).show(term, 0)
    return text if len(text) <= _WIDEST_FORMULA else f"{text[: _WIDEST_FORMULA - 1]}…"


class _Brief(TermText):
    """Writes terms in few words, their fields as the text does that a model was translated from.

    A translated formula shares its parts, and written out it can have more characters than there is
    memory for. Each atom has one at least, so what comes after ``_WIDEST_FORMULA`` of them is not
    written: it would be cut off in any case.
    """

    def __init__(self, words: Vocabulary, names: Mapping[Term, str]) -> None:
        super().__init__(names, brief=True)
        self._words = words
        self._left = _WIDEST_FORMULA
        self._from_one = words.origin is not None

    def show(self, term: Term, level: int) -> str:
        """The text of a term, as long as there is room for it."""
        return super().show(term, level) if self._left > 0 else "…"

    def sort(self, sort: Sort) -> str:
        """What the values of a sort are called in the text that a model was translated from."""
        return self._words.values_of(sort)

    def atom(self, term: Term, level: int) -> str:
        """The text of a term that is no operator between others."""
        self._left -= 1
        if term.op == "none":
            return value_text(self._words, term.sort, None)
        if term.op == "payload" and self._words.origin is not None:
            return self.show(term.args[0], level)
        return super().atom(term, level)

    def _structure(self, term: Term) -> str:
        if term.op == "record" and self._is_tuple(term.sort):
            return f"<<{', '.join(self.show(part, 0) for part in term.args)}>>"
        return super()._structure(term)

    def _is_tuple(self, sort: Sort) -> bool:
        assert isinstance(sort, RecordSort)
        return [self._words.part(sort, name) for name, _ in sort.fields[:1]] == ["[1]"]

    def _selected(self, whole: Sort, name: str) -> str:
        assert isinstance(whole, RecordSort)
        return self._words.part(whole, name)

    def _none(self, asked: Term) -> str:
        return value_text(self._words, asked.args[0].sort, None)


def _choice_text(words: Vocabulary, chosen: Mapping[Term, Value]) -> str:
    return ", ".join(
        f"{show(variable)} = {value_text(words, variable.sort, value)}"
        for variable, value in chosen.items()
    )


def without_value(words: Vocabulary, why: Explanation) -> str | None:
    """The sub-term that has no value, and what is wrong with it; None where there is a value."""
    inner = why.without_value
    if inner is None:
        return None
    text, reason = formula_text(words, inner.term, inner.environment), inner.reason or ""
    return reason if reason.startswith(text) else f"{text} ({reason})"


def explanation_json(words: Vocabulary, why: Explanation) -> dict[str, Any]:
    """An explanation as data: formula, truth, chosen instance, operands' values, parts."""
    return {
        "formula": formula_text(words, why.term, why.environment),
        "truth": why.truth.value,
        "chosen": {show(v): value_json(words, v.sort, value) for v, value in why.chosen.items()},
        "values": [
            {
                "term": formula_text(words, term, why.environment),
                "value": value_json(words, term.sort, value),
            }
            for term, value in why.operands
        ],
        "reason": why.reason,
        "parts": [explanation_json(words, part) for part in why.parts],
        "more": why.more,
    }
