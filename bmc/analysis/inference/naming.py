"""Names for lemmas, from the words of what they say: ``conclusion_if_premise``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from bmc.lang.terms import Term

_LONGEST = 48
_WORDS = 4
_SILENT = ("element", "item")


def named(bodies: Sequence[Term], taken: Iterable[str], capitals: bool) -> list[str]:
    """Return a name for each formula, none of them ``taken`` and none twice.

    With ``capitals`` they are written ``LikeThis``, as operators of TLA+ are.
    """
    used = set(taken)
    found = []
    for body in bodies:
        words = _sentence(body) or ["always"]
        plain = "".join(w[:1].upper() + w[1:] for w in words) if capitals else "_".join(words)
        name, number = plain, 2
        while name in used:
            name, number = f"{plain}{'' if capitals else '_'}{number}", number + 1
        used.add(name)
        found.append(name)
    return found


def _sentence(body: Term) -> list[str]:
    if body.op != "implies":
        return _short(_words(body))
    premise, conclusion = body.args
    told = [*(_short(_words(conclusion)) or ["same"]), "if", *_short(_words(premise))]
    while len("_".join(told)) > _LONGEST and len(told) > 1:
        told.pop()
    return told[:-1] if told[-1] == "if" else told


def _short(words: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(words))[:_WORDS]


def _words(term: Term) -> Iterator[str]:
    if term.op == "not" and term.args[0].op == "is_none":
        yield from _words(term.args[0].args[0])
        yield "there"
        return
    if term.op in ("not", "is_none", "exists"):
        yield {"not": "not", "is_none": "no", "exists": "some"}[term.op]
    if term.op in ("variable", "field", "enum", "is_case", "payload", "inject"):
        data = term.data[0] if isinstance(term.data, tuple) else term.data
        yield from _split(str(data))
    if term.op == "bound_variable":
        return
    for child in term.args[1:] if term.op in ("forall", "exists") else term.args:
        yield from _words(child)
    if term.op in ("empty", "full"):
        yield {"empty": "empty", "full": "all"}[term.op]


def _split(name: str) -> Iterator[str]:
    for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name):
        if word.lower() not in _SILENT and not word.isdigit():
            yield word.lower()
