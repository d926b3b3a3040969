"""``--deadlock``: no step follows, and nobody has said that this is an end."""

from pathlib import Path

import pytest

from bmc.cli.shared.request import Request
from bmc.cli.shared.user_file import UserModelError, load
from bmc.lang.errors import UnknownName

from .running import bmc

TEXT = """
from bmc.lang import *


class Stops(Protocol):
    N = Integer("N", 0, 2)
    x = Variable(N)

    @action()
    def Init(self, s):
        s.x = 0

    @action(n=N)
    def Up(self, s, n):
        s.require(n == s.x, s.x < 2)
        s.x = n + 1

    Next = one_of(Up)


class Ends(Stops):
    def terminated(self, s):
        return s.x == 2


class EndsElsewhere(Stops):
    def terminated(self, s):
        return s.x == 1


class Outside(Stops):
    def Constraint(self, s):
        return s.x < 2


class Waits(Stops):
    terminated = Variable(BOOL)

    @action()
    def Init(self, s):
        s.x = 0
        s.terminated = False

    @action()
    def Wait(self, s):
        s.require(s.x == 2)

    Next = one_of(Stops.Up, Wait)
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("deadlock") / "stops.py"
    path.write_text(TEXT)
    return path


METHOD = "def terminated(self, s):\n        return s.x == 2\n"
SAID_OTHERWISE = {
    "a claim": f"    @invariant('it has ended')\n    {METHOD}",
    "an alias": f"    @alias('it has ended')\n    {METHOD}",
    "a text": "    terminated = 's.x == 2'\n",
}


@pytest.mark.parametrize("said", SAID_OTHERWISE)
def test_an_end_that_is_said_otherwise_is_refused_and_not_passed_over(
    said: str, tmp_path: Path
) -> None:
    path = tmp_path / "said.py"
    path.write_text(f"{TEXT}\n\nclass Said(Stops):\n{SAID_OTHERWISE[said]}")
    answered = bmc("explore", f"{path}:Said", "--deadlock")
    assert answered.code == 2
    assert "write def terminated(self, s): return …, or give it another name" in answered.err


@pytest.mark.parametrize(
    ("command", "name", "holds"),
    [
        ("check", "Stops", False),
        ("check", "Ends", True),
        ("explore", "EndsElsewhere", False),
        # A step that changes nothing is one, and so is one that leaves the state constraint.
        ("explore", "Waits", True),
        ("explore", "Outside", True),
    ],
)
def test_an_end_that_nobody_means_is_a_violation(
    file: Path, command: str, name: str, holds: bool
) -> None:
    answered = bmc(command, f"{file}:{name}", "--deadlock", "--json")
    found = {result["property"]: result for result in answered.document["results"]}["NoDeadlock"]
    assert answered.code == (0 if holds else 1)
    assert (found["verdict"] == "violated") is not holds
    if not holds:
        assert len(found["trace"]) == 3


def test_a_proof_that_there_is_none_has_a_certificate(file: Path, tmp_path: Path) -> None:
    proof = tmp_path / "proof.json"
    asked = ("--engine", "kinduction", "--certificate", str(proof))
    assert bmc("prove", f"{file}:Stops", "--deadlock", *asked).code == 1
    assert bmc("prove", f"{file}:Ends", "--deadlock", *asked).code == 0
    assert bmc("certify", str(proof), "--protocol", f"{file}:Ends").code == 0
    rejected = bmc("certify", str(proof), "--protocol", f"{file}:Stops")
    assert rejected.code == 2
    assert "is rejected: NoDeadlock is not what the certificate says" in rejected.err
    assert f"(the certificate is of {file}:Ends)" in rejected.err


def test_cover_shows_a_state_that_no_step_follows(file: Path) -> None:
    answered = bmc("cover", f"{file}:Stops")
    assert answered.code == 0
    assert "reached in 3 states, by Up, Up" in answered.out
    assert bmc("cover", f"{file}:Stops", "--json").document["deadlock"] == 3
    assert bmc("cover", f"{file}:Ends", "--json").document["deadlock"] is None


def test_without_being_asked_it_is_no_claim(file: Path) -> None:
    answered = bmc("prove", f"{file}:Stops")
    assert answered.code == 2
    assert "states no invariant" in answered.err


OWN = """
class Own(Stops):
    @invariant("the lock is free")
    def NoDeadlock(self, s):
        return s.x <= 2
"""

SPECIFICATION = """---- MODULE Own ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x < 1 /\\ x' = x + 1
NoDeadlock == x <= 1
====
"""


def test_a_claim_of_that_name_is_not_taken_for_it(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(TEXT + OWN, encoding="utf-8")
    line = path.read_text().splitlines().index("    def NoDeadlock(self, s):")
    with pytest.raises(UserModelError, match=rf"line {line}: Own: NoDeadlock is bmc's own name"):
        load(f"{path}:Own")
    (tmp_path / "Own.tla").write_text(SPECIFICATION, encoding="utf-8")
    (tmp_path / "Own.cfg").write_text("INIT Init NEXT Next INVARIANT NoDeadlock\n")
    request = Request.of(str(tmp_path / "Own.tla"), None, None)
    assert "NoDeadlock" in request.claims(None, False)
    with pytest.raises(UnknownName, match="has a NoDeadlock of its own"):
        request.claims(None, False, deadlock=True)
