"""SMT-LIB 2 (QF_BV): a system as `init`, `trans` and properties, or unrolled to a depth.

The first form is VMT-LIB (Cimatti, Griggio and Tonetta, 2021): state variables with their
``:next``, then ``:init``, ``:trans`` and ``:invar-property`` as definitions without arguments, so
that any reader of SMT-LIB can use it. The second is a script that a solver runs: depth by depth
it asks for a violation there, and only then demands the step that leads deeper, so a system that
dead-ends is not thereby correct. Integers are signed bit-vectors, wide enough for every
intermediate result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bmc.readings.circuit import Node, cone
from bmc.readings.shapes import is_bool
from bmc.system.atoms import Atoms
from bmc.system.latches import LatchClaim
from bmc.system.transition import Rule, TransitionSystem

_NAMES = {"iff": "=", "eq": "=", "le": "bvsle", "add": "bvadd", "sub": "bvsub"}

Known = Sequence[tuple[str, Node]]


def write_transition_system(
    system: TransitionSystem, claims: Sequence[LatchClaim], known: Known, about: Sequence[str]
) -> str:
    """The system as VMT-LIB; `init` and `trans` have what is ``known`` of every reachable state."""
    writer = _Writer(system, claims, known)
    lines = [*_comments(about), *writer.declarations((0, 1))]
    for leaf, name in enumerate(writer.subjects):
        now, then = writer.variable(leaf, 0), writer.variable(leaf, 1)
        definition = f"|{name} @ and next|"
        sort = writer.sort(system.leaves[leaf].boolean)
        lines.append(f"(define-fun {definition} () {sort} (! {now} :next {then}))")
    lines += [*writer.state(0), *writer.state(1), *writer.step(0)]
    lines.append("(define-fun |init| () Bool (! (and |initial@0| |valid@0|) :init true))")
    lines.append("(define-fun |trans| () Bool (! |step@0| :trans true))")
    for number, claim in enumerate(claims):
        if not claim.of_steps:
            holds = f"(! {writer.claim(claim, 0)} :invar-property {number})"
            lines.append(f"(define-fun |{writer.named[claim.name]}| () Bool {holds})")
    return "\n".join([*lines, ""])


def write_unrolling(
    system: TransitionSystem,
    claims: Sequence[LatchClaim],
    known: Known,
    about: Sequence[str],
    depth: int,
) -> str:
    """A script with a `check-sat` a depth up to ``depth``: *sat* where a claim is violated."""
    writer = _Writer(system, claims, known)
    lines = [*_comments(about), "(set-logic QF_BV)"]
    for k in range(depth + 1):
        lines += [f"; depth {k}", *writer.declarations([k]), *writer.state(k)]
        lines.append(f"(assert |valid@{k}|)" if k else "(assert (and |initial@0| |valid@0|))")
        if k:
            lines += [*writer.step(k - 1), f"(assert |step@{k - 1}|)"]
        asked = [c for c in claims if k or not c.of_steps]
        holds = [writer.claim(c, k - 1 if c.of_steps else k) for c in asked]
        lines += ["(push 1)", f"(assert (not {_all(holds)}))", "(check-sat)", "(pop 1)"]
    return "\n".join([*lines, "(exit)", ""])


def _comments(about: Iterable[str]) -> Iterator[str]:
    yield from (f"; {_printed(line)}" for line in about)


def _printed(text: str) -> str:
    """Return a text on one line: a comment ends at each that a file's or a value's name begins."""
    return "".join(one if one.isprintable() else "_" for one in text)


def _all(parts: Sequence[str]) -> str:
    return f"(and {' '.join(parts)})" if len(parts) > 1 else parts[0] if parts else "true"


class _Symbols:
    """Names that a quoted symbol can hold, each for one thing; none begins as a gate's does."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    def named(self, wanted: str) -> str:
        """Return the name of another thing: what is wanted, with a number if it is taken."""
        stem = _printed(wanted).replace("|", "_").replace("\\", "_").lstrip("$")
        name, number = stem, 2
        while name in self._taken:
            name, number = f"{stem}~{number}", number + 1
        self._taken.add(name)
        return name


class _Writer:
    def __init__(
        self, system: TransitionSystem, claims: Sequence[LatchClaim], known: Known
    ) -> None:
        self.system = system
        symbols = _Symbols(("valid", "initial", "step"))
        self.named = {one.name: symbols.named(f"property {one.name}") for one in claims}
        self._rules = [symbols.named(f"{r.action} {n}") for n, r in enumerate(system.rules)]
        self.subjects = [symbols.named(name) for name in Atoms(system).subjects()]
        self._stays = [symbols.named(f"{name} stays") for name in self.subjects]
        c = system.circuit
        self._claims = list(claims)
        self._valid = c.all([system.well_formed, system.constraint, *(node for _, node in known)])
        self._guards = [c.and_(rule.guard, c.not_(rule.overflow)) for rule in system.rules]
        states = [claim.holds for claim in claims if not claim.of_steps]
        steps = [claim.holds for claim in claims if claim.of_steps]
        updates = [node for rule in system.rules for node in rule.updates.values()]
        self._of_state = [system.initial, self._valid, *states, *self._guards, *updates]
        self._of_step = steps
        numbers = [n for n in cone([*self._of_state, *steps]) if not is_bool(n)]
        ranges = [(leaf.low, leaf.high) for leaf in system.leaves if not leaf.boolean]
        ranges += [(node.low, node.high) for node in numbers]
        self._width = 1 + max((max(high, -low - 1).bit_length() for low, high in ranges), default=0)

    def sort(self, boolean: bool) -> str:
        """The sort of truth values or of integers."""
        return "Bool" if boolean else f"(_ BitVec {self._width})"

    def variable(self, leaf: int, frame: int) -> str:
        """A scalar of the state in a frame."""
        return f"|{self.subjects[leaf]}@{frame}|"

    def declarations(self, frames: Iterable[int]) -> Iterator[str]:
        """The state's scalars in frames."""
        for frame in frames:
            for leaf in self.system.leaves:
                sort = self.sort(leaf.boolean)
                yield f"(declare-fun {self.variable(leaf.index, frame)} () {sort})"

    def state(self, frame: int) -> Iterator[str]:
        """What is defined of one frame."""
        yield from self._definitions(self._of_state, frame, "n")
        ranges = [self._range(leaf.index, frame) for leaf in self.system.leaves if not leaf.boolean]
        valid = _all([*ranges, self._name(self._valid, frame)])
        yield f"(define-fun |valid@{frame}| () Bool {valid})"
        initial = self._name(self.system.initial, frame)
        yield f"(define-fun |initial@{frame}| () Bool {initial})"
        for claim in self._claims:
            if not claim.of_steps:
                holds = self._name(claim.holds, frame)
                yield f"(define-fun {self.claim(claim, frame)} () Bool {holds})"

    def step(self, frame: int) -> Iterator[str]:
        """The step from a frame to the next, both of which are defined."""
        taken = []
        for leaf, stays in enumerate(self._stays):
            same = f"(= {self.variable(leaf, frame + 1)} {self.variable(leaf, frame)})"
            yield f"(define-fun |{stays}@{frame}| () Bool {same})"
        for symbol, rule, guard in zip(self._rules, self.system.rules, self._guards, strict=True):
            yield from _comments([_title(rule)])
            name = f"|{symbol}@{frame}|"
            yield f"(define-fun {name} () Bool {self._rule(rule, guard, frame)})"
            taken.append(name)
        some = f"(or {' '.join(taken)} false)" if taken else "false"
        valid = [f"|valid@{frame}|", f"|valid@{frame + 1}|"]
        yield f"(define-fun |step@{frame}| () Bool {_all([some, *valid])})"
        yield from self._definitions(self._of_step, frame, "s")
        for claim in self._claims:
            if claim.of_steps:
                holds = self._name(claim.holds, frame, "s")
                yield f"(define-fun {self.claim(claim, frame)} () Bool {holds})"

    def claim(self, claim: LatchClaim, frame: int) -> str:
        """A claim of a state, or of the step out of it."""
        return f"|{self.named[claim.name]}@{frame}|"

    def _rule(self, rule: Rule, guard: Node, frame: int) -> str:
        parts = [self._name(guard, frame)]
        for leaf in self.system.leaves:
            if leaf.index in rule.updates:
                value = self._name(rule.updates[leaf.index], frame)
                parts.append(f"(= {self.variable(leaf.index, frame + 1)} {value})")
            else:
                parts.append(f"|{self._stays[leaf.index]}@{frame}|")
        return _all(parts)

    def _range(self, leaf: int, frame: int) -> str:
        name, described = self.variable(leaf, frame), self.system.leaves[leaf]
        low, high = self._number(described.low), self._number(described.high)
        return f"(and (bvsle {low} {name}) (bvsle {name} {high}))"

    def _number(self, value: int) -> str:
        return f"(_ bv{value % 2**self._width} {self._width})"

    def _definitions(self, roots: Sequence[Node], frame: int, prefix: str) -> Iterator[str]:
        for node in cone(roots):
            if node.args:
                args = " ".join(self._name(a, frame, prefix) for a in node.args)
                name, sort = self._name(node, frame, prefix), self.sort(is_bool(node))
                yield f"(define-fun {name} () {sort} ({_NAMES.get(node.op, node.op)} {args}))"

    def _name(self, node: Node, frame: int, prefix: str = "n") -> str:
        match node.op:
            case "const":
                return "true" if node.data else "false"
            case "num":
                return self._number(node.data)
            case "var" | "ivar":
                leaves = len(self.system.leaves)
                return self.variable(node.data % leaves, frame + node.data // leaves)
        return f"${prefix}{node.uid}@{frame}"


def _title(rule: Rule) -> str:
    chosen = ", ".join(f"{name}={value}" for name, value in rule.arguments.items())
    return f"{rule.action}({chosen})"
