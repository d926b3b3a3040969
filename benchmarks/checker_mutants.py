"""Faults planted in bmc, and whether a probe catches each.

    python benchmarks/checker_mutants.py                all of them, as a table
    python benchmarks/checker_mutants.py "two rules"    those whose name holds this

Each is planted in a process of its own, in the text of a module before it is imported. A probe
that raises, crashes or does not end has caught it. Nothing of bmc is imported by the parent.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import resource
import signal
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.campaign.mutants import MUTANTS, Mutant

SECONDS = 180
"""Processor seconds that a probe may take before it counts as one that does not end."""

HEAVY = ("numpy", "pysat.solvers", "z3", "bitwuzla", "hypothesis", "pytest")


class _Planted(SourceFileLoader):
    def __init__(self, fullname: str, path: str, mutant: Mutant) -> None:
        super().__init__(fullname, path)
        self._mutant = mutant

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        text = Path(path).read_text()
        if text.count(self._mutant.old) != 1:
            raise SystemExit(f"{self._mutant.name}: its place is not in {path} just once")
        return compile(text.replace(self._mutant.old, self._mutant.new), path, "exec")


class _Finder:
    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._mutant.module:
            return None
        found = PathFinder.find_spec(fullname, path, target)
        assert found is not None
        assert found.origin is not None
        found.loader = _Planted(fullname, found.origin, self._mutant)
        return found


def caught(mutant: Mutant | None, probes: Sequence[str]) -> str | None:
    """What the probes say of bmc with a fault (None: without one); None if nothing."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _probe(mutant, probes, writing)
    os.close(writing)
    with os.fdopen(reading) as said:
        text = said.read()
    _, status = os.waitpid(child, 0)
    if text == "sound":
        return None
    return text or f"ended by signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else text


def _probe(mutant: Mutant | None, probes: Sequence[str], writing: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    if mutant is not None:
        sys.meta_path.insert(0, _Finder(mutant))
    said = "sound"
    try:
        known = importlib.import_module("tests.campaign.probes").PROBES
        for name in probes:
            known[name]()
    except (SystemExit, SyntaxError, NameError) as error:
        # A fault that is no program says nothing about the probes.
        said = f"NOT PLANTED {error}"
    except BaseException as error:
        said = f"{type(error).__name__}: {error}".split("\n")[0][:110]
    os.write(writing, said.encode())
    os._exit(0)


def main(wanted: Sequence[str]) -> int:
    """Print a line for each fault and the score; 1 if one survives or bmc itself is not sound."""
    chosen = [m for m in MUTANTS if not wanted or any(w in m.name for w in wanted)]
    for name in HEAVY:
        importlib.import_module(name)
    probes = sorted({probe for mutant in chosen for probe in mutant.probes})
    sound = caught(None, probes)
    if sound is not None:
        print(f"without any fault the probes say: {sound}")
        return 1
    survived = 0
    for mutant in chosen:
        said = caught(mutant, mutant.probes)
        missed = said is None or said.startswith("NOT PLANTED")
        survived += missed
        word = "SURVIVED" if missed else "caught"
        print(f"{word:9} {mutant.name:52} {', '.join(mutant.probes):24} {said or ''}", flush=True)
    print(f"{len(chosen) - survived} of {len(chosen)} faults are caught")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
