"""How long a model takes to become a transition system, before any state is visited.

The rows are protocols whose sets of messages are wide, and a consensus over one set of all its
possible messages that grows. Each row is a new process; its seconds are the processor's, of
`TransitionSystem(model, parameters)` alone. Prints a table; `--json FILE` also writes it as JSON.

    python benchmarks/grounding.py
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from time import process_time

from whole_process import header, run, write

from bmc.cli.shared.catalogue import find
from bmc.lang import (
    EnumSort,
    Expr,
    Integer,
    MapSort,
    Operand,
    OptionSort,
    Parameter,
    Protocol,
    Record,
    Scalarset,
    SetSort,
    Step,
    Suite,
    Variable,
    action,
    conj,
    empty,
    exists,
    forall,
    implies,
    insert,
    is_none,
    mapping,
    one_of,
    record,
)
from bmc.lang.protocol import parameters_of
from bmc.system.transition import TransitionSystem

LIMIT = 300
CONSENSUS = "consensus"
CASES: tuple[tuple[str, Mapping[str, int]], ...] = (
    ("kafka-kip320", {}),
    ("elasticsearch", {}),
    ("kafka-transactions", {}),
    ("kafka-transactions", {"transaction_ids": 2, "clients": 3}),
    ("kafka-transactions", {"transaction_ids": 3, "clients": 4}),
    (
        "elasticsearch",
        {"nodes": 4, "document_ids": 1, "max_client_value": 3, "max_messages": 9},
    ),
    *((CONSENSUS, {"ballots": n}) for n in (2, 5, 10, 20, 40, 62)),
)


class Consensus(Protocol):
    """Single-decree Paxos as it is written in TLA+: one set of records that only grows."""

    acceptors = Parameter("acceptors", 3, 1, 5, "acceptors")
    ballots = Parameter("ballots", 2, 1, 1000, "the last ballot")
    Acceptor = Scalarset("Acceptor", acceptors)
    Value = EnumSort("Value", ("x", "y"))
    Ballot = Integer("Ballot", 0, ballots)
    Type = EnumSort("Type", ("1a", "1b", "2a", "2b"))
    Message = Record(
        "Message",
        type=Type,
        acceptor=Acceptor,
        ballot=Ballot,
        voted=OptionSort(Ballot),
        value=Value,
    )
    sent = Variable(SetSort(Message))
    promised = Variable(MapSort(Acceptor, OptionSort(Ballot)))

    @action()
    def Init(self, s: Step) -> None:
        s.sent = empty(SetSort(self.Message))
        s.promised = mapping(self.Acceptor, lambda a: None, OptionSort(self.Ballot))

    def send(self, s: Step, **fields: Operand) -> None:
        """Send a message; what its type does not use has the first value."""
        unused: dict[str, Operand] = {"ballot": 0, "voted": None, "value": "x"}
        s.sent = insert(s.sent, record(self.Message, **{**unused, **fields}))

    @action(a=Acceptor, b=Ballot)
    def Prepare(self, s: Step, a: Expr, b: Expr) -> None:
        self.send(s, type="1a", acceptor=a, ballot=b)

    @action(a=Acceptor, m=sent)
    def Promise(self, s: Step, a: Expr, m: Expr) -> None:
        s.require(m.type == "1a", is_none(s.promised[a]))
        s.promised[a] = m.ballot
        self.send(s, type="1b", acceptor=a, ballot=m.ballot)

    @action(a=Acceptor, b=Ballot, v=Value)
    def Propose(self, s: Step, a: Expr, b: Expr, v: Expr) -> None:
        s.require(~exists(s.sent, lambda m: conj(m.type == "2a", m.ballot == b)))
        s.require(
            forall(
                self.Acceptor,
                lambda q: exists(
                    s.sent,
                    lambda m: conj(
                        m.type == "1b",
                        m.acceptor == q,
                        m.ballot == b,
                        forall(
                            s.sent,
                            lambda n: implies(
                                conj(n.type == "1b", n.ballot == b, n.acceptor == q),
                                is_none(n.voted) | (n.value == v),
                            ),
                        ),
                    ),
                ),
            )
        )
        self.send(s, type="2a", acceptor=a, ballot=b, value=v)

    @action(a=Acceptor, m=sent)
    def Vote(self, s: Step, a: Expr, m: Expr) -> None:
        s.require(m.type == "2a", s.promised[a] == m.ballot)
        self.send(s, type="2b", acceptor=a, ballot=m.ballot, value=m.value)

    Next = one_of(Prepare, Promise, Propose, Vote)


def measure(name: str, given: Mapping[str, int]) -> dict[str, object]:
    """Ground a model in this process, and say what it took."""
    suite = Suite.of(Consensus, CONSENSUS) if name == CONSENSUS else find(name)
    parameters = {p.name: p.default for p in parameters_of(suite.protocol)} | dict(given)
    model = suite.model(ghosts=False)
    started = process_time()
    system = TransitionSystem(model, parameters)
    seconds = process_time() - started
    return {
        "model": name,
        "parameters": ", ".join(f"{key} {value}" for key, value in given.items()) or "defaults",
        "processor_s": round(seconds, 2),
        "scalars": len(system.leaves),
        "rules": len(system.rules),
        "gates": len(system.circuit),
    }


def main() -> None:
    """Measure each row in a process of its own, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows here as well")
    parser.add_argument("--row", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.row is not None:
        print(json.dumps(measure(*CASES[asked.row])))
        return
    head = header()
    rows: list[dict[str, object]] = []
    for number, (name, given) in enumerate(CASES):
        done = run([sys.executable, __file__, f"--row={number}"], LIMIT)
        if done.stopped:
            rows.append({"model": name, "parameters": str(given), "processor_s": f"> {LIMIT}"})
            continue
        if done.exit:
            raise SystemExit(f"{name} at {given} failed, exit code {done.exit}")
        rows.append({**json.loads(done.output), "peak_mb": round(done.peak_mb)})
    write(asked.json, head, rows)
    print(", ".join(f"{name} {value}" for name, value in head.items()))
    columns = ("model", "parameters", "scalars", "rules", "gates", "processor_s", "peak_mb")
    print(f"| {' | '.join(columns)} |\n|---|---|---:|---:|---:|---:|---:|")
    for row in rows:
        print(f"| {' | '.join(str(row.get(column, '-')) for column in columns)} |")


if __name__ == "__main__":
    main()
