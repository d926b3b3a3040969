r"""Temporal claims decided by bmc and by TLC, each a whole process.

    python benchmarks/liveness.py [--tlc "tlc"] [--limit 120] [--locks 6,10,14] [--steps 5,10,20] \
        [--explored 7,9] [--sessions 6,12] [--ranked 12,20] [--inducted 14,20]

Three families that grow, written here for both. In `lock` processes take a lock that is free, each
strongly fair: whoever waits enters. In `stairs` each step up is strongly fair by itself, and from
every step there is a way down: the top is reached again and again, and one conjunct of fairness is
added with each step. In `sessions` each client's requests are taken and answered by themselves, so
that states are 4 to the number of clients: there bmc proves on the graph, and without one by IC3 or
by a ranking, whose certificate is checked in the time that is told. Locks are proved by k-induction
too. Seconds are those of processors and of the clock. TLC runs with one worker; ``--tlc`` is its
command. A disagreement is exit code 1.
"""

from __future__ import annotations

import argparse
import re
import shlex
import sys
import tempfile
from pathlib import Path

from whole_process import Run, run

from bmc.engines.engine import temporal_engine

LOCK = """
from bmc.lang import *
from bmc.lang.temporal import *


class Lock(Protocol):
    n = Parameter("n", 2, 1, 30, "processes")
    P = Scalarset("P", n)
    Phase = EnumSort("Phase", ("idle", "waiting", "inside"))
    phase = Variable(MapSort(P, Phase))
    Live = Specification("Live", (strong("Enter", per=("p",)), weak("Leave", per=("p",))))

    @action()
    def Init(self, s):
        s.phase = mapping(self.P, lambda p: "idle", self.Phase)

    @action(p=P)
    def Ask(self, s, p):
        s.require(s.phase[p] == "idle")
        s.phase[p] = "waiting"

    @action(p=P)
    def Enter(self, s, p):
        s.require(s.phase[p] == "waiting", forall(self.P, lambda q: s.phase[q] != "inside"))
        s.phase[p] = "inside"

    @action(p=P)
    def Leave(self, s, p):
        s.require(s.phase[p] == "inside")
        s.phase[p] = "idle"

    Next = one_of(Ask, Enter, Leave)

    @temporal("somebody enters", specification="Live")
    def Claim(self, s):
        return leads_to(
            exists(self.P, lambda p: s.phase[p] == "waiting"),
            exists(self.P, lambda p: s.phase[p] == "inside"),
        )
"""

LOCK_TLA = """---- MODULE Model ----
EXTENDS Integers
CONSTANT N
VARIABLE phase
P == 1..N
Init == phase = [p \\in P |-> "idle"]
Ask(p) == phase[p] = "idle" /\\ phase' = [phase EXCEPT ![p] = "waiting"]
Enter(p) == /\\ phase[p] = "waiting" /\\ \\A q \\in P : phase[q] # "inside"
            /\\ phase' = [phase EXCEPT ![p] = "inside"]
Leave(p) == phase[p] = "inside" /\\ phase' = [phase EXCEPT ![p] = "idle"]
Next == \\E p \\in P : Ask(p) \\/ Enter(p) \\/ Leave(p)
Live == /\\ Init /\\ [][Next]_phase
        /\\ \\A p \\in P : SF_phase(Enter(p)) /\\ WF_phase(Leave(p))
Claim == (\\E p \\in P : phase[p] = "waiting") ~> (\\E p \\in P : phase[p] = "inside")
====
"""

STAIRS = """
from bmc.lang import *
from bmc.lang.temporal import *


class Stairs(Protocol):
    n = Parameter("n", 2, 1, 60, "steps")
    Step = Integer("Step", 0, n)
    at = Variable(Step)
    Live = Specification("Live", (strong("Up", per=("i",)),))

    @action()
    def Init(self, s):
        s.at = 0

    @action(i=Step)
    def Up(self, s, i):
        s.require(i == s.at, s.at < self.n)
        s.at = i + 1

    @action()
    def Fall(self, s):
        s.at = 0

    Next = one_of(Up, Fall)

    @temporal("the top is reached again and again", specification="Live")
    def Claim(self, s):
        return always(eventually(s.at == self.n))
"""

STAIRS_TLA = """---- MODULE Model ----
EXTENDS Integers
CONSTANT N
VARIABLE at
Init == at = 0
Up(i) == at = i /\\ i < N /\\ at' = i + 1
Fall == at' = 0
Next == Fall \\/ \\E i \\in 0..(N - 1) : Up(i)
Live == Init /\\ [][Next]_at /\\ \\A i \\in 0..(N - 1) : SF_at(Up(i))
Claim == []<>(at = N)
====
"""


SESSIONS = """
from bmc.lang import *
from bmc.lang.temporal import *


class Sessions(Protocol):
    n = Parameter("n", 2, 1, 30, "clients")
    C = Scalarset("C", n)
    Phase = EnumSort("Phase", ("idle", "asked", "taken", "answered"))
    phase = Variable(MapSort(C, Phase))
    Live = Specification("Live", (weak("Take", per=("c",)), weak("Answer", per=("c",))))

    @action()
    def Init(self, s):
        s.phase = mapping(self.C, lambda c: "idle", self.Phase)

    @action(c=C)
    def Ask(self, s, c):
        s.require(s.phase[c] == "idle")
        s.phase[c] = "asked"

    @action(c=C)
    def Take(self, s, c):
        s.require(s.phase[c] == "asked")
        s.phase[c] = "taken"

    @action(c=C)
    def Answer(self, s, c):
        s.require(s.phase[c] == "taken")
        s.phase[c] = "answered"

    @action(c=C)
    def Close(self, s, c):
        s.require(s.phase[c] == "answered")
        s.phase[c] = "idle"

    Next = one_of(Ask, Take, Answer, Close)

    @temporal("who asks is answered", specification="Live", c=C)
    def Claim(self, s, c):
        return leads_to(s.phase[c] == "asked", s.phase[c] == "answered")
"""

RANKED_SESSIONS = f"""
from bmc.lang.ranking import *

{SESSIONS}
    @ranking("what is asked is taken, and what is taken is answered", proves="Claim", c=C)
    def Nearer(self, s, c):
        asked, taken = s.phase[c] == "asked", s.phase[c] == "taken"
        by = [
            helpful("Take", when=asked, per={{"c": c}}),
            helpful("Answer", when=taken, per={{"c": c}}),
        ]
        return rank(ite(asked, 1, 0), by=by, meanwhile=asked | taken)
"""

SESSIONS_TLA = """---- MODULE Model ----
EXTENDS Integers
CONSTANT N
VARIABLE phase
C == 1..N
Init == phase = [c \\in C |-> "idle"]
Ask(c) == phase[c] = "idle" /\\ phase' = [phase EXCEPT ![c] = "asked"]
Take(c) == phase[c] = "asked" /\\ phase' = [phase EXCEPT ![c] = "taken"]
Answer(c) == phase[c] = "taken" /\\ phase' = [phase EXCEPT ![c] = "answered"]
Close(c) == phase[c] = "answered" /\\ phase' = [phase EXCEPT ![c] = "idle"]
Next == \\E c \\in C : Ask(c) \\/ Take(c) \\/ Answer(c) \\/ Close(c)
Live == /\\ Init /\\ [][Next]_phase
        /\\ \\A c \\in C : WF_phase(Take(c)) /\\ WF_phase(Answer(c))
Claim == \\A c \\in C : phase[c] = "asked" ~> phase[c] = "answered"
====
"""


def ours(
    folder: Path, name: str, text: str, size: int, limit: float, engine: str
) -> tuple[str, Run]:
    """Decide by an engine, with a certificate if it gives one; returns what it says."""
    file = folder / "model.py"
    file.write_text(text)
    words = ("prove", f"{file}:{name}", "-P", "Claim", "--engine", engine, f"-pn={size}")
    if temporal_engine(engine).certifies:
        words = (*words, "--certificate", str(folder / "proof.json"))
    done = run([sys.executable, "-m", "bmc", *words], limit)
    found = re.search(r"Claim +(proved|violated)", done.output)
    states = re.search(r"over ([0-9,]+) states", done.output)
    said = found.group(1) if found else "stopped" if done.stopped else "unknown"
    if (folder / "proof.json").exists():
        said += ", certificate"
    return f"{said}{', ' + states.group(1) + ' states' if states else ''}", done


def theirs(folder: Path, tlc: list[str], text: str, size: int, limit: float) -> tuple[str, Run]:
    """Ask TLC; returns what it says."""
    (folder / "Model.tla").write_text(text)
    config = "SPECIFICATION Live\nPROPERTY Claim\nCHECK_DEADLOCK FALSE\n"
    (folder / "Model.cfg").write_text(f"{config}CONSTANT N = {size}\n")
    files = ("-config", str(folder / "Model.cfg"), str(folder / "Model.tla"))
    done = run([*tlc, "-workers", "1", *files], limit)
    if "No error has been found" in done.output:
        return "proved", done
    if "Temporal properties were violated" in done.output:
        return "violated", done
    return "stopped" if done.stopped else "unknown", done


def main() -> int:
    """Print a row for each size of each family."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tlc", help="TLC's command; without it bmc runs alone")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for each run")
    parser.add_argument("--locks", default="6,10,14", help="numbers of processes")
    parser.add_argument("--steps", default="5,10,20", help="numbers of steps")
    parser.add_argument("--explored", default="7,9", help="numbers of clients, on the graph")
    parser.add_argument("--sessions", default="6,12", help="the same, by IC3")
    parser.add_argument("--ranked", default="12,20", help="the same, of a claim with a ranking")
    parser.add_argument("--inducted", default="14,20", help="processes, by k-induction")
    asked = parser.parse_args()
    families = (
        ("lock", "Lock", LOCK, LOCK_TLA, asked.locks, "explicit"),
        ("stairs", "Stairs", STAIRS, STAIRS_TLA, asked.steps, "explicit"),
        ("sessions", "Sessions", SESSIONS, SESSIONS_TLA, asked.explored, "explicit"),
        ("sessions", "Sessions", SESSIONS, SESSIONS_TLA, asked.sessions, "monitored"),
        ("lock", "Lock", LOCK, LOCK_TLA, asked.inducted, "inductive"),
        ("sessions", "Sessions", RANKED_SESSIONS, SESSIONS_TLA, asked.ranked, "ranked"),
    )
    wrong = 0
    print("| family | size | bmc | processor s | s | TLC | processor s | s |")
    print("|---|--:|---|--:|--:|---|--:|--:|", flush=True)
    for family, name, text, tla, sizes, engine in families:
        for size in map(int, filter(None, sizes.split(","))):
            with tempfile.TemporaryDirectory() as place:
                folder = Path(place)
                said, mine = ours(folder, name, text, size, asked.limit, engine)
                row = f"| {family} | {size} | {said} | {mine.processor:.1f} | {mine.wall:.1f} |"
                if asked.tlc is not None:
                    other, run_of = theirs(folder, shlex.split(asked.tlc), tla, size, asked.limit)
                    row += f" {other} | {run_of.processor:.1f} | {run_of.wall:.1f} |"
                    verdict = said.split(",")[0]
                    wrong += {verdict, other} == {"proved", "violated"}
                print(row, flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
