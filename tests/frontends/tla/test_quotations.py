"""The explanation of a violated claim quotes the text: its conjunct, its place, its values."""

from pathlib import Path

import pytest

from bmc.frontends.tla.errors import Span
from bmc.frontends.tla.excerpt import on_one_line
from bmc.frontends.tla.load import load
from bmc.frontends.tla.quoting import quotation
from bmc.frontends.tla.values import Function, domain_of, record
from bmc.lang.quotation import QuotedPart
from tests.cli.running import ROOT, bmc

BACKUP = ROOT / "docs" / "examples" / "Backup.tla"

CLAIMS = r"""---- MODULE Claims ----
EXTENDS Integers, FiniteSets
VARIABLES f, n
vars == <<f, n>>
Init == f = [i \in 0..2 |-> i] /\ n = [low |-> 1]
Next == UNCHANGED vars

Below(a, b) == a < b
Plain == n.low > 1
Each == /\ n.low = 1
        /\ \A i \in 0..2, j \in {7} :
             LET twice == 2 * f[i] IN
             ~Below(i + 1, twice)  \* false of 3 alone
Some == \E i \in 0..2 : f[i] = 9
Cases == IF n.low \in Nat THEN \/ f[0] # 5
                               \/ Cardinality({n}) = 2
                          ELSE FALSE
Inner == n.low = 1 => \A i \in 0..2 : \E j \in 0..2 : f[i] = j
Denied == ~(n.low = 1 /\ \E i \in 0..2, j \in {1} : f[i] = 5 * j)
Steps == [][n.low' >= n.low /\ Plain' => TRUE]_vars
Many == n.low = 1 <=> n.low = 2
====
"""


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    (tmp_path / "Claims.tla").write_text(CLAIMS)
    (tmp_path / "Claims.cfg").write_text(
        "INIT Init NEXT Next INVARIANTS Plain Each Some Cases Inner Denied Many PROPERTY Steps"
    )
    return tmp_path / "Claims.tla"


def state(*images: int, low: int = 1) -> tuple[object, ...]:
    return Function((domain_of(frozenset(range(3))), *images)), record(low=low)


@pytest.mark.parametrize(
    ("name", "after", "place", "lines", "chosen", "parts"),
    [
        ("Plain", state(0, 1, 2), 9, ["n.low > 1"], "", [("n.low > 1", False, "1 > 1")]),
        (
            "Each",
            state(0, 1, 3),
            13,
            [r"~Below(i + 1, twice)"],
            "i = 2, j = 7",
            [("Below(i + 1, twice)", True, "")],
        ),
        (
            "Some",
            state(0, 1, 2),
            14,
            [r"\E i \in 0..2 : f[i] = 9"],
            "",
            [(r"\E i \in 0..2 : f[i] = 9", False, "")],
        ),
        (
            "Inner",
            state(0, 7, 2),
            18,
            [r"n.low = 1 => \A i \in 0..2 : \E j \in 0..2 : f[i] = j"],
            "i = 1",
            [("n.low = 1", True, "1 = 1"), (r"\E j \in 0..2 : f[i] = j", False, "")],
        ),
        (
            "Denied",
            state(0, 1, 5),
            19,
            [r"~(n.low = 1 /\ \E i \in 0..2, j \in {1} : f[i] = 5 * j)"],
            "i = 2, j = 1",
            [("n.low = 1", True, "1 = 1"), ("f[i] = 5 * j", True, "5 = 5")],
        ),
        (
            "Cases",
            state(5, 1, 2),
            15,
            [
                r"IF n.low \in Nat THEN \/ f[0] # 5",
                r"                      \/ Cardinality({n}) = 2",
                "                 ELSE FALSE",
            ],
            "",
            [
                (r"n.low \in Nat", True, ""),
                ("f[0] # 5", False, "5 # 5"),
                ("Cardinality({n}) = 2", False, "1 = 2"),
            ],
        ),
    ],
)
def test_a_conjunct_is_quoted_with_its_instance_and_what_it_compares(
    claims: Path,
    name: str,
    after: tuple[object, ...],
    place: int,
    lines: list[str],
    chosen: str,
    parts: list[tuple[str, bool, str]],
) -> None:
    found = quotation(load(claims), name, after, after)
    assert found is not None
    assert found.place == f"Claims.tla:{place}"
    assert list(found.lines) == lines
    assert ", ".join(f"{n} = {value}" for n, value in found.chosen) == chosen
    assert found.parts == tuple(QuotedPart(*part) for part in parts)


def test_a_step_is_quoted_with_both_states(claims: Path) -> None:
    claims.write_text(CLAIMS.replace(" => TRUE]_vars", "]_vars"))
    found = quotation(load(claims), "Steps", state(0, 1, 2), state(0, 1, 2, low=0))
    assert found is not None
    assert found.parts == (QuotedPart("n.low' >= n.low", False, "0 >= 1"),)
    found = quotation(load(claims), "Steps", state(0, 1, 2), state(0, 1, 9))
    assert found is not None
    assert (found.place, found.parts) == (
        "Claims.tla:9",
        (QuotedPart("n.low > 1", False, "1 > 1"),),
    )


def test_what_is_true_or_no_part_of_the_text_is_not_quoted(claims: Path) -> None:
    read = load(claims)
    assert quotation(read, "Plain", state(0, 1, 2, low=2), state(0, 1, 2, low=2)) is None
    assert quotation(read, "Deadlock", state(0, 1, 2), state(0, 1, 2)) is None


def test_a_text_is_quoted_as_it_was_read_though_its_file_has_changed(claims: Path) -> None:
    read = load(claims)
    before = quotation(read, "Plain", state(0, 1, 2), state(0, 1, 2))
    assert before is not None
    for changed in ("", "\n\n" + CLAIMS, CLAIMS[:60]):
        claims.write_text(changed)
        assert quotation(read, "Plain", state(0, 1, 2), state(0, 1, 2)) == before
    claims.unlink()
    assert quotation(read, "Plain", state(0, 1, 2), state(0, 1, 2)) == before


def test_of_a_configuration_that_became_shorter_the_place_is_said(tmp_path: Path) -> None:
    config = tmp_path / "Of.cfg"
    config.write_text("INIT Init NEXT Next\n\nCONSTANT Low = FALSE\n")
    span = Span(str(config), 3, 16, 3, 21)
    assert on_one_line(span, {}) == "FALSE"
    config.write_text("INIT")
    assert on_one_line(span, {}) == str(span)


def test_traces_are_explained_by_the_text(tmp_path: Path) -> None:
    page = tmp_path / "t.html"
    careless = str(BACKUP.with_name("Careless.cfg"))
    answer = bmc("check", str(BACKUP), "--config", careless, "--trace", str(page))
    assert (
        "Kept is violated after step 4: Kept is false\n"
        "  Backup.tla:58: leader # None => stored[leader] >= confirmed\n"
        "    leader # None                TRUE   s2 # None\n"
        "    stored[leader] >= confirmed  FALSE  0 >= 1\n"
    ) in answer.out
    assert "stored[leader] &gt;= confirmed" in page.read_text()


def test_what_is_used_as_a_key_is_named_as_the_text_does() -> None:
    """A key of another sort was written as a chain of conditions over all of its values."""
    backup = ROOT / "docs" / "examples" / "Backup.tla"
    found = bmc("check", str(backup), "--config", str(backup.with_name("Careless.cfg")))
    said = found.out.partition("It came about in")[2]
    assert "stored[leader]" in said
    assert "IF " not in said


def test_a_set_is_named_as_the_text_does_where_a_violation_came_about(tmp_path: Path) -> None:
    """A choice was said to be from `sent_key`, which is in no text: a name of the translation."""
    (tmp_path / "Sent.tla").write_text(
        "---- MODULE Sent ----\nEXTENDS Integers\nCONSTANT Node\nVARIABLE sent\n"
        "Init == sent = [n \\in Node |-> 0]\n"
        "Next == \\E n \\in Node : sent' = [sent EXCEPT ![n] = 1]\n"
        "First == CHOOSE n \\in Node : TRUE\n"
        "Few == ~(\\A n \\in Node : sent[n] = 1 \\/ n = First)\n====\n"
    )
    (tmp_path / "Sent.cfg").write_text(
        "INIT Init NEXT Next INVARIANT Few CONSTANT Node = {a, b, c} CHECK_DEADLOCK FALSE"
    )
    found = bmc("check", str(tmp_path / "Sent.tla"), "--json")
    assert "sent_key" not in found.out
    assert "\\\\in Node" in found.out


def test_a_part_of_a_record_of_several_kinds_is_named_as_the_text_does(tmp_path: Path) -> None:
    """It was said of `Asholder_state(lease).holder`, which had no value while nobody held it."""
    (tmp_path / "Lease.tla").write_text(
        "---- MODULE Lease ----\nVARIABLE lease\n"
        'Init == lease = [state |-> "free"]\n'
        'Take == lease.state = "free" /\\ lease\' = [state |-> "held", holder |-> "a"]\n'
        'Pass == lease.state = "held" /\\ lease\' = [lease EXCEPT !.holder = "b"]\n'
        "Next == Take \\/ Pass\n"
        'Few == ~(lease.state = "held" /\\ lease.holder = "b")\n====\n'
    )
    (tmp_path / "Lease.cfg").write_text("INIT Init NEXT Next INVARIANT Few CHECK_DEADLOCK FALSE")
    said = bmc("check", str(tmp_path / "Lease.tla")).out.partition("It came about in")[2]
    assert "no value" not in said
    rows = [" ".join(line.split()[3:]) for line in said.splitlines() if "step" in line]
    assert rows == [
        'lease [state |-> "free"] → [holder |-> "a", state |-> "held"]',
        'lease.holder "a" → "b"',
    ]


def test_a_tuple_is_written_as_one_where_a_violation_came_about(tmp_path: Path) -> None:
    """`board[<<0, 1>>]` was said to be `board[[item1 |-> 0, item2 |-> 1]]`."""
    (tmp_path / "Board.tla").write_text(
        "---- MODULE Board ----\nEXTENDS Integers\nVARIABLE board\n"
        "Cells == (0..1) \\X (2..3)\nInit == board = [c \\in Cells |-> 0]\n"
        "Mark(c) == board[c] = 0 /\\ board' = [board EXCEPT ![c] = 1]\n"
        "Next == \\E c \\in Cells : Mark(c)\n"
        "Open == \\E c \\in Cells : c[1] = 1 /\\ board[c] = 0\n====\n"
    )
    (tmp_path / "Board.cfg").write_text("INIT Init NEXT Next INVARIANT Open CHECK_DEADLOCK FALSE")
    said = bmc("check", str(tmp_path / "Board.tla")).out.partition("It came about in")[2]
    assert "item" not in said
    assert "board[<<1, 2>>]" in said
    assert "board[<<1, 3>>]" in said


def test_places_are_counted_from_one_in_what_is_said_of_a_trace(tmp_path: Path) -> None:
    """`log[2]` was said to be `log[2 - 1]`, which is another element in the text's words."""
    (tmp_path / "Log.tla").write_text(
        "---- MODULE Log ----\nEXTENDS Integers, Sequences\nVARIABLES log, n\n"
        "Init == log = <<>> /\\ n = 0\n"
        "Write == n < 2 /\\ log' = Append(log, 5 + n) /\\ n' = n + 1\n"
        "Wait == Len(log) = 2 /\\ n' = 3 /\\ UNCHANGED log\n"
        "Next == Write \\/ Wait\n"
        "Low == n = 3 => \\A i \\in 1..Len(log) : log[i] < 6 /\\ Head(log) = 5\n"
        "Ends == <>(Len(log) > 1 /\\ log[2] = 5)\n====\n"
    )
    (tmp_path / "Log.cfg").write_text(
        "INIT Init NEXT Next INVARIANT Low PROPERTY Ends CHECK_DEADLOCK FALSE"
    )
    text = str(tmp_path / "Log.tla")
    came = bmc("check", text).out.partition("It came about in")[2]
    never = bmc("prove", text, "-P", "Ends", "--engine", "lasso").out
    for said in (came, never):
        assert "log[2]" in said
        assert " - 1]" not in said
