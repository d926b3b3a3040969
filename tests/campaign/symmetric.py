"""Every engine on random protocols of symmetric processes, beside brute force.

Claims and ranks are of one process: ranks lean on fairness to each (``per``), to the claim's own
process, to the holder, and to wrong ones. Proofs at all parameters are held against three sizes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from bmc.engines.allparams.ranked import prove_by_rankings_for_all
from bmc.engines.liveness.decide import decide
from bmc.engines.liveness.lasso_search import search_lassos
from bmc.engines.liveness.monitored import prove_by_monitor
from bmc.engines.liveness.question import Question
from bmc.engines.liveness.ranked import prove_by_ranking
from bmc.evidence.certify import certify
from bmc.evidence.independent.judge import judge
from bmc.evidence.verdict import Verdict
from bmc.lang import (
    BOOL,
    Integer,
    MapSort,
    Parameter,
    Protocol,
    Scalarset,
    SetSort,
    Suite,
    Variable,
    action,
    empty,
    exists,
    filtered,
    forall,
    insert,
    ite,
    mapping,
    member,
    remove,
    size,
)
from bmc.lang.ranking import RankingDeclaration, helpful, rank
from bmc.lang.temporal import (
    Fairness,
    Specification,
    TemporalDeclaration,
    always,
    eventually,
    leads_to,
)
from bmc.readings.quantified.structures import NotQuantified
from tests.campaign.engines import Disagreement
from tests.campaign.symmetric_plans import LAST, TOP, Act, Atom, Plan, claim_holds, plan_of
from tests.campaign.symmetric_texts import configuration, text
from tests.campaign.temporal import Nobody, agree
from tests.cli.running import bmc

NODES = Parameter("nodes", default=2, low=1, high=3, about="processes")
Node = Scalarset("Node", NODES)
Level = Integer("Level", 0, TOP)
Number = Integer("Number", 0, LAST)


def said(atom: Atom, s: Any, given: dict[str, Any]) -> Any:
    """A formula in bmc's words."""
    kind, *parts = atom
    match kind:
        case "true":
            return s.f == s.f
        case "not":
            return ~said(parts[0], s, given)
        case "and":
            return said(parts[0], s, given) & said(parts[1], s, given)
        case "or":
            return said(parts[0], s, given) | said(parts[1], s, given)
        case "level":
            return s.st[given[parts[0]]] == parts[1]
        case "below":
            return s.st[given[parts[0]]] < parts[1]
        case "holds":
            return s.h == given[parts[0]]
        case "in":
            return member(given[parts[0]], s.w)
        case "number":
            return s.n == parts[0]
        case "flag":
            return s.f
        case "same":
            return given[parts[0]] == given[parts[1]]
        case "all":
            return forall(Node, lambda r: s.st[r] >= parts[0])
        case "any":
            return exists(Node, lambda r: (s.st[r] == parts[0]) & ~member(r, s.w))
        case _:
            raise AssertionError(kind)


def suite_of(plan: Plan) -> Suite:
    """The protocol as a user's class, with its claim and rankings."""
    body: dict[str, Any] = {
        "nodes": NODES,
        "st": Variable(MapSort(Node, Level)),
        "h": Variable(Node),
        "w": Variable(SetSort(Node)),
        "n": Variable(Number),
        "f": Variable(BOOL),
    }

    def Init(self: Any, s: Any, p: Any) -> None:
        s.st = mapping(Node, lambda r: ite(r == p, 1, 0) if plan.several else 0, Level)
        s.h, s.w, s.n, s.f = p, empty(SetSort(Node)), 0, False

    body["Init"] = action(p=Node)(Init)
    made = []
    for act in plan.acts:
        body[act.name] = _method(act)
        made.append(body[act.name])
    body["Next"] = tuple(made)
    conditions = tuple(
        Fairness(one.fair[0], (one.name,), ("p",) if one.fair[1] else ())
        for one in plan.acts
        if one.fair is not None
    )
    sorts = dict.fromkeys(plan.names, Node)
    return Suite(
        "Symmetric",
        type("Symmetric", (Protocol,), body),
        "drawn",
        (),
        (),
        temporal=(TemporalDeclaration(_claim(plan), "drawn", "Drawn", sorts),),
        specifications=(Specification("Drawn", conditions),),
        rankings=tuple(_declared(i, one, sorts) for i, one in enumerate(plan.ranks)),
    )


def _method(act: Act) -> Any:
    def take(self: Any, s: Any, given: dict[str, Any]) -> None:
        for guard in act.guards:
            s.require(said(guard, s, given))
        for what, how in act.changes:
            if what == "n":
                s.n = s.n + 1 if how == "up" else how
            elif what == "f":
                s.f = ~s.f if how == "flip" else s.f == s.f if how else s.f != s.f
            elif what == "st":
                s.st[given["p"]] = s.st[given["p"]] + 1 if how == "up" else how
            elif what == "h":
                s.h = given[how]
            else:
                s.w = (insert if how == "insert" else remove)(s.w, given["p"])

    def alone(self: Any, s: Any) -> None:
        take(self, s, {})

    def one(self: Any, s: Any, p: Any) -> None:
        take(self, s, {"p": p})

    def two(self: Any, s: Any, p: Any, q: Any) -> None:
        take(self, s, {"p": p, "q": q})

    method: Any = (alone, one, two)[len(act.names)]
    method.__name__ = act.name
    choices: dict[str, Any] = dict.fromkeys(act.names, Node)
    return action(**choices)(method)


def _claim(plan: Plan) -> Any:
    def stated(s: Any, given: dict[str, Any]) -> Any:
        goal = said(plan.goal, s, given)
        match plan.form:
            case "~>":
                return leads_to(said(plan.premise, s, given), goal)
            case "<>":
                return eventually(goal)
            case "[]<>":
                return always(eventually(goal))
            case _:
                return eventually(always(goal))

    def whole(m: Any, s: Any) -> Any:
        return stated(s, {})

    def of(m: Any, s: Any, x: Any) -> Any:
        return stated(s, {"x": x})

    function: Any = of if plan.names else whole
    function.__name__ = "Claim"
    return function


def _declared(number: int, drawn: Any, sorts: dict[str, Any]) -> RankingDeclaration:
    def part(kind: Any, s: Any, given: dict[str, Any]) -> Any:
        match kind[0]:
            case "ite":
                return ite(said(kind[1], s, given), 0, 1)
            case "n":
                return s.n
            case "-n":
                return LAST - s.n
            case "count":
                return size(filtered(Node, lambda r: s.st[r] == kind[1]))
            case "outside":
                return size(filtered(Node, lambda r: ~member(r, s.w)))
            case _:
                return TOP - s.st[given[kind[1]]]

    def built(one: Any, s: Any, given: dict[str, Any]) -> Any:
        measure, by, meanwhile = one
        parts = []
        for name, when, whom, waiting in by:
            per = None if whom is None else {"p": s.h if whom == "h" else given[whom]}
            rest = None if waiting is None else built(waiting, s, given)
            parts.append(helpful(name, when=said(when, s, given), per=per, waiting=rest))
        more = {} if meanwhile == ("true",) else {"meanwhile": said(meanwhile, s, given)}
        return rank(*(part(kind, s, given) for kind in measure), by=parts, **more)

    def whole(m: Any, s: Any) -> Any:
        return built(drawn, s, {})

    def of(m: Any, s: Any, x: Any) -> Any:
        return built(drawn, s, {"x": x})

    function: Any = of if sorts else whole
    function.__name__ = f"Why{number}"
    return RankingDeclaration(function, "drawn", "Claim", sorts)


def look(number: int, tally: Counter[str], seconds: float = 4.0) -> None:
    """Hold every engine's answer on the protocol of a number against brute force.

    Raises Disagreement.
    """
    plan = plan_of(number)
    suite = suite_of(plan)
    truths = {nodes: claim_holds(plan, nodes) for nodes in (1, 2, 3)}
    tally.update(f"true at {nodes}" for nodes, truth in truths.items() if truth)
    nodes = 2 + number % 2
    question = Question(suite, {"nodes": nodes}, ("Claim",))
    limited = replace(question, timeout=seconds)
    nobody: Any = Nobody()
    results = [*decide(question), *search_lassos(replace(limited, depth=12), nobody)]
    if number % 8 == 0:
        results += prove_by_monitor(limited, nobody)
    if plan.ranks:
        results += prove_by_ranking(limited, nobody)
    agree(number, results)
    for one in results:
        tally[f"{one.engine} {one.verdict.value}"] += 1
        told = {Verdict.PROVED: True, Verdict.VIOLATED: False}.get(one.verdict)
        if told is not None and told is not truths[nodes]:
            raise Disagreement(f"{number}: {one.engine} says {one.verdict}, it is {truths[nodes]}")
        if one.certificate is not None:
            certify(one.certificate, suite, every_instance=number % 2 == 0)
            judge(one.certificate, suite)
            tally["certificates"] += 1
    if results[0].verdict is Verdict.UNKNOWN:
        raise Disagreement(f"{number}: the graph says nothing: {results[0].reason}")
    if plan.ranks and results[-1].verdict is Verdict.PROVED:
        _at_all_parameters(number, suite, truths, tally, seconds)


def look_at_text(number: int, tally: Counter[str], folder: Path) -> None:
    """Hold what `bmc prove` says of a protocol as a text of TLA+ against brute force.

    Raises Disagreement.
    """
    plan, nodes = plan_of(number), 2 + number % 2
    (folder / "M.tla").write_text(text(plan))
    (folder / "M.cfg").write_text(configuration(nodes))
    found = bmc("prove", str(folder / "M.tla"), "-P", "Claim", "--json", "--timeout", "60")
    if found.code == 2:
        tally["text refused"] += 1
        return
    told = found.document["results"][0]["verdict"]
    tally[f"text {told}"] += 1
    truth = claim_holds(plan, nodes)
    if found.code == 4 or told == ("violated" if truth else "proved"):
        raise Disagreement(f"{number}: of the text {told} is said, it is {truth}")


def _at_all_parameters(
    number: int, suite: Suite, truths: dict[int, bool], tally: Counter[str], seconds: float
) -> None:
    try:
        found = prove_by_rankings_for_all(suite, "Claim", Nobody(), seconds)
    except NotQuantified:
        tally["all parameters: no first-order reading"] += 1
        return
    proved = all(one.verdict is Verdict.PROVED for one in found.proof.results)
    tally[f"all parameters: {'proved' if proved else 'open'}"] += 1
    if proved and not all(truths.values()):
        raise Disagreement(f"{number}: proved at all parameters, it is {truths}")
