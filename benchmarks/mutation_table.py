"""Which property of a protocol notices a fault in it: every mutant, explored at small parameters.

    python benchmarks/mutation_table.py                 all protocols below, into docs/protocols.md
    python benchmarks/mutation_table.py kafka           one of them, to stdout
    python benchmarks/mutation_table.py --seconds 20    the most that one exploration may take

All reachable states of each mutant are enumerated, so a trace is a shortest one and "unnoticed"
is a fact at these parameters. A mutant is *the same* if it only weakens a guard and yet reaches as
many states by as many steps as the protocol does: then each of its steps is one of the protocol.
It is *stricter* if its guard only allows less: then, too. It is *less* if an action that happens in
the protocol never happens in it: no claim about states can notice that, `bmc cover` does.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from bmc.analysis.mutants import Fault, faults, mutated
from bmc.cli.shared import catalogue
from bmc.engines.explicit import explore
from bmc.engines.exploration import Exploration
from bmc.engines.task import Task
from bmc.evidence.markdown import code, table
from bmc.lang.errors import BmcError, LanguageError
from bmc.lang.properties import Kind
from bmc.lang.suite import Suite

PAGE = Path(__file__).resolve().parents[1] / "docs" / "protocols.md"
BEGIN, END = "<!-- begin mutants -->\n", "<!-- end mutants -->\n"
CHOICES: Mapping[str, Sequence[Mapping[str, int]]] = {
    "kafka-kip320": [
        {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 1},
        {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2},
        {"replicas": 3, "log_size": 2, "max_records": 1, "max_leader_epoch": 2},
    ],
    "id-sequence": [{"max_id": 4}],
    "replicated-log": [{"replicas": 2, "log_size": 2, "log_records": 2}],
}
"""Parameters at which a protocol's actions all happen, and an exploration takes a second or so;
then larger ones for what nothing has noticed."""


@dataclass(frozen=True)
class Found:
    """What became of a mutant."""

    fault: Fault
    word: str
    by: str = ""
    states: int | None = None


def claims(suite: Suite, lemmas: bool = False) -> tuple[str, ...]:
    """What holds of the protocol, and should not of a mutant; or the lemmas without history."""
    model = suite.model(ghosts=False)
    kinds = (Kind.LEMMA,) if lemmas else (Kind.INVARIANT, Kind.STEP_INVARIANT)
    found = []
    for declared in suite.declared(*kinds):
        with suppress(LanguageError):
            suite.describe(declared, model)
            found.append(declared.name)
    return tuple(name for name in found if name not in suite.refuted)


def explored(
    suite: Suite, values: Mapping[str, int], names: tuple[str, ...], seconds: float
) -> Exploration:
    """All reachable states, or those that a time allows."""
    return explore(Task(suite, values, names, timeout=seconds))


def judged(suite: Suite, whole: Exploration, fault: Fault, seconds: float) -> Found:
    """Explore a mutant: at small parameters, then at larger ones, if nothing has noticed it."""
    claimed, lemmas = claims(suite), claims(suite, lemmas=True)
    mutant, found, by_lemma = mutated(suite, fault.name), whole, None
    for values in CHOICES[suite.name]:
        try:
            found = explored(mutant, values, (*claimed, *lemmas), seconds)
        except BmcError as error:
            return Found(fault, "noticed", type(error).__name__)
        noticed = {name: len(trace) for name, trace in found.violations.items()}
        if found.overflow is not None:
            noticed["WithinBounds"] = len(found.overflow)
        ordered = sorted(noticed, key=lambda name: (noticed[name], name))
        if by := [name for name in ordered if name not in lemmas]:
            return Found(fault, "noticed", by[0], noticed[by[0]])
        if ordered:
            by_lemma = Found(fault, "by a lemma", ordered[0], noticed[ordered[0]])
        at_first = values is CHOICES[suite.name][0]
        if at_first and (other := _unnoticeable(fault, whole, found)) is not None:
            return by_lemma or other
    if by_lemma is not None:
        return by_lemma
    return Found(fault, "unnoticed" if found.complete else "open", found.stopped_because or "")


def _unnoticeable(fault: Fault, whole: Exploration, found: Exploration) -> Found | None:
    """What no claim about states can notice: a mutant whose steps are all the protocol's."""
    if fault.strengthens:
        return Found(fault, "stricter")
    same = (found.distinct_states, found.generated_states, found.fired) == (
        whole.distinct_states,
        whole.generated_states,
        whole.fired,
    )
    if fault.weakens and same:
        return Found(fault, "the same")
    if missing := [name for name, times in whole.fired.items() if times and not found.fired[name]]:
        return Found(fault, "less", ", ".join(missing))
    return None


def section(name: str, seconds: float) -> str:
    """A protocol's table."""
    suite = catalogue.find(name)
    values = CHOICES[name][0]
    whole = explored(suite, values, claims(suite), 10 * seconds)
    assert whole.complete, (name, whole.stopped_because)
    assert not whole.violations, (name, list(whole.violations))
    began, outcomes = monotonic(), []
    for fault in faults(suite.model(ghosts=False)):
        outcomes.append(judged(suite, whole, fault, seconds))
        one = outcomes[-1]
        print(f"{monotonic() - began:7.1f} {fault.name} {one.word} {one.by}", file=sys.stderr)
    return written(name, values, whole, outcomes)


def written(
    name: str, values: Mapping[str, int], whole: Exploration, outcomes: Sequence[Found]
) -> str:
    """The table in Markdown."""
    counts = Counter(one.word for one in outcomes)
    real = len(outcomes) - counts["the same"]
    at = " ".join(f"{key}={value}" for key, value in values.items())
    by = Counter(one.by for one in outcomes if one.word == "noticed")
    said = ", ".join(f"{property} {n}" for property, n in by.most_common())
    lines = [
        [code(one.fault.name), code(one.fault.about), one.word, one.by, one.states or ""]
        for one in outcomes
        if one.word != "noticed"
    ]
    larger = CHOICES[name][1:]
    return (
        f"### {name}\n\nAt {at} ({whole.distinct_states:,} states)"
        f"{', and what nothing notices there at larger ones' if larger else ''}: {len(outcomes)} "
        f"mutants, of which {counts['the same']} are the same and {counts['stricter']} stricter; "
        f"of the other {real - counts['stricter']}, {counts['noticed']} are noticed by a claim, "
        f"{counts['by a lemma']} by a lemma, {counts['less']} by an action that no longer "
        f"happens, and {counts['unnoticed'] + counts['open']} by nothing. First noticed by: "
        f"{said}.\n\n{table(['mutant', 'of', 'standing', 'by', 'states'], lines)}\n"
    )


def main() -> None:
    """Explore, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("protocol", nargs="?", choices=list(CHOICES))
    parser.add_argument("--seconds", type=float, default=60.0)
    asked = parser.parse_args()
    names = [asked.protocol] if asked.protocol else list(CHOICES)
    text = "\n".join(section(name, asked.seconds) for name in names)
    if asked.protocol:
        print(text)
        return
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main()
