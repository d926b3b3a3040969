"""Temporal claims from the command line: verdicts, exit codes, lassos that a program can read."""

import json
from pathlib import Path

import pytest

from .running import ROOT, bmc, validate_as

BIT = f"{ROOT / 'docs/examples/classics/alternating_bit.py'}:AlternatingBit"
TRANSACTIONS = ("kafka-transactions", "-p", "max_coordinator_changes=0")


@pytest.mark.parametrize("command", ["prove", "check"])
def test_a_claim_that_holds_is_proved(command: str) -> None:
    answered = bmc(command, *TRANSACTIONS, "-P", "EventuallyAllClientsGetPid", "--json")
    (result,) = answered.document["results"]
    assert (answered.code, result["verdict"], result["loop"]) == (0, "proved", None)


def test_a_lasso_is_a_document_and_a_file(tmp_path: Path) -> None:
    asked = ("kafka-transactions", "-P", "EventuallyAllClientsGetPid")
    answered = bmc("prove", *asked, "--json", "--trace", str(tmp_path / "lasso.json"))
    (result,) = answered.document["results"]
    assert answered.code == 1
    assert result["kind"] == "temporal"
    assert result["closing"]["state"] == result["trace"][result["loop"]]["state"]
    assert {one["met"] for one in result["fairness"]} == {"taken", "disabled"}
    written = json.loads((tmp_path / "lasso.json").read_text(encoding="utf-8"))
    validate_as("single_lasso", written)
    assert written["loop"] == result["loop"]


def test_claims_of_both_kinds_are_decided_by_one_command() -> None:
    """The temporal one as it is alone."""
    both = ("-P", "EventuallyAllClientsGetPid", "-P", "TypeOK", "--depth", "3")
    answered = bmc("check", *TRANSACTIONS, *both, "--json")
    found = {one["property"]: one["verdict"] for one in answered.document["results"]}
    assert found == {"EventuallyAllClientsGetPid": "proved", "TypeOK": "unknown"}
    assert answered.code == 0


@pytest.mark.parametrize(
    ("command", "option"),
    [
        *(("prove", option) for option in ("--infer", "--no-lemmas", "--explain", "--solver z3")),
        *(("prove", option) for option in ("--max-traces 3", "--only ids", "--seed 3", "--raw")),
        *(("check", option) for option in ("--solver z3", "--depth 5", "--raw")),
    ],
)
def test_an_option_without_a_part_in_deciding_them_is_refused(command: str, option: str) -> None:
    """It was passed over, and who gave it counted on it."""
    claim = "EventuallyAllClientsGetPid"
    answered = bmc(command, *TRANSACTIONS, "-P", claim, *option.split())
    assert answered.code == 2
    assert f"{option.split()[0]} has no part in deciding temporal claims" in answered.err


@pytest.mark.parametrize("option", ["--no-lemmas", "--solver z3"])
@pytest.mark.parametrize("command", ["prove", "sweep run"])
def test_an_exploration_is_asked_without_options_of_solvers(
    command: str, option: str, tmp_path: Path
) -> None:
    into = ["--out", str(tmp_path / "sweep")] if command.startswith("sweep") else []
    options = [*into, "--engine", "explicit", *option.split()]
    answered = bmc(*command.split(), "kafka-kip279", *options)
    assert answered.code == 2
    assert "--engine explicit looks at every state, with no lemma and no solver" in answered.err


@pytest.mark.parametrize("asked", [("id-sequence", "-P", "TypeOk"), (BIT, "-P", "Arrive")])
def test_that_there_is_no_trace_for_a_file_is_said(asked: tuple[str, ...], tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    answered = bmc("prove", *asked, "--trace", str(trace))
    assert answered.code == 0, answered.err
    assert "No trace: none was found" in answered.out
    assert not trace.exists()


def test_a_command_that_decides_no_temporal_claims_names_the_one_that_does() -> None:
    answered = bmc("simulate", *TRANSACTIONS, "-P", "EventuallyAllClientsGetPid")
    assert answered.code == 2
    assert "bmc prove kafka-transactions --property EventuallyAllClientsGetPid" in answered.err


def test_symmetry_is_refused_by_name() -> None:
    """States that differ in names would be one: who waits would be who is served."""
    claim = "EventuallyAllClientsGetPid"
    answered = bmc("explore", *TRANSACTIONS, "--symmetry", "-P", claim)
    assert answered.code == 2
    assert f"{claim} is a claim about whole behaviours, which --symmetry does not" in answered.err
    assert f"bmc prove kafka-transactions --property {claim}" in answered.err


FOLLOWED = """
from bmc.lang import *
from bmc.lang.temporal import eventually, temporal


class P(Protocol):
    N = Integer("N", 0, 2)
    x = Variable(N)

    @action()
    def Init(self, s):
        s.x = 0

    @action(fairness="weak")
    def Up(self, s):
        s.require(s.x < 2)
        s.x = s.x + 1

    Next = one_of(Up)


class H(History):
    seen = Variable(P.N)

    def initially(self, s):
        s.seen = 0

    @after("Up")
    def follow(self, s):
        s.seen = s.x


@temporal("it is seen")
def Seen(m, s):
    return eventually(s.seen == 1)


S = Suite("S", P, "about", properties=(), history=H, temporal=(Seen,))
"""


def test_a_claim_of_behaviours_that_reads_a_ghost_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "followed.py").write_text(FOLLOWED)
    found = bmc("prove", f"{tmp_path / 'followed.py'}:S", "-P", "Seen")
    assert found.code == 2
    line = FOLLOWED.splitlines().index("    return eventually(s.seen == 1)") + 1
    assert f"followed.py, line {line}, in Seen: seen is a ghost of " in found.err


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ('@temporal("x", specification="Nope")', "has no specification 'Nope'"),
        ('@ranking("x", proves="Nope")', "Unseen proves Nope, which is no temporal claim"),
    ],
)
def test_what_no_name_answers_to_is_refused_with_its_line(
    said: str, why: str, tmp_path: Path
) -> None:
    imported = "from bmc.lang.ranking import ranking\nfrom bmc.lang.temporal"
    text = FOLLOWED.replace("from bmc.lang.temporal", imported).replace("s.seen == 1", "s.x == 1")
    unseen = f"{said}\ndef Unseen(m, s):\n    return eventually(s.x == 2)\n\n\nS ="
    stated = "(Seen,), rankings=(Unseen,)" if "ranking" in said else "(Seen, Unseen)"
    text = text.replace("S =", unseen).replace("=(Seen,)", f"={stated}")
    (tmp_path / "followed.py").write_text(text)
    found = bmc("prove", f"{tmp_path / 'followed.py'}:S")
    assert found.code == 2
    assert "followed.py, line " in found.err
    assert why in found.err
