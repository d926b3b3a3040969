"""Proposed mappings place what is called alike, say what they could not place, and are mappings."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from bmc.cli.shared import catalogue
from bmc.conformance.demands import survey
from bmc.conformance.errors import LogError, MappingError
from bmc.conformance.likeness import likeness
from bmc.conformance.mapping import LogMapping
from bmc.conformance.mapping_file import read_mapping
from bmc.conformance.proposal import Proposal, propose
from bmc.lang import (
    EnumSort,
    Expr,
    Integer,
    MapSort,
    OptionSort,
    Parameter,
    Protocol,
    Scalarset,
    Step,
    Suite,
    Variable,
    action,
    is_none,
    mapping,
)
from tests.cli.running import bmc
from tests.conformance.logged import walk

LOGS = Path(__file__).parent / "logs"


class Election(Protocol):
    """Terms and votes under the names that papers give them."""

    servers = Parameter("servers", 3, 1, 9, "how many servers")
    max_term = Parameter("max_term", 3, 0, 9, "the last term")
    Server = Scalarset("Server", servers)
    Term = Integer("Term", 0, max_term)
    Role = EnumSort("Role", ("Follower", "Candidate"))
    currentTerm = Variable(MapSort(Server, Term))
    votedFor = Variable(MapSort(Server, OptionSort(Server)))
    role = Variable(MapSort(Server, Role))

    @action()
    def Init(self, s: Step) -> None:
        s.currentTerm = mapping(self.Server, lambda server: 0, self.Term)
        s.votedFor = mapping(self.Server, lambda server: None, OptionSort(self.Server))
        s.role = mapping(self.Server, lambda server: "Follower", self.Role)

    @action(server=Server)
    def BecomeCandidate(self, s: Step, server: Expr) -> None:
        s.require(s.currentTerm[server] < self.max_term)
        s.currentTerm[server] = s.currentTerm[server] + 1
        s.votedFor[server] = server
        s.role[server] = "Candidate"

    @action(voter=Server, candidate=Server)
    def GrantVote(self, s: Step, voter: Expr, candidate: Expr) -> None:
        s.require(is_none(s.votedFor[voter]))
        s.votedFor[voter] = candidate

    Next = (BecomeCandidate, GrantVote)


SUITE = Suite.of(Election, "election")


def logged(folder: Path, *events: Any) -> Path:
    log = folder / "log.ndjson"
    log.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
    return log


def read(folder: Path, proposal: Proposal, suite: Suite = SUITE) -> LogMapping:
    file = folder / "proposed.map.toml"
    file.write_text(proposal.text, encoding="utf-8")
    return read_mapping(file, suite)


def become(node: str, term: int, role: str = "StateCandidate") -> dict[str, Any]:
    state = {"term": term, "vote": node, "none of ours": [1]}
    return {
        "level": "debug",
        "event": {"name": "Become", "nid": node, "state": state, "role": role},
    }


def grant(voter: str, candidate: str) -> dict[str, Any]:
    said = {"name": "grant vote", "voter": voter, "candidate": candidate, "ms": 3}
    return {"level": "debug", "event": said}


def test_names_that_are_alike_are_found_where_they_are_nested(tmp_path: Path) -> None:
    log = logged(tmp_path, become("7", 1), grant("8", "7"), become("8", 1))
    proposal = propose(log, SUITE)
    found = read(tmp_path, proposal)
    assert found.name_field == "event.name"
    candidate, vote = found.rules
    assert [one.action.name for one in candidate.actions] == ["BecomeCandidate"]
    assert {check.path.text: str(check.operand) for check in candidate.after} == {
        "currentTerm[$event.nid]": "$event.state.term",
        "votedFor[$event.nid]": "$event.state.vote",
        "role[$event.nid]": "$event.role",
    }
    assert {check.path.text: str(check.operand) for check in vote.actions[0].arguments} == {
        "voter": "$event.voter",
        "candidate": "$event.candidate",
    }
    assert found.names == {"Role": {"StateCandidate": "Candidate"}}
    told = survey(log, found, SUITE.model(False), {})
    assert told.parameters == {"servers": 2, "max_term": 2}
    assert "# field event.ms: nothing is like it" in proposal.text
    assert "field event.ms of grant vote" in proposal.unplaced


def test_an_event_like_no_action_is_named_and_not_lost(tmp_path: Path) -> None:
    log = logged(tmp_path, {"event": "Become", "id": 1}, {"event": "fsync", "id": 1})
    proposal = propose(log, SUITE)
    assert '# no action is called like the event "fsync"' in proposal.text
    assert read(tmp_path, proposal).ignored == {"fsync"}
    assert "event fsync" in proposal.unplaced


def test_with_no_event_placed_the_check_refuses_it_in_words(tmp_path: Path) -> None:
    proposal = propose(logged(tmp_path, {"event": "fsync"}), SUITE)
    with pytest.raises(MappingError, match="at least one"):
        read(tmp_path, proposal)


def test_a_field_is_placed_only_where_all_its_values_fit(tmp_path: Path) -> None:
    odd = {"event": "Become", "nid": "1", "term": "one"}
    log = logged(tmp_path, odd | {"term": 1}, odd)
    proposal = propose(log, SUITE)
    assert "currentTerm" not in proposal.text
    absent = {"event": "Become", "nid": "1"}
    proposal = propose(logged(tmp_path, odd | {"term": 1}, absent), SUITE)
    assert '"currentTerm[$nid]" = "$term?"' in proposal.text


@pytest.mark.parametrize(
    "name", ['"', "\\", "\n", "\x7f", "é€😀", "$x", "a.b", "x?", "]", "[", "{}", "", "\ud800", "#"]
)
def test_any_name_makes_a_file_that_can_be_read(tmp_path: Path, name: str) -> None:
    events = [{"event": "Become", "nid": "1", "state": {"term": 1, name: 2}, f"{name}term": 1}]
    found = read(tmp_path, propose(logged(tmp_path, *events), SUITE))
    survey(tmp_path / "log.ndjson", found, SUITE.model(False), {})
    keyed = {"event": "grant vote", f"{name}voter": "1", "candidate": "2"}
    log = logged(tmp_path, keyed, {"event": f"{name}grant vote", "voter": "1"})
    if name == "\ud800":
        with pytest.raises(LogError, match="line 2: no mapping can name the event"):
            propose(log, SUITE)
    else:
        found = read(tmp_path, propose(log, SUITE))
        survey(log, found, SUITE.model(False), {})


@pytest.mark.parametrize("log", sorted(LOGS.glob("kafka-*.ndjson")), ids=lambda log: log.stem)
def test_proposals_for_recorded_logs_can_be_read(tmp_path: Path, log: Path) -> None:
    suite = catalogue.find("kafka-kip320-deployed")
    proposal = propose(log, suite)
    found = read(tmp_path, proposal, suite)
    survey(log, found, suite.model(False), {})
    assert "event fetch: TruncateOnFetch, FencedFollowerFetch" in proposal.placed


@pytest.mark.parametrize("protocol", ["id-sequence", "replicated-log", "kafka"])
def test_a_log_in_the_protocols_own_names_conforms_as_proposed(
    tmp_path: Path, protocol: str
) -> None:
    path = walk(protocol, random.Random(protocol).randrange(100), 12)
    log = logged(tmp_path, *({"event": e["event"], **e["arguments"]} for e in path.events))
    given = [word for n, v in path.parameters.items() for word in ("-p", f"{n}={v}")]
    file = str(tmp_path / "proposed.map.toml")
    assert bmc("trace", "map", protocol, "--log", str(log), "--out", file).code == 0
    words = ("--log", str(log), "--map", file, "--no-invariants", *given)
    answered = bmc("trace", "check", protocol, *words)
    assert answered.code == 0, answered.out + answered.err


def test_likeness_is_symmetric_and_knows_stems_and_terse_names() -> None:
    assert likeness("term", "currentTerm") == likeness("currentTerm", "term") > 0.6
    assert likeness("vote", "votedFor") > 0.6
    assert likeness("commit", "commitIndex") > likeness("commit", "currentTerm")
    assert likeness("Term", "TERM") == 1
    assert likeness("log", "epoch") == 0


@pytest.mark.parametrize("name", ["kafka.map.toml", "kafka.map", "map.txt"])
def test_a_mapping_that_is_there_is_not_replaced(tmp_path: Path, name: str) -> None:
    """One under a name without `.toml` was."""
    log = logged(tmp_path, {"event": "GetNextId"})
    file = tmp_path / name
    file.write_text("finished by hand")
    answered = bmc("trace", "map", "id-sequence", "--log", str(log), "--out", str(file))
    assert answered.code == 2
    assert "is there" in answered.err
    assert file.read_text() == "finished by hand"
