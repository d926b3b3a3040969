"""Random TLA+ texts: typed, finite, and total but for what a guard prevents."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

MOST = 3
"""The greatest number in a state, and the greatest length of a sequence."""

CONNECTIVES = ("/\\", "\\/", "=>", "<=>")
SET_OPERATORS = ("\\cup", "\\cap", "\\")
STRINGS = ('"a"', '"b"', '"c"')
TYPES = ("int", "bool", "str", "set", "fun", "seq", "rec", "pair", "sets")


class Writer:
    """Writes expressions of a type over the variables in scope."""

    def __init__(self, random: Random, bare: bool) -> None:
        self.random, self.bare = random, bare
        self.scope: list[tuple[str, str]] = []
        self._fresh = 0

    def name(self) -> str:
        """Return a name that nothing has yet."""
        self._fresh += 1
        return f"k{self._fresh}"

    def one(self, kind: str, depth: int) -> str:
        """Return an expression of a type, of at most so many levels."""
        known = [name for name, its in self.scope if its == kind]
        if known and (depth <= 0 or self.random.random() < 0.3):
            return self.random.choice(known)
        if depth <= 0:
            return self._least(kind)
        shared: list[Callable[[int], str]] = [
            lambda d: (
                f"(IF {self.one('bool', d)} THEN {self.one(kind, d)} ELSE {self.one(kind, d)})"
            ),
            lambda d: self._let(kind, d),
            lambda d: (
                f"(CASE {self.one('bool', d)} -> {self.one(kind, d)} "
                f"[] OTHER -> {self.one(kind, d)})"
            ),
        ]
        own: list[Callable[[int], str]] = getattr(self, f"_{kind}")()
        chosen = self.random.choice(own if self.random.random() < 0.75 else shared)
        written = chosen(depth - 1)
        if self.bare and self.random.random() < 0.2 and _is_enclosed(written):
            return written[1:-1]
        return written

    def _least(self, kind: str) -> str:
        r = self.random
        least: dict[str, Callable[[], str]] = {
            "int": lambda: str(r.randint(0, MOST)),
            "bool": lambda: r.choice(("TRUE", "FALSE")),
            "str": lambda: r.choice(STRINGS),
            "set": lambda: r.choice(("{}", "{0, 2}", "{1}", f"(0..{MOST})")),
            "fun": lambda: f"[i \\in 1..2 |-> {r.randint(0, MOST)}]",
            "seq": lambda: r.choice(("<<>>", "<<1>>", "<<2, 0>>")),
            "rec": lambda: f"[p |-> {r.randint(0, MOST)}, q |-> {r.choice(STRINGS)}]",
            "pair": lambda: f"<<{r.randint(0, MOST)}, {r.choice(STRINGS)}>>",
            "sets": lambda: r.choice(("{}", "{{}}", "{{1}, {0, 2}}")),
        }
        return least[kind]()

    def _let(self, kind: str, depth: int) -> str:
        name, bound = self.name(), self.random.choice(TYPES)
        value = self.one(bound, depth)
        return f"(LET {name} == {value} IN {self.under(name, bound, kind, depth)})"

    def under(self, name: str, bound: str, kind: str, depth: int) -> str:
        """Return an expression in which a name is bound."""
        self.scope.append((name, bound))
        try:
            return self.one(kind, depth)
        finally:
            self.scope.pop()

    def _over(self, kind: str, depth: int, form: str) -> str:
        """A binder's text: ``{0}`` its name, ``{1}`` its set, ``{2}`` its body."""
        name, over = self.name(), self.one("set", depth)
        return form.format(name, over, self.under(name, "int", kind, depth))

    def _int(self) -> list[Callable[[int], str]]:
        o, low = self.one, f" % {MOST + 1})"
        return [
            lambda d: f"(({o('int', d)} + {o('int', d)}){low}",
            lambda d: f"(({o('int', d)} - {o('int', d)}){low}",
            lambda d: f"(({o('int', d)} * {o('int', d)}){low}",
            lambda d: f"({o('int', d)} \\div {self.random.randint(1, 3)})",
            lambda d: f"({o('int', d)} % {self.random.randint(1, 3)})",
            lambda d: f"Len({o('seq', d)})",
            lambda d: f"(Cardinality({o('set', d)}){low}",
            lambda d: f"{o('fun', d)}[{self.random.randint(1, 2)}]",
            lambda d: f"{o('rec', d)}.p",
            lambda d: f"{o('pair', d)}[1]",
            lambda d: self._held("seq", d, "<<>>", "0", "Head({0})"),
            lambda d: self._held(
                "set", d, "{}", "0", "(CHOOSE {1} \\in {0} : \\A {2} \\in {0} : {1} <= {2})"
            ),
        ]

    def _held(self, kind: str, depth: int, none: str, otherwise: str, form: str) -> str:
        """A partial operator, asked only where it has a value."""
        name, value = self.name(), self.one(kind, depth)
        for place, given in (("{0}", name), ("{1}", self.name()), ("{2}", self.name())):
            form = form.replace(place, given)
        return f"(LET {name} == {value} IN IF {name} = {none} THEN {otherwise} ELSE {form})"

    def _bool(self) -> list[Callable[[int], str]]:
        o = self.one

        def equal(d: int) -> str:
            kind = self.random.choice(TYPES)
            return f"({o(kind, d)} {self.random.choice(('=', '#'))} {o(kind, d)})"

        return [
            equal,
            lambda d: f"({o('int', d)} {self.random.choice(('<', '<=', '>', '>='))} {o('int', d)})",
            lambda d: f"({o('bool', d)} {self.random.choice(CONNECTIVES)} {o('bool', d)})",
            lambda d: f"(~{o('bool', d)})",
            lambda d: f"({o('int', d)} \\in {o('set', d)})",
            lambda d: f"({o('set', d)} \\in {o('sets', d)})",
            lambda d: f"({o('str', d)} \\notin {{{o('str', d)}, {o('str', d)}}})",
            lambda d: f"({o('set', d)} \\subseteq {o('set', d)})",
            lambda d: self._over("bool", d, "(\\E {0} \\in {1} : {2})"),
            lambda d: self._over("bool", d, "(\\A {0} \\in {1} : {2})"),
        ]

    def _str(self) -> list[Callable[[int], str]]:
        return [
            lambda d: f"{self.one('rec', d)}.q",
            lambda d: f"{self.one('pair', d)}[2]",
            lambda d: self._least("str"),
        ]

    def _set(self) -> list[Callable[[int], str]]:
        o = self.one
        return [
            lambda d: f"({o('set', d)} {self.random.choice(SET_OPERATORS)} {o('set', d)})",
            lambda d: f"{{{o('int', d)}, {o('int', d)}}}",
            lambda d: f"({o('int', d)}..{o('int', d)})",
            lambda d: self._over("bool", d, "{{{0} \\in {1} : {2}}}"),
            lambda d: self._over("int", d, "{{{2} : {0} \\in {1}}}"),
            lambda d: f"(DOMAIN {o('fun', d)})",
            lambda d: f"(DOMAIN {o('seq', d)})",
            lambda d: f"UNION {o('sets', d)}",
            lambda d: self._ranged(d),
        ]

    def _ranged(self, depth: int) -> str:
        name = self.name()
        return f"(LET {name} == {self.one('seq', depth)} IN {{{name}[i] : i \\in DOMAIN {name}}})"

    def _sets(self) -> list[Callable[[int], str]]:
        o = self.one
        return [
            lambda d: f"{{{o('set', d)}, {o('set', d)}}}",
            lambda d: f"(SUBSET {o('set', d)})",
            lambda d: f"({o('sets', d)} {self.random.choice(SET_OPERATORS)} {o('sets', d)})",
            lambda d: self._over("set", d, "{{{2} : {0} \\in {1}}}"),
        ]

    def _fun(self) -> list[Callable[[int], str]]:
        def at() -> int:
            return self.random.randint(1, 2)

        def made(d: int) -> str:
            name = self.name()
            return f"[{name} \\in 1..2 |-> {self.under(name, 'int', 'int', d)}]"

        return [
            made,
            lambda d: f"[{self.one('fun', d)} EXCEPT ![{at()}] = {self.one('int', d)}]",
            lambda d: (
                f"[{self.one('fun', d)} EXCEPT ![{at()}] = (@ + 1) % {MOST + 1}, "
                f"![{at()}] = {MOST} - @]"
            ),
        ]

    def _seq(self) -> list[Callable[[int], str]]:
        o = self.one

        def appended(d: int) -> str:
            name = self.name()
            return (
                f"(LET {name} == {o('seq', d)} IN IF Len({name}) < {MOST} "
                f"THEN Append({name}, {o('int', d)}) ELSE {name})"
            )

        def selected(d: int) -> str:
            name = self.name()
            test = self.under(name, "int", "bool", d)
            return f"SelectSeq({o('seq', d)}, LAMBDA {name} : {test})"

        def joined(d: int) -> str:
            name = self.name()
            return (
                f"(LET {name} == {o('seq', d)} \\o {o('seq', d)} IN "
                f"IF Len({name}) > {MOST} THEN SubSeq({name}, 2, {MOST + 1}) ELSE {name})"
            )

        return [
            appended,
            joined,
            lambda d: f"<<{o('int', d)}, {o('int', d)}>>",
            lambda d: self._held("seq", d, "<<>>", "<<>>", "Tail({0})"),
            selected,
            lambda d: self._held("seq", d, "<<>>", "<<1>>", "[{0} EXCEPT ![1] = (@ + 1) % 4]"),
        ]

    def _rec(self) -> list[Callable[[int], str]]:
        o = self.one
        return [
            lambda d: f"[p |-> {o('int', d)}, q |-> {o('str', d)}]",
            lambda d: f"[{o('rec', d)} EXCEPT !.p = (@ + {o('int', d)}) % {MOST + 1}]",
            lambda d: f"[{o('rec', d)} EXCEPT !.q = {o('str', d)}]",
        ]

    def _pair(self) -> list[Callable[[int], str]]:
        return [
            lambda d: f"<<{self.one('int', d)}, {self.one('str', d)}>>",
            lambda d: f"[{self.one('pair', d)} EXCEPT ![2] = {self.one('str', d)}]",
        ]


def _is_enclosed(written: str) -> bool:
    """Whether one pair of parentheses stands around all of a text."""
    depth = 0
    for place, sign in enumerate(written):
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if not depth:
            return sign == ")" and place == len(written) - 1
    return False


def text(seed: int, bare: bool) -> str:
    """Return the module of that number, called Fuzz; ``bare`` leaves out some parentheses."""
    random = Random(seed)
    kinds = {f"v{i}": random.choice(TYPES[:-1]) for i in range(random.randint(2, 4))}
    writer = Writer(random, bare)
    initial = []
    for name, kind in kinds.items():
        if kind == "int" and random.random() < 0.5:
            initial.append(f"{name} \\in 0..{random.randint(0, 2)}")
        else:
            initial.append(f"{name} = {writer.one(kind, 1)}")
    writer.scope = list(kinds.items())
    actions = [_action(f"A{i}", kinds, writer) for i in range(random.randint(2, 4))]
    names = [f"A{i}" for i in range(len(actions))]
    return "\n".join(
        [
            "---- MODULE Fuzz ----",
            "EXTENDS Integers, Sequences, FiniteSets",
            f"VARIABLES {', '.join(kinds)}",
            "Init == " + " /\\ ".join(initial),
            *actions,
            "Next == " + " \\/ ".join(names),
            f"Inv == {writer.one('bool', 4)}",
            "====",
            "",
        ]
    )


def _action(name: str, kinds: dict[str, str], writer: Writer) -> str:
    random, before = writer.random, ""
    depth = 3
    bound = random.random() < 0.5
    parameter = writer.name()
    if bound:
        before = f"\\E {parameter} \\in {writer.one('set', 2)} : "
        writer.scope.append((parameter, "int"))
    guards = [writer.one("bool", depth)] if random.random() < 0.7 else []
    parts = [*guards, *(_update(n, k, writer, depth) for n, k in kinds.items())]
    if bound:
        writer.scope.pop()
    return f"{name} == {before}" + "".join(f"\n    /\\ {part}" for part in parts)


def _update(name: str, kind: str, writer: Writer, depth: int) -> str:
    random = writer.random
    drawn = random.random()
    if drawn < 0.35:
        return f"UNCHANGED {name}"
    if drawn < 0.5 and kind == "int":
        return f"{name}' \\in {writer.one('set', depth - 1)}"
    if drawn < 0.55 and kind == "set":
        return f"{name}' \\in SUBSET {writer.one('set', 1)}"
    if drawn < 0.65:
        one, other = writer.one(kind, depth), writer.one(kind, depth)
        return f"(({writer.one('bool', 2)} /\\ {name}' = {one}) \\/ {name}' = {other})"
    return f"{name}' = {writer.one(kind, depth)}"
