"""What a campaign of random walks met: violations, and how often each action happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bmc.evidence.markdown import Markup, code, link, plain, table
from bmc.evidence.wording import count
from bmc.reports.sweeps.digest import point, simulation

Walks = Mapping[str, Any]
"""A row of the walks' job, and what all of its seeds ``met``."""


def walks_page(found: Sequence[Walks]) -> str:
    """Return a page: for each protocol and choice of parameters what the walks met.

    Each of ``found`` has a ``row`` of these walks, the ``claims`` that were watched, and what was
    ``met``: as :class:`bmc.sweep.findings.Findings` is written.
    """
    parts = ["# Random walks"]
    for one in found:
        parts += _of_point(one["row"], one["claims"], one["met"])
    return "\n\n".join(parts) + "\n"


def _of_point(row: Mapping[str, Any], claims: Sequence[str], met: Walks) -> list[str]:
    said = (
        f"{count(met['seeds'], 'seed')}, {count(met['walks'], 'walk')} of up to "
        f"{count(row['bound'], 'step')}, {count(met['steps'], 'step')} in all; "
        f"{count(met['dead_ends'], 'walk')} ended where no step is left."
    )
    if met["stopped_because"] is not None:
        said += f" Not all walks were taken: {met['stopped_because']}."
    seeds = max(1, met["seeds"])
    actions = [
        [code(name), f"{steps:,}", "never" if not steps else f"{met['happened'][name] / seeds:.0%}"]
        for name, steps in met["fired"].items()
    ]
    return [
        f"## {plain(row['protocol'])}, {plain(point(row))}",
        plain(said),
        table(
            ["claim", "violated with", "states of the shortest trace", "trace", "again"],
            [_claim(row, name, met["violated"].get(name)) for name in claims],
        ),
        table(["action", "steps", "of the seeds"], actions),
    ]


def _claim(row: Mapping[str, Any], name: str, found: Mapping[str, Any] | None) -> list[object]:
    if found is None:
        return [code(name), "no seed", "", "", ""]
    trace = Markup(link(found["trace"], found["trace"]))
    again = code(simulation({**row, "property": name, "seeds": str(found["seed"])}))
    return [code(name), count(found["seeds"], "seed"), found["states"], trace, again]
