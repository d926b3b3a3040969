"""ENABLED in an instance asks for next values of the module's own variables.

Specifying Systems, section 17.8: ENABLED binds the primed variables of its module, so what an
INSTANCE puts in a variable's place is not put in the place of its next value. TLC says the same of
all that is claimed here, but of `Up`, where it has no value for `v' < 3` behind `v' = v + 1`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bmc.cli.app import run
from bmc.frontends.tla.agreement import compare_reachable
from bmc.frontends.tla.errors import TlaUnsupported
from bmc.frontends.tla.load import load
from bmc.frontends.tla.oracle.machine import Machine
from bmc.frontends.tla.oracle.search import Search
from bmc.frontends.tla.translate.model import translate
from bmc.frontends.tla.translated_model import TranslatedModel

INNER = """---- MODULE Inner ----
EXTENDS Integers
VARIABLES v, w
Act == v' = 0 /\\ w' = 1
Can == ENABLED Act
Up == LET Raised == v' = v + 1 IN ENABLED (Raised /\\ v' < 3)
Pick == ENABLED (w' \\in {1, 2} /\\ w' > v /\\ UNCHANGED v)
Changes == ENABLED <<v' = v /\\ w' = w>>_<<v, w>>
By(i) == ENABLED (v' = v + i /\\ v' = 1)
Nested == ENABLED (v' = 2 /\\ w' = 7 /\\ ENABLED (v' = 3 /\\ w' = v) /\\ v' = 2)
Fair == WF_<<v, w>>(Act)
====
"""

STATES = """---- MODULE M ----
EXTENDS Integers
VARIABLES x, y
I == INSTANCE Inner WITH v <- x, w <- x
J == INSTANCE Inner WITH v <- y, w <- x
K == INSTANCE Inner WITH v <- x + y, w <- y
L(p) == INSTANCE Inner WITH v <- x + p, w <- 5
Both == INSTANCE Outer WITH a <- x + y
Init == x = 0 /\\ y = 0
Next == x' \\in 0..3 /\\ y' \\in 0..1
{}
====
"""

OUTER = """---- MODULE Outer ----
EXTENDS Integers
VARIABLE a
In == INSTANCE Inner WITH v <- a, w <- a + 1
Whole == ENABLED (a' = a /\\ In!By(0) /\\ a' = 1)
Through == ENABLED (In!Act /\\ a' = 0)
====
"""

HOLDS = {
    "one variable stands for two": "I!Can",
    "different variables stand for them": "J!Can",
    "an expression stands for one": "K!Can",
    "a constant of a parametrised instance stands for one": "\\A p \\in 0..1 : L(p)!Can",
    "a LET inside, of one variable": "I!Up = (x < 2)",
    "a LET inside, of an expression": "K!Up = (x + y < 2)",
    "a LET inside, parametrised": "\\A p \\in 0..1 : L(p)!Up = (x + p < 2)",
    "a member of a set": "I!Pick = (x < 2) /\\ K!Pick = (x + y < 2)",
    "nothing changes": "~I!Changes /\\ ~K!Changes",
    "constants are given": "\\A i \\in 0..2 : K!By(i) = (x + y + i = 1)",
    "ENABLED inside of ENABLED": "I!Nested /\\ K!Nested",
    "an instance in an instance": "Both!In!Can /\\ Both!In!Up = (x + y < 2)",
    "an instance's claim inside ENABLED": "Both!Whole = (x + y = 1)",
    "an instance's step inside ENABLED": "Both!Through",
}


def files(folder: Path, text: str, config: str) -> Path:
    (folder / "Inner.tla").write_text(INNER)
    (folder / "Outer.tla").write_text(OUTER)
    (folder / "M.tla").write_text(text)
    (folder / "M.cfg").write_text(config)
    return folder / "M.tla"


@pytest.mark.parametrize("claim", HOLDS.values(), ids=HOLDS)
def test_it_asks_for_values_of_the_modules_own(claim: str, tmp_path: Path) -> None:
    path = files(
        tmp_path, STATES.format(f"Inv == {claim}"), "INIT Init\nNEXT Next\nINVARIANT Inv\n"
    )
    specification = load(path)
    search = Search(Machine(specification))
    model = TranslatedModel(translate(specification))
    compared = compare_reachable(search, model, 1_000)
    assert (compared.states, compared.skipped, compared.complete) == (8, 0, True)
    assert search.run().violation is None


def test_what_varies_is_not_given_to_what_it_primes(tmp_path: Path) -> None:
    text = STATES.format("Inv == J!By(x) => K!By(y)")
    with pytest.raises(TlaUnsupported, match="this varies, and is given to") as refused:
        load(files(tmp_path, text, "INIT Init\nNEXT Next\nINVARIANT Inv\n"))
    assert refused.value.span.line == 11
    assert (refused.value.span.column, refused.value.span.end_column) == (24, 25)


FAIR = """---- MODULE M ----
EXTENDS Integers
VARIABLE x
I == INSTANCE Inner WITH {}
Next == x' \\in 0..2
Spec == x = 1 /\\ [][Next]_x
FairSpec == Spec /\\ I!Fair
Fair == I!Fair
Ends == <>(x = 0)
====
"""


@pytest.mark.parametrize(
    ("substitution", "specification", "claim", "verdict"),
    [
        # <<Act>>_v is enabled for ever, and no step is one: x is not both 0 and 1 after it.
        ("v <- x, w <- x", "Spec", "Fair", "violated"),
        ("v <- x, w <- 1 - x", "Spec", "Fair", "violated"),
        # A step to 0 is one, and is enabled until then.
        ("v <- x, w <- 1 - x", "FairSpec", "Ends", "proved"),
        ("v <- x, w <- 1", "Spec", "Ends", "violated"),
        ("v <- x, w <- 1", "FairSpec", "Ends", "proved"),
    ],
)
def test_fairness_speaks_of_it(
    substitution: str,
    specification: str,
    claim: str,
    verdict: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    config = f"SPECIFICATION {specification}\nPROPERTY {claim}\n"
    path = files(tmp_path, FAIR.format(substitution), config)
    run(["prove", str(path), "--engine", "explicit", "--json", "-P", claim])
    (found,) = json.loads(capsys.readouterr().out)["results"]
    assert found["verdict"] == verdict


STEPS = """---- MODULE M ----
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x' \\in 0..3
Beyond == [][ENABLED (x' = 5 /\\ x' > x)]_x
Inside == [][(ENABLED (x' = 2 /\\ x' > x)) = (x < 2)]_x
====
"""


def test_in_a_claim_of_steps_it_asks_for_next_values_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # TLC proves both.
    path = files(tmp_path, STEPS, "INIT Init\nNEXT Next\nPROPERTY Beyond Inside\n")
    assert run(["explore", str(path), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    found = {one["property"]: one["verdict"] for one in document["results"]}
    assert found == {"Beyond": "proved", "Inside": "proved", "Deadlock": "proved"}


HANDED = """---- MODULE M ----
EXTENDS Integers
VARIABLES own, x
P == {1, 2}
Init == own = [p \\in P |-> 0] /\\ x = 0
Take(p) == own[p] = 0 /\\ x < 3 /\\ own' = [own EXCEPT ![p] = 1] /\\ x' = x + 1
Drop(p) == own[p] # 0 /\\ own' = [own EXCEPT ![p] = 0] /\\ x' = x
Next == \\E p \\in P : Take(p) \\/ Drop(p)
Can(A(_), p) == ENABLED A(p)
Is(A) == ENABLED A
Beside(A, B) == ENABLED A /\\ B
Unread(A) == x >= 0
Dropped == \\A p \\in P : Can(Drop, p) = (own[p] # 0)
Taken == \\A p \\in P : Can(LAMBDA r : Take(r), p) = (own[p] # 0)
First == Is(Drop(1)) = (own[1] # 0)
Both == Beside(Drop(1), x >= 0) => own[1] # 0
Nothing == Unread(x' = 1)
Step == Beside(Drop(1), x' >= 0) => own[1] # 0
====
"""


def test_an_action_that_an_operator_reads_inside_enabled_alone_makes_no_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The verdicts are TLC's; the claims were refused as ones of a step."""
    (tmp_path / "M.tla").write_text(HANDED)
    claims = "Dropped Taken First Both Nothing"
    config = f"INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANTS {claims}"
    (tmp_path / "M.cfg").write_text(config)
    assert run(["explore", str(tmp_path / "M.tla"), "--all", "--continue", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["results"]
    wrong = {one["property"] for one in found if one["verdict"] != "proved"}
    assert (len(found), wrong) == (5, {"Taken"})
    (tmp_path / "M.cfg").write_text(f"{config} Step")
    assert run(["explore", str(tmp_path / "M.tla")]) == 2
    assert "Step is to be a formula of one state" in capsys.readouterr().err
