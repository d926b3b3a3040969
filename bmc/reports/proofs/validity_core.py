"""Why a proof holds, for a reader: what follows from what, and what is idle."""

from __future__ import annotations

from typing import Any

import networkx as nx

from bmc.analysis.validity_core import ValidityCore
from bmc.engines.explicit import Exploration
from bmc.evidence.certificate import WITHIN_BOUNDS
from bmc.lang.suite import Suite
from bmc.reports.page import Page
from bmc.reports.traces.text import count

_MOST_CLAUSES = 12
"""How many of the clauses that IC3 found are shown as text."""


def proof_account_json(found: ValidityCore) -> dict[str, Any]:
    """An explanation as JSON data."""
    return {
        "claims": {
            claim: {
                "implied": claim in found.implied,
                "of_steps": claim in found.of_steps,
                "needs": list(found.needs.get(claim, ())),
                "behind": list(found.behind(claim)) if claim in found.needs else [],
            }
            for claim in found.claims
        },
        "lemmas": {
            name: list(needs) for name, needs in found.needs.items() if name not in found.claims
        },
        "clauses": dict(found.clauses),
        "k": found.k,
        "redundant": list(found.redundant),
        "minimal": found.minimal,
        "bounds": list(found.bounds),
        "not_explained": list(found.without),
        "vacuity": None if found.vacuity is None else _vacuity_json(found.vacuity),
        "seconds": round(found.seconds, 3),
    }


def _vacuity_json(found: Exploration) -> dict[str, Any]:
    lengths = {n: None if trace is None else len(trace) for n, trace in found.witnesses.items()}
    return {
        "distinct_states": found.distinct_states,
        "complete": found.complete,
        "stopped_because": found.stopped_because,
        "fired": dict(found.fired),
        "witnesses": lengths,
    }


def write_proof_account(page: Page, suite: Suite, found: ValidityCore) -> None:
    """What was proven from what, what was not needed, the bounds, and the vacuity check."""
    page.line(("Why it holds", "bold"))
    page.blank()
    for claim in found.claims:
        _write_claim(page, found, claim)
    _write_lemmas(page, found)
    _write_clauses(page, found)
    idle = [name for name in found.redundant if name not in found.clauses]
    if len(found.redundant) > len(idle):
        idle.append(f"{len(found.redundant) - len(idle)} of IC3's clauses")
    if idle:
        said = "Not needed" if found.minimal else "Not needed (there may be more)"
        page.line(f"  {said}: {', '.join(idle)}")
    needed = [name for name in found.needs if name not in (*found.claims, WITHIN_BOUNDS)]
    if found.minimal and needed:
        one = "The lemma is" if len(needed) == 1 else f"Each of the {len(needed)} lemmas is"
        page.line(f"  {one} needed in this proof: without it what is left is not inductive,")
        page.line("  or the claims do not follow from it.")
    if found.without:
        page.line(
            f"  Left out here (proved at another depth than k = {found.k}, or with other ghosts): "
            f"{', '.join(found.without)}"
        )
    _write_bounds(page, found)
    page.blank()
    if found.vacuity is not None:
        _write_vacuity(page, found.vacuity)
        page.blank()


def _write_claim(page: Page, found: ValidityCore, claim: str) -> None:
    if claim not in found.needs:
        page.line("  ", (claim, "bold"), " is proved; there was no time to say what it leans on")
        return
    needs = [name for name in found.needs[claim] if name != WITHIN_BOUNDS]
    if claim in found.of_steps:
        thanks = f", thanks to {', '.join(needs)} before or after it" if needs else ""
        how = f"holds over every single step{thanks}"
    elif claim in found.implied:
        how = f"follows from {', '.join(needs)}" if needs else "holds in every state of its sorts"
    elif needs:
        how = f"is inductive at k = {found.k} with {', '.join(needs)}"
    else:
        how = f"is inductive at k = {found.k} by itself"
    behind = [name for name in found.behind(claim) if name != WITHIN_BOUNDS]
    further = len(set(behind) - set(needs))
    page.line("  ", (claim, "bold"), f" {how}")
    if further:
        page.line(f"    and behind that stand {count(further, 'further lemma')}")


def _write_lemmas(page: Page, found: ValidityCore) -> None:
    """The lemmas, in an order in which each stands behind what it leans on (or beside it)."""
    lemmas = [n for n in found.needs if n not in found.claims and n != WITHIN_BOUNDS]
    if len(found.clauses) > _MOST_CLAUSES:
        lemmas = [name for name in lemmas if name not in found.clauses]
    if not lemmas:
        return
    graph = found.graph()
    graph.remove_nodes_from([*found.claims, WITHIN_BOUNDS])
    page.blank()
    page.line("  Lemmas, each with what its step leans on:")
    together = nx.condensation(graph)
    width = max(len(name) for name in lemmas)
    for group in reversed(list(nx.topological_sort(together))):
        members = [name for name in lemmas if name in together.nodes[group]["members"]]
        for number, name in enumerate(members):
            needs = [other for other in found.needs[name] if other != WITHIN_BOUNDS]
            bar = " " if len(members) == 1 else "┊"
            said = ", ".join(needs) if needs else "nothing else"
            page.line(f"  {bar} {name.ljust(width)}  {said}")
            if bar == "┊" and number == len(members) - 1:
                page.line("    (those behind the bar lean on each other: proven together)")
    page.blank()


def _write_clauses(page: Page, found: ValidityCore) -> None:
    """What IC3's clauses say, those that the claims lean on first."""
    kept = [name for name in found.clauses if name in found.needs]
    if not kept:
        return
    direct = {name for claim in found.claims for name in found.needs.get(claim, ())}
    page.line(f"  IC3 found {count(len(kept), 'clause')}, up to renaming:")
    shown = sorted(kept, key=lambda name: name not in direct)[:_MOST_CLAUSES]
    width = max(len(name) for name in shown)
    for name in shown:
        page.line(f"    {name.ljust(width)}  {found.clauses[name]}")
    if len(kept) > len(shown):
        page.line(f"    and {count(len(kept) - len(shown), 'further clause')} (all with --json)")
    page.blank()


def _write_bounds(page: Page, found: ValidityCore) -> None:
    if not found.bounds:
        page.line("  No action can leave the model's bounds, whatever the state.")
        return
    thanks = [n for n in found.needs.get(WITHIN_BOUNDS, ()) if n != WITHIN_BOUNDS]
    page.line(f"  Bounds: {', '.join(found.bounds)} could leave them from a state that is not")
    said = f" thanks to {', '.join(thanks)}" if thanks else ""
    page.line(f"  reached. That none does is proven with the rest{said}.")


def _write_vacuity(page: Page, found: Exploration) -> None:
    states = count(found.distinct_states, "state")
    whole = f"all {states}" if found.complete else f"{states}, not all ({found.stopped_because})"
    idle = [name for name, times in found.fired.items() if not times]
    missed = [name for name, trace in found.witnesses.items() if trace is None]
    page.line(("Is it about anything?", "bold"), f" Explored at these parameters: {whole}.")
    happen = f"{len(found.fired) - len(idle)} of {count(len(found.fired), 'action')} happen"
    reached = len(found.witnesses) - len(missed)
    witnessed = f"{reached} of {count(len(found.witnesses), 'witness state')} are reached"
    page.line(f"  {happen}, {witnessed if found.witnesses else 'no witness is stated'}")
    never = "never" if found.complete else "not seen"
    if idle:
        page.line(f"  {never}: ", (", ".join(idle), "bold yellow"))
    if missed:
        page.line(f"  {never} reached: ", (", ".join(missed), "bold yellow"))
