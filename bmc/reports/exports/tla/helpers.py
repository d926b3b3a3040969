"""Operators that expressions of a module lean on."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bmc.reports.exports.tla.names import Names

_HELPERS = {
    "Least": "Least({S}) == CHOOSE {x} \\in {S} : \\A {y} \\in {S} : {x} <= {y}",
    "LeastOr": "LeastOr({S}, {other}) == IF {S} = {{}} THEN {other} ELSE Least({S})",
    "Greatest": "Greatest({S}) == CHOOSE {x} \\in {S} : \\A {y} \\in {S} : {y} <= {x}",
    "GreatestOr": "GreatestOr({S}, {other}) == IF {S} = {{}} THEN {other} ELSE Greatest({S})",
    "The": "The({x}) == CHOOSE {y} \\in {{{x}}} : {y} # None",
    "Within": "Within({x}, {S}) == CHOOSE {y} \\in {{{x}}} : {y} \\in {S}",
    "Having": "Having({x}, {n}, {z}) == CHOOSE {y} \\in {{{x}}} : {y}[{n}] = {z}",
    "Short": "Short({x}, {n}) == CHOOSE {y} \\in {{{x}}} : Len({y}) <= {n}",
    "Few": "Few({x}, {n}) == CHOOSE {y} \\in {{{x}}} : Cardinality({y}) <= {n}",
    "Keyed": "Keyed({S}, {n}) == CHOOSE {x} \\in {{{S}}} : "
    "\\A {y} \\in {x}, {z} \\in {x} : {y}[{n}] = {z}[{n}] => {y} = {z}",
    "Only": "Only({S}) == IF {S} = {{}} THEN None ELSE CHOOSE {x} \\in {S} : TRUE",
}
"""Operators that expressions lean on, in the order of their definition.

What they bind is named by the module, whose constants and sorts may be called `S` and `x`.
"""


def needed_helpers(lines: Iterable[str], names: Names) -> dict[str, str]:
    """Return the definitions that expressions in a module's lines lean on, by their names."""
    text = "\n".join(lines)
    called = {name for name in _HELPERS if re.search(rf"\b{name}\(", text)}
    called |= {name.removesuffix("Or") for name in called}
    with names.bound(["S", "x", "y", "z", "n", "otherwise"]) as found:
        words = dict(zip(("S", "x", "y", "z", "n", "other"), found, strict=True))
        return {name: one.format(**words) for name, one in _HELPERS.items() if name in called}
