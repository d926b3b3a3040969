"""What a user would write without `bmc`: Kafka's replication unrolled by hand in z3.

Integers, arrays and sets as z3 offers them, one set of constants a step, the default solver, a
question a depth. It is as plain as a first version is, and not tuned; it searches for a violation
of StrongIsr and cannot prove. Two variants differ by where a new follower truncates:
``kafka-kip279`` and ``kafka-truncate-to-hw``.

    python benchmarks/handwritten_z3.py kafka-kip279 --size 3,2,2,2 --depth 10 --timeout 300
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any

import z3

NIL = NONE = -1
VARIANTS = ("kafka-kip279", "kafka-truncate-to-hw")

INTS = z3.ArraySort(z3.IntSort(), z3.IntSort())
SETS = z3.ArraySort(z3.IntSort(), z3.SetSort(z3.IntSort()))
LOGS = z3.ArraySort(z3.IntSort(), INTS)
FIELDS = {
    "end": INTS,
    "ids": LOGS,
    "epochs": LOGS,
    "hw": INTS,
    "epoch": INTS,
    "leader": INTS,
    "isr": SETS,
    "next_record": z3.IntSort(),
    "next_epoch": z3.IntSort(),
    "request_leader": INTS,
    "request_isr": SETS,
    "quorum_epoch": z3.IntSort(),
    "quorum_leader": z3.IntSort(),
    "quorum_isr": z3.SetSort(z3.IntSort()),
}


class State:
    """The constants of one step."""

    def __init__(self, step: int) -> None:
        self.of = {name: z3.Const(f"{name}_{step}", sort) for name, sort in FIELDS.items()}

    def __getattr__(self, name: str) -> Any:
        return self.__dict__["of"][name]


class Model:
    """The specification at parameters: `initial`, `step` and `strong_isr` as z3 formulas."""

    def __init__(self, variant: str, replicas: int, log_size: int, records: int, epoch: int):
        self.variant = variant
        self.replicas = range(replicas)
        self.offsets = range(log_size)
        self.requests = range(epoch + 1)
        self.log_size, self.records, self.max_epoch = log_size, records, epoch

    def initial(self, s: State) -> Any:
        def everywhere(value: Any) -> Any:
            return z3.K(z3.IntSort(), value)

        nobody = z3.EmptySet(z3.IntSort())
        everybody = nobody
        for r in self.replicas:
            everybody = z3.SetAdd(everybody, r)
        zero, nil = z3.IntVal(0), z3.IntVal(NIL)
        start = {
            "end": everywhere(zero),
            "ids": everywhere(everywhere(nil)),
            "epochs": everywhere(everywhere(nil)),
            "hw": everywhere(zero),
            "epoch": everywhere(nil),
            "leader": everywhere(nil),
            "isr": everywhere(nobody),
            "next_record": zero,
            "next_epoch": zero,
            "request_leader": everywhere(nil),
            "request_isr": everywhere(nobody),
            "quorum_epoch": nil,
            "quorum_leader": nil,
            "quorum_isr": everybody,
        }
        return z3.And([s.of[name] == value for name, value in start.items()])

    def step(self, s: State, t: State) -> Any:
        def action(*guards: Any, **updates: Any) -> Any:
            after = [t.of[name] == updates.get(name, s.of[name]) for name in FIELDS]
            return z3.And([*guards, *after])

        return z3.Or(
            [*self._controller(s, action), *self._leader(s, action), *self._follower(s, action)]
        )

    def strong_isr(self, s: State) -> Any:
        return z3.And(
            [
                z3.Implies(
                    z3.And(s.leader[r1] == r1, z3.IsMember(r2, s.quorum_isr), offset < s.hw[r1]),
                    self._same_entry(s, r1, r2, offset),
                )
                for r1 in self.replicas
                for r2 in self.replicas
                for offset in self.offsets
            ]
        )

    def _controller(self, s: State, action: Callable[..., Any]) -> Iterator[Any]:
        def update(leader: Any, isr: Any, *guards: Any) -> Any:
            return action(
                s.next_epoch <= self.max_epoch,
                *guards,
                next_epoch=s.next_epoch + 1,
                quorum_epoch=s.next_epoch,
                quorum_leader=leader,
                quorum_isr=isr,
                request_leader=z3.Store(s.request_leader, s.next_epoch, leader),
                request_isr=z3.Store(s.request_isr, s.next_epoch, isr),
            )

        for r in self.replicas:
            only = z3.SetAdd(z3.EmptySet(z3.IntSort()), r)
            smaller = z3.SetDel(s.quorum_isr, r)
            leads, inside = s.quorum_leader == r, z3.IsMember(r, s.quorum_isr)
            yield update(r, s.quorum_isr, inside, z3.Not(leads))
            yield update(NONE, s.quorum_isr, leads, s.quorum_isr == only)
            yield update(NONE, smaller, leads, s.quorum_isr != only)
            yield update(s.quorum_leader, smaller, z3.Not(leads), inside)

    def _leader(self, s: State, action: Callable[..., Any]) -> Iterator[Any]:
        for r in self.replicas:
            presumes = s.leader[r] == r
            for e in self.requests:
                yield action(
                    e < s.next_epoch,
                    s.request_leader[e] == r,
                    e > s.epoch[r],
                    epoch=z3.Store(s.epoch, r, e),
                    leader=z3.Store(s.leader, r, r),
                    isr=z3.Store(s.isr, r, s.request_isr[e]),
                )
            yield action(
                presumes,
                s.next_record < self.records,
                s.end[r] < self.log_size,
                next_record=s.next_record + 1,
                ids=z3.Store(s.ids, r, z3.Store(s.ids[r], s.end[r], s.next_record)),
                epochs=z3.Store(s.epochs, r, z3.Store(s.epochs[r], s.end[r], s.epoch[r])),
                end=z3.Store(s.end, r, s.end[r] + 1),
            )
            have = [
                z3.Implies(z3.IsMember(f, s.isr[r]), z3.And(s.leader[f] == r, s.end[f] > s.hw[r]))
                for f in self.replicas
            ]
            higher = z3.Store(s.hw, r, s.hw[r] + 1)
            yield action(presumes, s.hw[r] < self.log_size, *have, hw=higher)
            true_leader = z3.And(s.quorum_leader == r, presumes, s.epoch[r] == s.quorum_epoch)
            for f in self.replicas:
                less, more = z3.SetDel(s.isr[r], f), z3.SetAdd(s.isr[r], f)
                if f != r:
                    yield action(
                        true_leader,
                        z3.IsMember(f, s.isr[r]),
                        z3.Not(self._caught_up(s, r, f, s.end[r])),
                        quorum_isr=less,
                        isr=z3.Store(s.isr, r, less),
                    )
                yield action(
                    true_leader,
                    z3.Not(z3.IsMember(f, s.isr[r])),
                    self._caught_up(s, r, f, s.hw[r]),
                    quorum_isr=more,
                    isr=z3.Store(s.isr, r, more),
                )

    def _follower(self, s: State, action: Callable[..., Any]) -> Iterator[Any]:
        for f in self.replicas:
            for r in self.replicas:
                if r == f:
                    continue
                at = s.end[f]
                yield action(
                    s.leader[r] == r,
                    s.leader[f] == r,
                    s.end[r] > at,
                    at < self.log_size,
                    ids=z3.Store(s.ids, f, z3.Store(s.ids[f], at, s.ids[r][at])),
                    epochs=z3.Store(s.epochs, f, z3.Store(s.epochs[f], at, s.epochs[r][at])),
                    end=z3.Store(s.end, f, at + 1),
                    hw=z3.Store(s.hw, f, _least(s.hw[r], at + 1)),
                )
                cut = self._truncation(s, r, f)
                for e in self.requests:
                    yield action(
                        e < s.next_epoch,
                        s.request_leader[e] == r,
                        e > s.epoch[f],
                        cut <= s.end[f],
                        end=z3.Store(s.end, f, cut),
                        epoch=z3.Store(s.epoch, f, e),
                        leader=z3.Store(s.leader, f, r),
                        isr=z3.Store(s.isr, f, s.request_isr[e]),
                        hw=z3.Store(s.hw, f, _least(cut, s.hw[f])),
                    )

    def _truncation(self, s: State, leader: int, follower: int) -> Any:
        if self.variant == "kafka-truncate-to-hw":
            return s.hw[follower]
        found: Any = z3.IntVal(0)
        for offset in self.offsets:
            found = z3.If(self._same_entry(s, leader, follower, offset), offset + 1, found)
        return found

    def _caught_up(self, s: State, leader: int, follower: int, end: Any) -> Any:
        have = z3.And(end > 0, s.end[leader] > end - 1, s.end[follower] > end - 1)
        return z3.And(s.leader[follower] == leader, z3.Or(end == 0, have))

    def _same_entry(self, s: State, one: int, other: int, offset: int) -> Any:
        return z3.And(
            offset < s.end[one],
            offset < s.end[other],
            s.ids[one][offset] == s.ids[other][offset],
            s.epochs[one][offset] == s.epochs[other][offset],
        )


def _least(one: Any, other: Any) -> Any:
    return z3.If(one <= other, one, other)


def search(model: Model, depth: int, timeout: float) -> dict[str, object]:
    """The steps of a shortest violation up to a depth, or the last depth that has none.

    ``steps`` is None where none was found; ``clean`` is -1 where not even depth 0 was decided.
    ``timeout`` is in seconds; where it passed, ``answer`` is ``unknown``.
    """
    started = monotonic()
    solver = z3.Solver()
    states = [State(0)]
    solver.add(model.initial(states[0]))
    for k in range(depth + 1):
        left = timeout - (monotonic() - started)
        if left <= 0:
            return {"answer": "unknown", "steps": None, "clean": k - 1}
        solver.set("timeout", max(1, int(left * 1000)))
        solver.push()
        solver.add(z3.Not(model.strong_isr(states[k])))
        answer = solver.check()
        solver.pop()
        if answer == z3.sat:
            return {"answer": "violated", "steps": k, "clean": k - 1}
        if answer == z3.unknown:
            return {"answer": "unknown", "steps": None, "clean": k - 1}
        states.append(State(k + 1))
        solver.add(model.step(states[k], states[k + 1]))
    return {"answer": "clean", "steps": None, "clean": depth}


def main() -> None:
    """Search, and print one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variant", choices=VARIANTS)
    parser.add_argument("--size", default="3,2,2,2")
    parser.add_argument("--depth", type=int, default=10)
    parser.add_argument("--timeout", type=float, default=300)
    asked = parser.parse_args()
    sizes = [int(value) for value in asked.size.split(",")]
    print(json.dumps(search(Model(asked.variant, *sizes), asked.depth, asked.timeout)))


if __name__ == "__main__":
    main()
