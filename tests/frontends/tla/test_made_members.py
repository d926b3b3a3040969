"""A configuration with other numbers and sizes says of everything else what it said."""

from __future__ import annotations

from pathlib import Path

import pytest

from bmc.frontends.tla import core as c
from bmc.frontends.tla.chosen import with_constants
from bmc.frontends.tla.config import Config, parse_config
from bmc.frontends.tla.errors import TlaNameError
from bmc.frontends.tla.load import load


def _members(config: Config) -> dict[str, list[str]]:
    return {
        one.name.text: [e.name for e in one.value.elements if isinstance(e, c.ModelValueLiteral)]
        for one in config.assignments
        if isinstance(one.value, c.SetEnumeration)
    }


@pytest.mark.parametrize(
    ("others", "members"),
    [
        ("Nil = m3", ["m1", "m2", "m4", "m5"]),
        ("Clients = {m4, c}", ["m1", "m2", "m3", "m5"]),
        ("Groups = {{a, m3}, {m5}}", ["m1", "m2", "m4", "m6"]),
        ("First = {m1, m3}", ["m1", "m2", "m3", "m4"]),
    ],
)
def test_a_made_member_stands_for_nothing_else(others: str, members: list[str]) -> None:
    """With Nil = m3 a third server was Nil, and what is claimed of servers was judged of it."""
    read = parse_config(f"INIT Init NEXT Next CONSTANTS Servers = {{m1, m2}} {others}", "M.cfg")
    made = with_constants(read, {"Servers": 4})
    assert _members(made)["Servers"] == members


def test_two_sets_of_one_stem_get_members_of_their_own() -> None:
    read = parse_config("INIT Init NEXT Next CONSTANTS A = {m1} B = {m2}", "M.cfg")
    made = with_constants(read, {"A": 2, "B": 2})
    held = _members(made)
    assert set(held["A"]).isdisjoint(held["B"])


def test_a_modules_own_value_stands_beside_that_of_the_roots_name() -> None:
    """The first of both was lost, whether or not a number was given: TLC has both."""
    read = parse_config("INIT Init NEXT Next CONSTANTS K = 1 K =[M] 2", "M.cfg")
    for given, root in (({}, 1), ({"K": 3}, 3)):
        made = with_constants(read, given).assignments
        found = [(o.module, o.value.value) for o in made if isinstance(o.value, c.IntegerLiteral)]
        assert found == [(None, root), ("M", 2)]


def test_of_two_values_of_a_name_the_last_is_given_another_number() -> None:
    """As in TLC the last is what counts, and -p gave the first another number, for nothing."""
    twice = "K = 1 S = {nobody} K = 2 K =[M] 5 K =[M] 6 S = {m1, m2}"
    read = parse_config(f"INIT Init NEXT Next CONSTANTS {twice}", "M.cfg")
    for given, root, members in (({}, 2, ["m1", "m2"]), ({"K": 3, "S": 1}, 3, ["m1"])):
        made = with_constants(read, given)
        held = {(o.name.text, o.module): o.value for o in made.assignments}
        assert len(held) == len(made.assignments) == 3
        assert [v.value for v in held.values() if isinstance(v, c.IntegerLiteral)] == [root, 6]
        assert _members(made) == {"S": members}


def test_a_name_has_a_value_or_an_operator(tmp_path: Path) -> None:
    """The value was taken, whichever stood first, and TLC takes the operator."""
    text = "VARIABLE x\nK == 0\nL == 9\nInit == x = K\nNext == x' = K\n"
    (tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{text}====\n")
    for both in ("K = 7 K <- L", "K <- L K = 7"):
        (tmp_path / "M.cfg").write_text(f"INIT Init NEXT Next CONSTANTS {both}\n")
        with pytest.raises(TlaNameError, match="a value by = and an operator by <-"):
            load(tmp_path / "M.tla")


@pytest.mark.parametrize(
    "given", ["c =[I] 5", "K = 1 K =[M] 5", "c <-[I] Five", "K = 1 K <-[M] Five"]
)
def test_what_a_module_declares_is_given_no_value_there(tmp_path: Path, given: str) -> None:
    """The value took the place of what WITH and the root give, which TLC goes by."""
    text = "EXTENDS Naturals\nCONSTANT K\nVARIABLE x\nFive == 5\nJ == INSTANCE I WITH c <- 1\n"
    steps = "Init == x = 0\nNext == x' = J!Val + K\n"
    (tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{text}{steps}====\n")
    (tmp_path / "I.tla").write_text("---- MODULE I ----\nCONSTANT c\nVal == c\n====\n")
    (tmp_path / "M.cfg").write_text(f"INIT Init NEXT Next CONSTANTS {given}\n")
    with pytest.raises(TlaNameError, match=r"declares [cK], and what stands before \[[IM]\]"):
        load(tmp_path / "M.tla")
