"""SMT-LIB scripts answered by solvers that read the text themselves."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal, assert_never

ScriptAnswer = Literal["sat", "unsat", "unknown"]
ScriptSolver = Literal["cvc5", "z3"]


def answer(text: str, solver: ScriptSolver, seconds: float | None = None) -> ScriptAnswer:
    """Return a solver's answer to the one ``check-sat`` of a script.

    ``seconds`` limits the time of the check; a limit, an error and a give-up are ``unknown``.
    """
    match solver:
        case "cvc5":
            return _cvc5(text, seconds)
        case "z3":
            return _z3(text, seconds)
        case _:
            assert_never(solver)


def version(solver: ScriptSolver) -> str:
    """Return a solver's name and version."""
    match solver:
        case "cvc5":
            import cvc5

            return f"cvc5 {cvc5.__version__}"
        case "z3":
            from bmc.solving.z3_library import z3

            return f"z3 {z3.get_version_string()}"
        case _:
            assert_never(solver)


def _cvc5(text: str, seconds: float | None) -> ScriptAnswer:
    import cvc5

    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    if "(set-logic QF_BV)" in text:
        # Ten times as fast on the questions of a certificate as its lazy way.
        solver.setOption("bitblast", "eager")
    if seconds is not None:
        solver.setOption("tlimit-per", str(max(1, int(seconds * 1000))))
    symbols: Any = cvc5.SymbolManager(manager)
    parser: Any = cvc5.InputParser(solver, symbols)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "script")
    said: list[str] = []
    while not (command := parser.nextCommand()).isNull():
        said.append(command.invoke(solver, symbols).strip())
    return _plain([line for line in said if line])


def _plain(said: list[str]) -> ScriptAnswer:
    if said == ["sat"]:
        return "sat"
    return "unsat" if said == ["unsat"] else "unknown"


def _z3(text: str, seconds: float | None) -> ScriptAnswer:
    from bmc.solving.z3_library import z3

    logic = "QF_BV" if "(set-logic QF_BV)" in text else "QF_LIA"
    solver: Any = z3.SolverFor(logic, ctx=_z3_context())
    if seconds is not None:
        solver.set("timeout", max(1, int(seconds * 1000)))
    solver.from_string(text)
    return _plain([str(solver.check())])


@cache
def _z3_context() -> Any:
    """Return what the scripts of this process are read in: making it takes longer than most."""
    from bmc.solving.z3_library import z3

    return z3.Context()
