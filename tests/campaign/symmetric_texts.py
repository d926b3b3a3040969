"""The random protocols of symmetric processes as texts of TLA+, with SYMMETRY and fairness."""

from __future__ import annotations

from typing import Any

from tests.campaign.symmetric_plans import Act, Atom, Plan

SOME, ALL = "\\E", "\\A"


def configuration(nodes: int) -> str:
    """Return the configuration at so many processes."""
    named = ", ".join(f"p{number}" for number in range(nodes))
    return (
        f"SPECIFICATION Spec CONSTANT P = {{{named}}} SYMMETRY Perms CHECK_DEADLOCK FALSE "
        "PROPERTY Claim"
    )


def text(plan: Plan) -> str:
    """Return a protocol as the module M."""
    first = "IF r = p THEN 1 ELSE 0" if plan.several else "0"
    taken = [_chosen(act.names) + _called(act) for act in plan.acts]
    fair = [_fairness(act) for act in plan.acts if act.fair is not None]
    lines = [
        "---- MODULE M ----",
        "EXTENDS Integers, TLC",
        "CONSTANT P",
        "VARIABLES st, h, w, n, f",
        "vars == <<st, h, w, n, f>>",
        "Perms == Permutations(P)",
        f"Init == \\E p \\in P : /\\ st = [r \\in P |-> {first}]",
        "                      /\\ h = p /\\ w = {} /\\ n = 0 /\\ f = FALSE",
        *(f"{_called(act)} == {_conjunction(act)}" for act in plan.acts),
        "Next == " + " \\/ ".join(f"({one})" for one in taken),
        " /\\ ".join(["Spec == Init /\\ [][Next]_vars", *fair]),
        f"Claim == {_chosen(plan.names, ALL)}({_claim(plan)})",
        "====",
    ]
    return "\n".join(lines) + "\n"


def _claim(plan: Plan) -> str:
    goal = f"({_formula(plan.goal)})"
    return f"({_formula(plan.premise)}) ~> {goal}" if plan.form == "~>" else f"{plan.form}{goal}"


def _chosen(names: tuple[str, ...], quantifier: str = SOME) -> str:
    return "".join(f"{quantifier} {name} \\in P : " for name in names)


def _called(act: Act) -> str:
    return f"{act.name}({', '.join(act.names)})" if act.names else act.name


def _fairness(act: Act) -> str:
    assert act.fair is not None
    strong, per = act.fair
    asked = "SF" if strong else "WF"
    if not per:
        return f"{asked}_vars({_chosen(act.names)}{_called(act)})"
    others = tuple(name for name in act.names if name != "p")
    return f"(\\A p \\in P : {asked}_vars({_chosen(others)}{_called(act)}))"


def _conjunction(act: Act) -> str:
    changes = dict(act.changes)
    found = [f"({_formula(guard)})" for guard in act.guards]
    for name in ("st", "h", "w", "n", "f"):
        found.append(f"{name}' = {_next(name, changes[name]) if name in changes else name}")
    return " /\\ ".join(found)


def _next(name: str, how: Any) -> str:
    match name:
        case "n":
            return "n + 1" if how == "up" else str(how)
        case "f":
            return "~f" if how == "flip" else str(how).upper()
        case "st":
            return f"[st EXCEPT ![p] = {'@ + 1' if how == 'up' else how}]"
        case "w":
            return "w \\cup {p}" if how == "insert" else "w \\ {p}"
        case _:
            return str(how)


def _formula(atom: Atom) -> str:
    kind, *parts = atom
    match kind:
        case "true":
            return "TRUE"
        case "not":
            return f"~({_formula(parts[0])})"
        case "and":
            return f"({_formula(parts[0])}) /\\ ({_formula(parts[1])})"
        case "or":
            return f"({_formula(parts[0])}) \\/ ({_formula(parts[1])})"
        case "level":
            return f"st[{parts[0]}] = {parts[1]}"
        case "below":
            return f"st[{parts[0]}] < {parts[1]}"
        case "holds":
            return f"h = {parts[0]}"
        case "in":
            return f"{parts[0]} \\in w"
        case "number":
            return f"n = {parts[0]}"
        case "flag":
            return "f"
        case "same":
            return f"{parts[0]} = {parts[1]}"
        case "all":
            return f"\\A r \\in P : st[r] >= {parts[0]}"
        case "any":
            return f"\\E r \\in P : st[r] = {parts[0]} /\\ r \\notin w"
        case _:
            raise AssertionError(kind)
