"""What became of the variants of protocols: which property noticed a fault, and how soon."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from bmc.analysis.mutants import parted
from bmc.evidence.markdown import code, plain, table
from bmc.reports.sweeps.digest import Row, outcome, point


@dataclass(frozen=True)
class Noticed:
    """What is known of a variant: its violations, shortest trace first, and what is open.

    A violation is one of a claim that ``base``, which the variant is one of, keeps at the same
    parameters.
    """

    name: str
    base: str
    violations: Sequence[Row]
    unknown: int
    rows: int

    @property
    def standing(self) -> str:
        """In a word."""
        if self.violations:
            return "noticed"
        return "open" if self.unknown or not self.rows else "unnoticed"


def noticed(names: Sequence[str], rows: Sequence[Row]) -> list[Noticed]:
    """Return what is known of variants, by name."""
    together: dict[str, list[Row]] = defaultdict(list)
    outcomes: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for row in rows:
        together[row["protocol"]].append(row)
        outcomes[row["protocol"], row["property"], point(row)].add(outcome(row))
    found = []
    for name in names:
        base = _base(name, together.keys() | set(names))
        violations, unknown = [], 0
        for row in together[name]:
            became = outcome(row)
            # What the base violates as well says nothing of the variant.
            before = outcomes[base, row["property"], point(row)]
            if "violated" in before:
                continue
            if became == "unknown" or (became == "violated" and before <= {"unknown"}):
                unknown += 1
            elif became == "violated":
                violations.append(row)
        violations.sort(key=lambda row: (row["trace_states"] or 0, row["state_bits"]))
        found.append(Noticed(name, base, violations, unknown, len(together[name])))
    return found


def _base(name: str, asked: Container[str]) -> str:
    """Return the nearest that a variant is one of and that was asked about; else the protocol."""
    base, changed = parted(name)
    while changed and base not in asked:
        base, changed = parted(base)
    return base


def campaign(names: Sequence[str], abouts: Mapping[str, str], rows: Sequence[Row]) -> str:
    """Return a page: a score for each protocol, and a line for each of its variants.

    ``abouts`` says of variants what was changed.
    """
    found = noticed(names, rows)
    by_protocol: dict[str, list[Noticed]] = defaultdict(list)
    for one in found:
        by_protocol[one.base].append(one)
    lines = [
        [name, len(group), *(sum(one.standing == word for one in group) for word in _WORDS)]
        for name, group in by_protocol.items()
    ]
    parts = ["# Campaign", table(["protocol", "variants", *_WORDS], lines)]
    for name, group in by_protocol.items():
        parts.append(f"## {plain(name)}")
        parts.append(
            table(
                ["variant", "of", "noticed by", "states of the trace", "at"],
                [_line(one, abouts.get(one.name, "")) for one in group],
            )
        )
    return "\n\n".join(parts) + "\n"


_WORDS = ("noticed", "unnoticed", "open")


def _line(one: Noticed, about: str) -> list[object]:
    name = code(one.name.removeprefix(one.base)[1:])
    if not one.violations:
        return [name, code(about), one.standing, "", ""]
    first = one.violations[0]
    return [name, code(about), first["property"], first["trace_states"], point(first)]
