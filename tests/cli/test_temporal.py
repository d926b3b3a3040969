"""Temporal claims from the command line: verdicts, exit codes, lassos that a program can read."""

from pathlib import Path

import pytest

from .running import bmc

TRANSACTIONS = ("kafka-transactions", "-p", "max_coordinator_changes=0")


@pytest.mark.parametrize("command", ["prove", "check"])
def test_a_claim_that_holds_is_proved(command: str) -> None:
    answered = bmc(command, *TRANSACTIONS, "-P", "EventuallyAllClientsGetPid", "--json")
    (result,) = answered.document["results"]
    assert (answered.code, result["verdict"], result["loop"]) == (0, "proved", None)


def test_a_lasso_is_a_document() -> None:
    answered = bmc("prove", "kafka-transactions", "-P", "EventuallyAllClientsGetPid", "--json")
    (result,) = answered.document["results"]
    assert answered.code == 1
    assert result["kind"] == "temporal"
    assert result["closing"]["state"] == result["trace"][result["loop"]]["state"]
    assert {one["met"] for one in result["fairness"]} == {"taken", "disabled"}


def test_claims_of_both_kinds_are_decided_by_one_command() -> None:
    """The temporal one as it is alone."""
    both = ("-P", "EventuallyAllClientsGetPid", "-P", "TypeOK", "--depth", "3")
    answered = bmc("check", *TRANSACTIONS, *both, "--json")
    found = {one["property"]: one["verdict"] for one in answered.document["results"]}
    assert found == {"EventuallyAllClientsGetPid": "proved", "TypeOK": "unknown"}
    assert answered.code == 0


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
    assert f"followed.py, line {line}, in Seen: there is no variable 'seen'" in found.err
