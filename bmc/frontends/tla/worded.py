"""A text's words for what its translation is made of: values, steps, formulas and lemmas."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from bmc.lang.properties import Property
from bmc.lang.show import visible
from bmc.lang.sorts import OptionSort, RecordSort, Sort
from bmc.lang.suite import Origin
from bmc.lang.terms import Term, make, subterms

from .forms import ITEM, is_image, is_tuple
from .specification import Specification
from .translate.model import Translation
from .values import selected, show
from .words import Words, fields_of_case, model_values, named_sets

_STANDARD = {
    "Integers": ("-.", re.compile(r"(?<![\w\"])-\d")),
    "Naturals": ("+", re.compile(r"\.\.| ([-+*%<>]|[<>]=|\\div) ")),
    "Sequences": ("Len", re.compile(r"\b(Len|Head|Tail|Append|SubSeq)\(")),
    "FiniteSets": ("Cardinality", re.compile(r"\bCardinality\(")),
}
"""Modules whose operators lemmas are written in: a name that tells each, and where it is read."""


class Worded(Origin):
    """What a specification's text calls what its translation is made of."""

    specification: Specification
    translation: Translation

    def value_text(self, sort: Sort, value: Any) -> str:
        """Return a value as TLC prints it; a word for none of it where no value stands for that."""
        if isinstance(sort, OptionSort) and sort not in self.translation.layout.none:
            return "no value" if value is None else self.value_text(sort.inner, value)
        if is_image(sort):
            assert isinstance(sort, RecordSort)
            return self.value_text(sort.fields[0][1], value[0])
        return visible(show(self.translation.layout.decode(value, sort)))

    def part_text(self, sort: RecordSort, name: str) -> str:
        """Return a field's selection as TLA+ writes it: ``[2]`` of a tuple."""
        if is_image(sort):
            return ""
        return f"[{name.removeprefix(ITEM)}]" if is_tuple(sort) else selected(name)

    def is_listed(self, sort: Sort) -> bool:
        """Tell whether a sort has arguments or members of which walks have met a list."""
        return self.translation.layout.tabled(sort)

    def step_text(self, action: str, arguments: Mapping[str, Any]) -> str:
        """Return a step as TLC names it: ``Elect(s1) line 26, col 5 to …``."""
        translation = self.translation
        taken = next(one for one in translation.model.actions if one.name == action)
        chosen = {one.variable: arguments[one.name] for one in taken.arguments}
        return visible(translation.headings[action].text(translation.layout, chosen))

    def formula_text(self, formula: Term) -> str:
        """Return a formula in the words of the text, as far as the translation kept them."""
        return self._words(formula).show(formula, 0)

    def set_text(self, sort: Sort) -> str:
        return Words(self._sets, self.translation.layout, {}, self.names).sort(sort)

    @cached_property
    def _sets(self) -> dict[frozenset[Any], str]:
        return named_sets(self.specification)

    @cached_property
    def _reserved(self) -> frozenset[str]:
        """What no variable of a lemma is called: a model value may stand beside it."""
        return self.names | model_values(self.specification)

    def _words(self, formula: Term) -> Words:
        return Words(self._sets, self.translation.layout, self._nones(formula), self._reserved)

    @property
    def names(self) -> frozenset[str]:
        """All names of the module, its own and those that it extends."""
        return self.specification.taken

    def configured(self, stated: Property) -> tuple[str, ...]:
        """Return the model values that a lemma names and the module does not, in order."""
        words = self._words(stated.body)
        words.of(stated)
        return tuple(sorted(words.values - self.names))

    def lemma_text(self, stated: Property) -> list[str]:
        """Return a definition to paste, or a comment where the lemma is not one of the text.

        What a lemma says of the cases of a union of anything but records is in the words of the
        translation only. A comment behind the definition tells what it needs beside the text.
        """
        words = self._words(stated.body)
        text = f"{stated.name} == {words.of(stated)}"
        if words.translated or any(_is_translated(term) for term in subterms([stated.body])):
            return [f"\\* not to paste, since it is in the translation's words: {text}"]
        if words.is_cut:
            return [f"\\* not to paste, since it is too long: {text}"]
        lines = [text]
        lacking = [
            one
            for one, (name, sign) in _STANDARD.items()
            if name not in self.names and sign.search(text)
        ]
        if lacking:
            lines.append(f"\\* {stated.name} needs EXTENDS {', '.join(lacking)} in the module")
        if needed := self.configured(stated):
            given = ", ".join(f"{name} = {name}" for name in needed)
            # A constant may not be hidden, not by variables of the text that is there either.
            hiding = [name for name in needed if self._is_written(name)]
            renamed = f"; rename {', '.join(hiding)} where it is bound" if hiding else ""
            lines.append(
                f"\\* {stated.name} needs CONSTANTS {', '.join(needed)} in the module, and {given} "
                f"in its configuration{renamed}"
            )
        return lines

    def _is_written(self, name: str) -> bool:
        """Tell whether a name stands in the text that is no name of the module."""
        word = re.compile(rf"\b{re.escape(name)}\b")
        return any(word.search(text) for text in self.specification.texts.values())

    def _nones(self, formula: Term) -> dict[Term, str]:
        """Return what the text calls the value that each option sort of a formula sets apart."""
        sorts = {one.sort for one in subterms([formula]) if isinstance(one.sort, OptionSort)}
        return {make("none", (), sort): self.value_text(sort, None) for sort in sorts}


def _is_translated(term: Term) -> bool:
    """Tell whether only the translation has words for a term."""
    return term.op == "lookup" or (term.op == "is_case" and not fields_of_case(term))
