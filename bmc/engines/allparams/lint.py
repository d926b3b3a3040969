"""A lint: lemmas in one-step form, which hold at every size and are provable only at fixed ones.

A lemma that relates what stands at ``o`` to what stands at ``o - 1`` needs an induction over
offsets that no solver does. Said of all lower offsets at once it needs none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bmc.lang.properties import Property
from bmc.lang.terms import Term, subterms

_READS = frozenset({"select", "at", "lookup"})


def one_step_lemmas(lemmas: Iterable[Property]) -> list[str]:
    """Names of lemmas that index by a variable and by its neighbour."""
    return [lemma.name for lemma in lemmas if _is_one_step(lemma.body)]


def _is_one_step(body: Term) -> bool:
    keys = {_plain(key) for key in _keys(body)}
    for key in keys:
        if key.op in ("add", "sub"):
            base, step = _plain(key.args[0]), _plain(key.args[1])
            if base.op == "bound_variable" and step.op == "int" and base in keys:
                return True
    return False


def _plain(term: Term) -> Term:
    while term.op == "narrow":
        term = term.args[0]
    return term


def _keys(body: Term) -> Iterator[Term]:
    return (term.args[1] for term in subterms([body]) if term.op in _READS)
