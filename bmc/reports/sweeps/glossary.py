"""What the names in a sweep's report mean, for readers who do not know the protocols."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bmc.lang.properties import PropertyDeclaration
from bmc.lang.protocol import parameters_of
from bmc.lang.suite import Suite
from bmc.lang.temporal import TemporalDeclaration
from bmc.reports.sweeps.digest import Row

Meanings = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Glossary:
    """(name, meaning) pairs."""

    protocols: Meanings = ()
    properties: Meanings = ()
    parameters: Meanings = ()

    @staticmethod
    def of(suites: Iterable[Suite], rows: Sequence[Row]) -> Glossary:
        """The names that occur in rows, as far as these suites explain them.

        A parameter's meaning ends with the values it was given.
        """
        suites = [s for s in suites if any(row["protocol"] == s.name for row in rows)]
        stated = {(row["protocol"], row["property"]) for row in rows}
        values: dict[str, set[int]] = defaultdict(set)
        for row in rows:
            for name, value in row["parameters"].items():
                values[name].add(value)
        return Glossary(
            tuple((s.name, s.about) for s in suites),
            _merged(
                (s.name, d.name, _sentence(s, d))
                for s in suites
                for d in _claims(s)
                if (s.name, d.name) in stated
            ),
            _merged(
                (s.name, p.name, f"{p.about}; here {_listed(values[p.name])}")
                for s in suites
                for p in parameters_of(s.protocol)
            ),
        )


_Claim = PropertyDeclaration | TemporalDeclaration


def _claims(suite: Suite) -> tuple[_Claim, ...]:
    return (*suite.properties, *suite.temporal)


def _sentence(suite: Suite, claim: _Claim) -> str:
    refuted = suite.refuted.get(claim.name)
    return claim.text if refuted is None else f"{claim.text} (known to be false: {refuted})"


def _listed(values: Iterable[int]) -> str:
    """``1, 2, 8``, or ``2 to 9`` for a run of more than three."""
    numbers = sorted(values)
    if len(numbers) > 3 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]} to {numbers[-1]}"
    return ", ".join(map(str, numbers))


def _merged(found: Iterable[tuple[str, str, str]]) -> Meanings:
    """One entry a name; where protocols mean different things by it, one for each of them."""
    together: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for protocol, name, meaning in found:
        together[name][meaning].append(protocol)
    return tuple(
        (name if len(meanings) == 1 else f"{name} of {', '.join(protocols)}", meaning)
        for name, meanings in together.items()
        for meaning, protocols in meanings.items()
    )
