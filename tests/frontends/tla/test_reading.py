"""A specification is read as TLA+ says it, and what cannot be read is said with its place."""

from pathlib import Path

import pytest

from bmc.frontends.tla import core as c
from bmc.frontends.tla.errors import TlaError, TlaUnsupported
from bmc.frontends.tla.levels import Level, level
from bmc.frontends.tla.load import load
from bmc.frontends.tla.modules import LIBRARY
from bmc.frontends.tla.operators import Operator
from bmc.frontends.tla.specification import Specification
from bmc.frontends.tla.survey import reached, walk
from bmc.frontends.tla.syntax import parse


def read(folder: Path, body: str, config: str = "INVARIANT Inv", **others: str) -> Specification:
    """Load module M of this body, beside others."""
    for name, text in {"M": body, **others}.items():
        (folder / f"{name}.tla").write_text(f"---- MODULE {name} ----\n{text}\n====\n")
    (folder / "M.cfg").write_text(config)
    return load(folder / "M.tla")


def told(found: c.Expression) -> str:
    """Write an expression with every grouping shown and every call carried out by name."""
    match found:
        case c.Call(definition=definition, arguments=arguments):
            return f"{definition.name}({', '.join(map(told, arguments))})"
        case c.Builtin(operator=operator, arguments=arguments):
            return f"{operator.name}({', '.join(map(told, arguments))})"
        case c.VariableRef(name=name) | c.ConstantRef(name=name):
            return name
        case c.LocalRef(binding=binding):
            return binding.name
        case c.IntegerLiteral(value=value) | c.BooleanLiteral(value=value):
            return str(value)
        case c.Prime(operand=operand):
            return f"{told(operand)}'"
        case c.Let(body=body):
            return told(body)
        case c.Quantifier(kind=kind, body=body):
            return f"{kind.name}({told(body)})"
        case c.Product(factors=factors):
            return f"PRODUCT({', '.join(map(told, factors))})"
        case _:
            return type(found).__name__


def invariant(specification: Specification) -> c.Expression:
    """Return the body of the only invariant."""
    (named,) = specification.invariants
    assert isinstance(named.expression, c.Call)
    return named.expression.definition.body


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("1 + 2 * 3 = 7", "EQUAL(PLUS(1, TIMES(2, 3)), 7)"),
        ("1 - 2 - 3 = 0", "EQUAL(MINUS(MINUS(1, 2), 3), 0)"),
        ("~ x = 1 /\\ TRUE", "AND(NOT(EQUAL(x, 1)), True)"),
        ("x = 1 => x = 2 \\/ x = 3", "IMPLIES(EQUAL(x, 1), OR(EQUAL(x, 2), EQUAL(x, 3)))"),
        ("-x + 1 = 0", "EQUAL(PLUS(NEGATE(x), 1), 0)"),
        (
            "\\A a \\in {} : a = 1 => \\E b \\in {} : b = a /\\ TRUE",
            "FORALL(IMPLIES(EQUAL(a, 1), EXISTS(AND(EQUAL(b, a), True))))",
        ),
        (
            "x \\in {} \\X {} \\X {}",
            "IN(x, PRODUCT(SetEnumeration, SetEnumeration, SetEnumeration))",
        ),
        (
            "x \\in ({} \\X {}) \\X {}",
            "IN(x, PRODUCT(PRODUCT(SetEnumeration, SetEnumeration), SetEnumeration))",
        ),
        (
            "SUBSET {} \\cup {} = {}",
            "EQUAL(CUP(POWER_SET(SetEnumeration), SetEnumeration), SetEnumeration)",
        ),
        ("x \\in SUBSET 1 .. 2", "IN(x, INTERVAL(POWER_SET(1), 2))"),
        ("/\\ TRUE\n       \\/ FALSE", "OR(AND(True), False)"),
        ("/\\ TRUE\n         \\/ FALSE", "AND(OR(True, False))"),
        (
            "/\\ \\/ TRUE\n          \\/ FALSE\n       /\\ x = 1",
            "AND(OR(True, False), EQUAL(x, 1))",
        ),
        ("x ≥ 1 ∧ ¬ FALSE", "AND(GREATER_EQUAL(x, 1), NOT(False))"),
        ("x = \\b101 (* a (* nested *) comment *) \\* and this", "EQUAL(x, 5)"),
    ],
)
def test_operators_and_lists_group_as_in_the_book(tmp_path: Path, text: str, meaning: str) -> None:
    found = read(tmp_path, f"EXTENDS Integers\nVARIABLE x\nInv == {text}")
    assert told(invariant(found)) == meaning


def test_a_substituted_variable_is_primed_as_the_expression_it_stands_for(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "EXTENDS Naturals\nVARIABLE y\nI == INSTANCE Counter WITH n <- y + 1\nInv == I!Step",
        "ACTION_CONSTRAINT Inv",
        Counter="EXTENDS Naturals\nVARIABLE n\nStep == n' = n",
    )
    (named,) = found.action_constraints
    step = next(d for d in reached([named.expression]) if d.name == "I!Step")
    assert told(step.body) == "EQUAL(PLUS(y, 1)', PLUS(y, 1))"
    assert level(named.expression) is Level.ACTION


@pytest.mark.parametrize(
    ("substitute", "meaning"),
    [
        ("~\\A z \\in {} : TRUE", "NOT(FORALL(True))"),
        ("~~TRUE", "NOT(NOT(True))"),
        ("-1", "NEGATE(1)"),
        ("~IF TRUE THEN TRUE ELSE FALSE", "NOT(If)"),
    ],
)
def test_a_substitute_may_begin_with_an_operator(
    tmp_path: Path, substitute: str, meaning: str
) -> None:
    found = read(
        tmp_path,
        f"EXTENDS Integers\nI(c) == INSTANCE Held\nJ == INSTANCE Held WITH c <- {substitute}\n"
        "Inv == J!Own = 1",
        Held="CONSTANT c\nOwn == c",
    )
    own = next(d for d in reached([invariant(found)]) if d.name == "J!Own")
    assert told(own.body) == meaning


def test_a_parametrised_instance_gives_its_parameter_to_what_it_defines(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "VARIABLE y\nI(p) == INSTANCE Held WITH c <- p\nInv == I(y)!Twice(3) = I(4)!Twice(5)",
        Held="CONSTANT c\nOnce(a) == <<a, c>>\nTwice(a) == Once(a) = c",
    )
    assert told(invariant(found)) == "EQUAL(I!Twice(y, 3), I!Twice(4, 5))"
    twice = next(d for d in reached([invariant(found)]) if d.name == "I!Twice")
    assert told(twice.body) == "EQUAL(I!Once(p, a), p)"


def test_local_definitions_stay_in_their_module(tmp_path: Path) -> None:
    other = "LOCAL Hidden == 1\nShown == Hidden"
    assert told(invariant(read(tmp_path, "EXTENDS Other\nInv == Shown = 1", Other=other)))
    with pytest.raises(TlaError, match="Hidden is not defined in module M"):
        read(tmp_path, "EXTENDS Other\nInv == Hidden = 1", Other=other)


def test_only_what_is_reached_has_to_resolve(tmp_path: Path) -> None:
    assert read(tmp_path, "Inv == TRUE\nUnused == Unknown(1)").invariants


def test_a_specification_is_taken_apart(tmp_path: Path) -> None:
    body = (
        "VARIABLES x, y\nInit == x = 1 /\\ y = 2\nNext == x' = y /\\ UNCHANGED y\n"
        "Spec == /\\ Init\n        /\\ [][Next]_<<x, y>>\n        /\\ WF_<<x, y>>(Next)\n"
        "Inv == x = 1\nLive == <>(x = 2)\nOther == TRUE"
    )
    config = (
        "SPECIFICATION Spec\nINVARIANT Inv\nPROPERTY Live\nCHECK_DEADLOCK FALSE\n"
        "\\* bmc: lemma Other\n\\* bmc: bound x 0..7\n"
    )
    found = read(tmp_path, body, config)
    assert found.init is not None
    assert told(found.init) == "Init()"
    assert found.next is not None
    assert told(found.next) == "Next()"
    assert [type(one).__name__ for one in found.fairness] == ["Fairness"]
    assert [v.name for v in found.variables] == ["x", "y"]
    assert [named.name for named in (*found.properties, *found.lemmas)] == ["Live", "Other"]
    assert found.bounds == {"x": (0, 7)}
    assert not found.check_deadlock


@pytest.mark.parametrize(
    "spec",
    [
        "Spec == LET F == WF_x(Next) B == Init /\\ [][Next]_x IN B /\\ F",
        "With(k) == LET B == [][x' = k]_x IN Init /\\ B /\\ WF_x(x' = k)\nSpec == With(1)",
        "With(F, v) == Init /\\ [][Next]_v /\\ F\nSpec == With(WF_x(Next), x)",
        "O(k) == INSTANCE Other\nSpec == LET one == 1 IN O(one)!Spec",
        "Within(v) == <<v>>\nOf(w) == LET B == [][Next]_w IN Init /\\ B /\\ WF_w(Next)\n"
        "Spec == Of(Within(x))",
    ],
)
def test_a_specification_under_let_and_operators_is_taken_apart(tmp_path: Path, spec: str) -> None:
    body = f"EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = 1\n{spec}\nInv == x < 2"
    other = (
        "CONSTANT k\nVARIABLE x\nStart == x = 0\nGo == x' = k\n"
        "Spec == Start /\\ [][Go]_x /\\ WF_x(Go)"
    )
    found = read(tmp_path, body, "SPECIFICATION Spec\nINVARIANT Inv", Other=other)
    assert found.init is not None
    assert found.next is not None
    assert len(found.fairness) == 1


@pytest.mark.parametrize(
    "spec",
    [
        "Of(w) == Init /\\ [][Next]_w\nSpec == Of(x)",
        "Of(w) == LET B == [][Next]_w IN Init /\\ B\nSpec == Of(<<x>>)",
        "Spec == LET v == <<x>> S(n) == x = n /\\ [][Next]_v IN S(0)",
    ],
)
def test_a_relation_in_an_operator_that_it_reads_nothing_of_has_its_own_name(
    tmp_path: Path, spec: str
) -> None:
    body = f"VARIABLE x\nInit == x = 0\nUp == x' = 1\nNext == Up\n{spec}\nInv == x # 2"
    found = read(tmp_path, "EXTENDS Naturals\n" + body, "SPECIFICATION Spec\nINVARIANT Inv").next
    assert isinstance(found, c.Call)
    assert found.definition.name == "Next"


@pytest.mark.parametrize("subscript", ["x", "<<x>>", "x + y", "<<x, y + 0>>", "part"])
def test_a_step_that_the_subscript_leaves_open_is_refused(tmp_path: Path, subscript: str) -> None:
    body = (
        "EXTENDS Integers\nVARIABLES x, y\npart == <<x>>\nInit == x = 0 /\\ y = 0\n"
        f"Next == x' = 1 /\\ y' = y\nSpec == Init /\\ [][Next]_({subscript})\nInv == y = 0"
    )
    with pytest.raises(
        TlaUnsupported, match=r"subscript of \[\]\[Next\]_v lacks (x, )?y: the text"
    ):
        read(tmp_path, body, "SPECIFICATION Spec\nINVARIANT Inv")


def test_the_variables_of_a_subscript_may_be_nested_and_named(tmp_path: Path) -> None:
    body = (
        "VARIABLES x, y, z\nO(k) == INSTANCE Other WITH held <- z\n"
        "part == LET one == <<x>> IN <<one, <<y>>, O(1)!vars>>\n"
        "Init == x = 0 /\\ y = 0 /\\ z = 0\nNext == UNCHANGED part\n"
        "Spec == Init /\\ [][Next]_part\nInv == y = 0"
    )
    config = "SPECIFICATION Spec\nINVARIANT Inv"
    other = "VARIABLE held\nvars == <<held>>"
    assert read(tmp_path, body, config, Other=other).next is not None


def test_modules_that_extend_each_other_are_refused(tmp_path: Path) -> None:
    (tmp_path / "N.tla").write_text("---- MODULE N ----\nEXTENDS M\n====\n")
    with pytest.raises(TlaError, match="module M extends itself"):
        read(tmp_path, "EXTENDS N\nInv == TRUE")


def test_recursion_needs_its_declaration(tmp_path: Path) -> None:
    body = "EXTENDS Naturals\nF(n) == IF n = 0 THEN 0 ELSE F(n - 1)\nInv == F(3) = 0"
    with pytest.raises(TlaError, match=r"F is defined by itself[\s\S]*RECURSIVE F\(_\)"):
        read(tmp_path, body)
    found = read(tmp_path, body.replace("F(n) ==", "RECURSIVE F(_)\nF(n) =="))
    assert any(d.is_recursive for d in reached([invariant(found)]))
    read(
        tmp_path,
        "EXTENDS Naturals\nf[n \\in Nat] == IF n = 0 THEN 0 ELSE f[n - 1]\nInv == f[3] = 0",
    )


def test_a_let_in_an_instance_and_an_instance_in_a_let(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "VARIABLE y\nInv == \\A z \\in {} : LET I == INSTANCE Other WITH c <- z IN I!Same(y)",
        Other="CONSTANT c\nSame(a) == LET both == <<a, c>> IN both = both",
    )
    let = next(part for part in walk([invariant(found)]) if isinstance(part, c.Let))
    assert [definition.name for definition in let.definitions] == ["I!Same"]


def test_a_theorem_with_its_proof_is_passed_over(tmp_path: Path) -> None:
    body = (
        "VARIABLE x\nTHEOREM Named == x = x\n<1>1. ASSUME NEW y PROVE y = y\n  BY DEF Inv\n"
        "<1> DEFINE A == 3\n<1> QED OBVIOUS\nInv == Named"
    )
    assert told(invariant(read(tmp_path, body))) == "Named()"


@pytest.mark.parametrize("path", sorted(LIBRARY.glob("*.tla")), ids=lambda path: path.stem)
def test_the_shipped_modules_resolve(tmp_path: Path, path: Path) -> None:
    module = parse(path.read_text(), path.name)
    plain = [
        u.name.text
        for u in module.units
        if hasattr(u, "body") and not u.is_local and not getattr(u, "parameters", ())
    ]
    calls = []
    for unit in module.units:
        if hasattr(unit, "parameters") and not unit.is_local and unit.name.text.isalnum():
            given = [
                f"LAMBDA {', '.join('abcd'[: p.arity])} : a" if p.arity else "x"
                for p in unit.parameters
            ]
            if given:
                calls.append(f"{unit.name.text}({', '.join(given)})")
    body = f"EXTENDS {path.stem}\nVARIABLE x\nInv == <<{', '.join([*plain, *calls])}>> = x"
    assert read(tmp_path, body).invariants


INNER = """---- MODULE In ----
CONSTANT C
VARIABLE x
Same == x = C
====
VARIABLE x
"""


def test_what_changes_may_stand_for_the_constants_of_a_module_without_variables(
    tmp_path: Path,
) -> None:
    """A configuration may put an operator that reads the state in the place of a constant."""
    body = "VARIABLE x\nI == INSTANCE In WITH C <- x\nInv == I!Twice = {x}"
    plain = read(tmp_path, body, In="CONSTANT C\nTwice == {C, C}")
    assert level(invariant(plain)) is Level.STATE
    body = "VARIABLE x\nI(p) == INSTANCE In WITH C <- p\nInv == I(x)!Twice = {x}"
    assert level(invariant(read(tmp_path, body, In="CONSTANT C\nTwice == {C, C}"))) is Level.STATE
    body = f"{INNER}I(p, q) == INSTANCE In WITH C <- p, x <- q\nInv == I(3, <<x>>)!Same"
    assert level(invariant(read(tmp_path, body))) is Level.STATE
    body = "CONSTANT C\nVARIABLE x\nRead == x\nI == INSTANCE In\nInv == I!Same"
    replaced = "CONSTANT C <- Read INVARIANT Inv"
    read(tmp_path, body, replaced, In="CONSTANT C\nVARIABLE x\nSame == x = C")


def test_a_long_chain_of_definitions_is_read(tmp_path: Path) -> None:
    chain = "\n".join(f"D{i} == D{i - 1}" for i in range(1, 3001))
    found = read(tmp_path, f"D0 == TRUE\n{chain}\nInv == D3000")
    assert sum(1 for _ in reached([invariant(found)])) == 3001


def test_names_of_signs_are_those_of_the_operators() -> None:
    assert Operator("\\leq") is Operator.LESS_EQUAL
