"""What nodes of etcd's raft traced is an execution of its model, and a change of it is none.

The log is of four nodes of go.etcd.io/raft v3.7.0, by ``benchmarks/conformance/etcd_raft_nodes``
with seed 3: two leaders, messages lost, a node that joins and leaves. Those in ``etcd-interaction``
are of raft's own interaction tests, as ``interaction_test.go`` beside it has them traced.
"""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bmc.cli.shared import catalogue
from bmc.conformance.demands import survey
from bmc.conformance.events import MISSING, field_at
from bmc.conformance.mapping_file import read_mapping
from bmc.conformance.search import Limits
from bmc.conformance.verdict import Conformance, Conforms, Impossible, Unknown, check_log
from bmc.lang.suite import Suite

ROOT = Path(__file__).resolve().parents[2]
LOG = Path(__file__).parent / "logs" / "etcd-nodes.ndjson"
Event = dict[str, Any]
NO_HURRY = Limits()


@cache
def suite() -> Suite:
    return catalogue.find(f"{ROOT}/benchmarks/conformance/etcd_raft.py:EtcdRaft")


@cache
def lines() -> tuple[str, ...]:
    return tuple(LOG.read_text(encoding="utf-8").splitlines(keepends=True))


def check(log: Path, invariants: tuple[str, ...] = (), limits: Limits = NO_HURRY) -> Conformance:
    model = suite().model(False)
    file = ROOT / "benchmarks" / "conformance" / "etcd_raft.map.toml"
    mapping = read_mapping(file, suite())
    return check_log(log, mapping, survey(log, mapping, model, {}), suite(), invariants, limits)


def events() -> list[Event]:
    return [json.loads(line)["event"] for line in lines()]


def nth(number: int, wanted: Callable[[Event], bool]) -> int:
    """The position of an event, from 0."""
    return [at for at, event in enumerate(events()) if wanted(event)][number]


def test_the_recorded_run_conforms() -> None:
    found = check(LOG, ("MoreThanOneLeaderInv", "LogInv", "CommittedIsDurableInv"))
    assert isinstance(found.verdict, Conforms)
    assert found.verdict.broken == ()
    # A candidate's request may be ignored while a leader's lease lasts, until its answer is told.
    assert found.widest <= 4
    taken = found.verdict.execution.taken()
    assert taken["BecomeLeader"] == 2
    assert taken["AddNewServer"] == taken["DeleteServer"] == 1
    assert taken["ReceiveAppendEntriesRequest"] > 50


INTERACTIONS = {
    "checkquorum": {"IgnoreMessage", "TellTerm"},
    "confchange_v2_add_double_auto": {"ChangeServers", "LeaveJoint", "SendSnapshot"},
    "confchange_v2_replace_leader": {"ChangeServers", "LeaveJoint"},
    "prevote": {"PreCampaign"},
    "slow_follower_after_compaction": {"ReceiveSnapshot", "RestoreConfig"},
}


def interaction(name: str) -> Path:
    return LOG.parent / "etcd-interaction" / f"{name}.ndjson"


@pytest.mark.parametrize("name", INTERACTIONS)
def test_the_interaction_tests_of_raft_conform(name: str) -> None:
    found = check(interaction(name), ("MoreThanOneLeaderInv", "LogInv"))
    assert isinstance(found.verdict, Conforms)
    assert found.verdict.broken == ()
    assert INTERACTIONS[name] <= found.verdict.execution.taken().keys()


def test_where_raft_is_told_not_to_validate_changes_the_second_is_found() -> None:
    """The option DisableConfChangeValidation takes a guard of the model away."""
    found = check(interaction("confchange_disable_validation"))
    assert isinstance(found.verdict, Impossible)
    assert found.verdict.event.line == 25
    assert {one.claim.check.path.text for one in found.verdict.reason.differing} >= {
        "log[$event.nid].length"
    }


def test_what_is_too_large_for_sat_is_unknown(tmp_path: Path) -> None:
    """A limit of states is met, and a message has more values than a circuit can have parts."""
    found = check(interaction("checkquorum"), limits=Limits(states=1))
    assert isinstance(found.verdict, Unknown)
    assert "more than 1 states are possible there, and SAT is no way on" in found.verdict.why


def test_the_half_of_a_joint_configuration_is_compared(tmp_path: Path) -> None:
    whole = interaction("confchange_v2_add_double_auto").read_text(encoding="utf-8").splitlines()
    at = next(n for n, line in enumerate(whole) if json.loads(line)["event"]["conf"][1])
    event = json.loads(whole[at])
    event["event"]["conf"][1] = ["2"]
    log = tmp_path / "joint.ndjson"
    log.write_text("\n".join([*whole[:at], json.dumps(event)]) + "\n", encoding="utf-8")
    verdict = check(log).verdict
    assert isinstance(verdict, Impossible)
    assert verdict.event.line == at + 1
    (differing,) = verdict.reason.differing
    assert differing.claim.check.path.text == "config[$event.nid].outgoing"


def vote(event: Event) -> None:
    event["state"]["vote"] = "1" if event["state"]["vote"] != "1" else "3"


def term(event: Event) -> None:
    event["state"]["term"] -= 1


def dropped(event: Event) -> None:
    event["log"] -= 1


def commit(event: Event) -> None:
    event["state"]["commit"] += 1


def fewer(event: Event) -> None:
    event["msg"]["entries"] -= 1


def more(event: Event) -> None:
    event["msg"]["entries"] += 1


def granted(event: Event) -> None:
    event["msg"]["reject"] = not event["msg"]["reject"]


def joined(event: Event) -> None:
    event["conf"][0] = event["conf"][0][:-1]


def named(name: str, at_least: int = 0) -> Callable[[Event], bool]:
    return lambda e: e["name"] == name and e["state"]["term"] > 1 and e["log"] > at_least


def with_entries(event: Event) -> bool:
    received = event["name"] == "ReceiveAppendEntriesRequest"
    return bool(received and event["msg"]["entries"] > 0)


@pytest.mark.parametrize(
    ("change", "which", "number", "root"),
    [
        (vote, named("Ready"), 2, "votedFor"),
        (term, named("ReceiveAppendEntriesRequest"), 3, "currentTerm"),
        (term, named("Commit"), 0, "currentTerm"),
        (dropped, named("SendAppendEntriesResponse", 4), 4, "log"),
        (commit, named("Commit"), 1, "commitIndex"),
        (granted, named("SendRequestVoteResponse"), 1, "sent"),
        (joined, named("Ready"), 5, "config"),
    ],
)
def test_a_changed_value_is_found_at_its_line(
    tmp_path: Path,
    change: Callable[[Event], None],
    which: Callable[[Event], bool],
    number: int,
    root: str,
) -> None:
    at = nth(number, which)
    verdict = changed(tmp_path, at, change).verdict
    assert isinstance(verdict, Impossible)
    assert verdict.event.line == at + 1
    assert {one.claim.root for one in verdict.reason.differing} == {root}


def changed(folder: Path, at: int, change: Callable[[Event], None]) -> Conformance:
    whole = json.loads(lines()[at])
    change(whole["event"])
    log = folder / "changed.ndjson"
    kept = [*lines()[:at], json.dumps(whole) + "\n", *lines()[at + 1 : at + 30]]
    log.write_text("".join(kept), encoding="utf-8")
    return check(log)


def test_a_message_with_other_entries_is_none_that_was_sent(tmp_path: Path) -> None:
    at = nth(1, with_entries)
    verdict = changed(tmp_path, at, more).verdict
    assert isinstance(verdict, Impossible)
    assert verdict.event.line == at + 1
    (missing,) = verdict.reason.no_choice
    assert missing.argument == "message"
    core = verdict.reason.core
    assert core is not None
    assert core.guards == ()
    said = {one.claim.check.path.text for one in core.logged}
    assert "message.body.count" in said
    assert len(said) < len(missing.claims)


def test_where_a_message_without_the_entry_is_on_its_way_the_answer_tells(tmp_path: Path) -> None:
    at = nth(1, with_entries)
    verdict = changed(tmp_path, at, fewer).verdict
    assert isinstance(verdict, Impossible)
    assert verdict.event.line == at + 2
    assert verdict.event.name == "SendAppendEntriesResponse"


def test_a_line_that_was_lost_is_missed_soon(tmp_path: Path) -> None:
    at = nth(0, named("BecomeCandidate"))
    log = tmp_path / "lost.ndjson"
    log.write_text("".join([*lines()[:at], *lines()[at + 1 : at + 30]]), encoding="utf-8")
    verdict = check(log).verdict
    assert isinstance(verdict, Impossible)
    assert verdict.event.line == at + 1


def test_a_name_in_an_array_is_a_position() -> None:
    fields = {"conf": [["1", "2"], []]}
    assert field_at(fields, ("conf", "0")) == ["1", "2"]
    assert field_at(fields, ("conf", "0", "1")) == "2"
    for beyond in (("conf", "2"), ("conf", "-1"), ("conf", "x"), ("conf", "0", "1", "0")):
        assert field_at(fields, beyond) is MISSING
