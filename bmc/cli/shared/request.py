"""What a command is asked to do, read from its words: protocol, parameters, properties."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bmc.cli.shared import catalogue, specifications
from bmc.lang.errors import BmcError, ParameterError
from bmc.lang.properties import Kind
from bmc.lang.protocol import parameter_values
from bmc.lang.suite import Suite
from bmc.layout.affordable import require_affordable

_SMALL = 1_000
"""No parameter up to this makes the mere names of a protocol's values too many."""

CLAIMS = (Kind.INVARIANT, Kind.STEP_INVARIANT)


class NothingAsked(BmcError):
    """There is no property to decide, or one that the command cannot decide."""


@dataclass(frozen=True)
class Request:
    """A suite at parameter values, under the name it was asked for by."""

    name: str
    suite: Suite
    parameters: dict[str, int]

    @staticmethod
    def of(name: str, parameters: Iterable[str] | None) -> Request:
        """Look the protocol up and check the parameters.

        Raises UnknownName, UserModelError, ParameterError or TooLarge.
        """
        given = read_parameters(parameters or ())
        if specifications.names_a_specification(name):
            # Its constants are in its name: the model is another one at other constants.
            suite = catalogue.find(specifications.at(name, given))
            return Request(suite.name, suite, {})
        suite = catalogue.find(name)
        values = parameter_values(suite.protocol, given, name)
        if max(values.values(), default=0) > _SMALL:
            # Names and values are listed before a system is built, which looks at its size itself.
            require_affordable(suite.model(False), values)
        return Request(name, suite, values)

    def claims(self, chosen: Sequence[str] | None, everything: bool) -> tuple[str, ...]:
        """The properties to decide: those chosen, or the claims (refuted ones with ``everything``).

        Raises UnknownName, and NothingAsked when there is none or one is a witness.
        """
        if chosen:
            for name in chosen:
                if self.suite.is_temporal(name):
                    raise NothingAsked(
                        f"{name} is a claim about whole behaviours: "
                        f"`bmc prove {self.name} --property {name}` decides it"
                    )
                if self.suite.find(name).kind is Kind.WITNESS:
                    raise NothingAsked(
                        f"{name} is a witness, a state that must be reachable: "
                        f"`bmc explore {self.name} --property {name}` looks for it"
                    )
            return tuple(dict.fromkeys(chosen))
        stated = [d.name for d in self.suite.declared(*CLAIMS)]
        found = [n for n in stated if everything or n not in self.suite.refuted]
        if not found:
            raise NothingAsked(
                f"{self.name} states no invariant: declare one with @invariant(...), "
                "or name a lemma with --property"
            )
        return tuple(found)

    def refuted(self) -> tuple[str, ...]:
        """The published claims that are refuted, in order of declaration."""
        return tuple(d.name for d in self.suite.declared(*CLAIMS) if d.name in self.suite.refuted)


def read_parameters(given: Iterable[str]) -> dict[str, Any]:
    """``name=value`` words as parameters; what is no integer stays a text, for the range check."""
    found: dict[str, Any] = {}
    for word in given:
        name, equals, value = (part.strip() for part in word.partition("="))
        if not name or not equals or not value:
            raise ParameterError(f"{word!r} is not NAME=VALUE: write, for example, -p replicas=3")
        if name in found:
            raise ParameterError(f"{name} is given twice: say it once")
        found[name] = int(value) if re.fullmatch(r"[+-]?[0-9]{1,18}", value) else value
    return found
