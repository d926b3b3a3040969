"""The parts of a model by name, so that what changed since the lock can be said.

A part's digest is the fingerprint of a model that has nothing but this part: what a fingerprint
covers, and nothing else, counts as a change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256

from bmc.lang.fingerprint import fingerprint, property_digest, temporal_digest
from bmc.lang.model import Action, Model, Source
from bmc.lang.properties import Kind
from bmc.lang.protocol import Follow, declared_in, parameters_of
from bmc.lang.sorts import Sort
from bmc.lang.state import Branch
from bmc.lang.suite import Suite
from bmc.lang.terms import Term, truth

_DIGITS = 16
TEXT = "text"
"""The kind of the part that is a specification's own text."""
TEMPORAL = "temporal"
"""The kind of the part that is a temporal claim, with the fairness it is made under."""
_STATED = {TEMPORAL, *(kind.value for kind in Kind)}
_LEMMA = Kind.LEMMA.value


@dataclass(frozen=True)
class ChangedPart:
    """A part that is not as the lock knows it.

    ``kind`` and ``name`` say which (``action``, ``BecomeLeader``), ``how`` is ``changed``,
    ``added`` or ``removed``; ``source`` is where it is written now, if that is known.
    """

    kind: str
    name: str
    how: str
    source: Source | None = None


@dataclass(frozen=True)
class Portrait:
    """A suite at parameters as a lock describes it: fingerprints, parts, statements.

    ``statements`` has a digest, and ``sources`` the place, of each property, lemma and temporal
    claim; ``sources`` has the places of actions, too, all by the part's whole name. A temporal
    claim is a part only of a block that holds it, see :meth:`holding`.
    """

    fingerprint: str
    plain_fingerprint: str
    parts: Mapping[str, str]
    statements: Mapping[str, str]
    sources: Mapping[str, Source]

    def holding(self, claims: Iterable[str]) -> Portrait:
        """Return the portrait with those temporal claims among its parts that are stated."""
        stated = [name for name in claims if name in self.statements]
        added = {f"{TEMPORAL} {name}": self.statements[name][:_DIGITS] for name in stated}
        return replace(self, parts={**self.parts, **added})

    def changes(
        self, locked: Mapping[str, str], fingerprint: str, for_all: bool
    ) -> tuple[ChangedPart, ...]:
        """What differs from the parts and the fingerprint in a lock.

        With ``for_all`` the fingerprint is that of the model at the parameters' least values.

        A specification has a part more, the digest of its text: where that is the lock's, the
        text is translated in another way, and nothing that its author wrote has changed.
        """
        text = next((part for part in self.parts if _split(part)[0] == TEXT), None)
        if text is not None and locked.get(text) == self.parts[text]:
            same = self.parts == locked and fingerprint == self.fingerprint
            return () if same else (ChangedPart("translation", _split(text)[1], "changed"),)
        found: list[ChangedPart] = []
        for part in dict.fromkeys([*self.parts, *locked]):
            if _split(part)[0] == TEXT:
                continue
            if self.parts.get(part) == locked.get(part):
                continue
            how = "removed" if part not in self.parts else "changed"
            how = "added" if part not in locked else how
            kind, name = _split(part)
            found.append(ChangedPart(kind, name, how, self.sources.get(part)))
        elsewhere = _STATED if for_all else {*_STATED, "parameter"}
        if fingerprint != self.fingerprint and all(c.kind in elsewhere for c in found):
            found.append(ChangedPart("order", "of actions or variables", "changed"))
        return tuple(found)


def is_of_the_model(change: ChangedPart) -> bool:
    """Whether a change can touch every property, and not only the one that it names."""
    return change.kind not in _STATED or change.kind == _LEMMA


def portrait(suite: Suite, parameters: Mapping[str, int]) -> Portrait:
    """What a lock would say of a suite at parameters."""
    plain, whole = suite.model(False), suite.model(True)
    parts: dict[str, str] = {}
    sources: dict[str, Source] = {}
    for p in parameters_of(suite.protocol):
        parts[f"parameter {p.name}"] = _short(f"{p.default} in {p.low}..{p.high}")
    for name, sort in plain.variables.items():
        parts[f"variable {name}"] = _alone(variables={name: sort})
    for action in (plain.initial, *plain.actions):
        kind = "initial state" if action is plain.initial else "action"
        parts[f"{kind} {action.name}"] = _alone(action=action)
        sources[f"{kind} {action.name}"] = action.source
    parts["constraint"] = _alone(constraint=plain.constraint)
    for name, sort in whole.variables.items():
        if name in whole.ghosts:
            parts[f"ghost {name}"] = _alone(variables={name: sort})
    for action in (whole.initial, *whole.actions):
        if history := _history(action, whole.ghosts):
            parts[f"history of {action.name}"] = _alone(action=history)
            sources[f"history of {action.name}"] = _where_it_follows(suite, action)
    if suite.origin is not None:
        parts[f"{TEXT} {plain.name}"] = suite.origin.digest()[:_DIGITS]
    statements: dict[str, str] = {}
    for declared in (*suite.properties, *suite.lemmas):
        stated = suite.describe(declared, whole)
        statements[declared.name] = property_digest(stated)
        part = f"{declared.kind.value} {declared.name}"
        parts[part] = statements[declared.name][:_DIGITS]
        sources[part] = sources[declared.name] = stated.source
    for claim in suite.temporal:
        described = suite.describe_temporal(claim.name, plain)
        specification = suite.specification(described.specification, plain)
        statements[claim.name] = temporal_digest(described, specification)
        sources[claim.name] = sources[f"{TEMPORAL} {claim.name}"] = described.source
    return Portrait(
        fingerprint(whole, parameters), fingerprint(plain, parameters), parts, statements, sources
    )


_NOTHING = Action("", (), (), Source("", 0))


def _alone(
    *,
    variables: Mapping[str, Sort] | None = None,
    action: Action = _NOTHING,
    constraint: Term | None = None,
) -> str:
    whole = truth(True) if constraint is None else constraint
    model = Model("", (), variables or {}, frozenset(), action, (), whole)
    return fingerprint(model, {})[:_DIGITS]


def _history(action: Action, ghosts: frozenset[str]) -> Action | None:
    """What an action does to the ghosts, if it does anything."""
    branches = [
        Branch((), {n: t for n, t in b.updates.items() if n in ghosts}) for b in action.branches
    ]
    if not any(b.updates for b in branches):
        return None
    return Action(action.name, (), tuple(branches), action.source)


def _where_it_follows(suite: Suite, action: Action) -> Source:
    """Where a suite's history says what an action does to its ghosts."""
    if suite.history is None:
        return action.source
    follows = declared_in(suite.history, Follow).values()
    after = [one.function for one in follows if action.name in one.actions]
    return Source.of(after[0] if after else suite.history.initially)


def _short(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:_DIGITS]


def _split(part: str) -> tuple[str, str]:
    """A part's kind and its name, which has no space in it."""
    kind, _, name = part.rpartition(" ")
    return (kind, name) if kind else (part, "")
