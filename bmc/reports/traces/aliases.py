"""What a protocol's aliases are in a state."""

from __future__ import annotations

from itertools import product

from bmc.lang.errors import BoundTooSmall
from bmc.readings.value import ConcreteState, Evaluator
from bmc.reports.notation import value_text
from bmc.reports.vocabulary import Vocabulary

NO_VALUE = "no value"


def derived(words: Vocabulary, state: ConcreteState) -> dict[str, str]:
    """The text of each alias at each choice of its arguments, by ``name[r1]``.

    Empty where the state lacks variables, as the states of another model do.
    """
    if not all(name in state for name in words.variables_of_aliases):
        return {}
    evaluator = Evaluator(words.domains)
    found: dict[str, str] = {}
    for one in words.aliases:
        for values in product(*(words.domains.values(a.sort) for a in one.arguments)):
            environment = dict(zip(one.arguments, values, strict=True))
            shown = (value_text(words, a.sort, v) for a, v in environment.items())
            label = f"{one.name}[{', '.join(shown)}]" if values else one.name
            try:
                value = evaluator.evaluate(one.term, state, environment)
            except BoundTooSmall:
                found[label] = NO_VALUE
            else:
                found[label] = value_text(words, one.term.sort, value)
    return found
