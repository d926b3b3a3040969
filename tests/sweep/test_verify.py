"""A sweep's rows are believed only as they were written, and their evidence is judged again."""

import json
from collections.abc import Callable
from math import inf, nan
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bmc.cli.shared import catalogue
from bmc.cli.shared.sweep_evidence import describe
from bmc.lang.fingerprint import property_digest
from bmc.sweep import parts
from bmc.sweep.job import Job, JobLimits, Method, identity_of, key_of
from bmc.sweep.places import StoreError
from bmc.sweep.plan import Plan, Share, jobs_of, plan
from bmc.sweep.rows import digest_of
from bmc.sweep.runner import Tools, run_job
from bmc.sweep.store import BRIEF, Store
from bmc.sweep.tables import parquet_of, read_rows, table_of
from tests.cli.running import ROOT, bmc

# What its tests share is made once, also when they run in parallel.
pytestmark = pytest.mark.xdist_group("verify")

VIOLATED, PROVED = "replicated-log-retention", "id-sequence"
POINTS = {PROVED: {"max_id": 2}, VIOLATED: {"replicas": 2, "log_size": 2, "log_records": 2}}
METHOD, LIMITS = Method("kinduction", 4, "cadical", True), JobLimits(60.0, 4096)


def jobs() -> tuple[list[Share], list[Job]]:
    asked = [Share(catalogue.find(name), [point], ["TypeOk"]) for name, point in POINTS.items()]
    return asked, jobs_of(asked, METHOD, LIMITS, "tests")


@pytest.fixture(scope="module")
def answers() -> list[Any]:
    return [run_job(Tools(catalogue.find, describe), job) for job in jobs()[1]]


@pytest.fixture
def store(answers: list[Any], tmp_path: Path) -> Store:
    made = Store(tmp_path)
    for finished in answers:
        made.add(finished.row, finished.evidence)
    return made


def left(store: Store) -> Plan:
    asked, wanted = jobs()
    return plan(asked, wanted, store.all())


def row_of(store: Store, protocol: str) -> dict[str, Any]:
    (row,) = (row for row in store.all() if row["protocol"] == protocol)
    return row


def edit(store: Store, which: str, digest: bool = False, **changed: object) -> None:
    """Write another content into a row's file, perhaps with the digests that belong to it."""
    key = row_of(store, which)["key"]
    file = store.folder / "rows" / f"{key}.parquet"
    (row,) = read_rows(file.read_bytes())
    row.update(changed)
    if digest:
        file.unlink()
        row["key"] = key_of(row)
        row["digest"] = digest_of(row)
    (store.folder / "rows" / f"{row['key']}.parquet").write_bytes(parquet_of([row]))


def verified(store: Store, *words: str) -> tuple[int, dict[str, str], dict[str, str]]:
    """The exit code, and the standing and its reason by protocol."""
    answered = bmc("sweep", "verify", str(store.folder), "--json", *words)
    rows = answered.document["rows"]
    return (
        answered.code,
        {row["protocol"]: row["standing"] for row in rows},
        {row["protocol"]: row["reason"] for row in rows},
    )


def test_evidence_is_judged_again(store: Store) -> None:
    assert {row["protocol"]: row["verdict"] for row in store.all()} == {
        PROVED: "proved",
        VIOLATED: "violated",
    }
    code, standing, reasons = verified(store)
    assert (code, standing) == (0, {PROVED: "accepted", VIOLATED: "accepted"})
    assert "bitwuzla" in reasons[PROVED]
    said = bmc("sweep", "verify", str(store.folder)).out
    assert "1 certificate accepted by another solver, 1 trace replayed" in said
    assert not left(store).todo


def test_evidence_that_cannot_be_had_is_no_evidence_against_a_row(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(_: Store, row: object) -> dict[str, Path]:
        raise StoreError("cannot read s3://bucket/traces: Empty reply from server")

    monkeypatch.setattr(Store, "evidence", silent)
    code, standing, reasons = verified(store)
    assert (code, standing) == (3, {PROVED: "unchecked", VIOLATED: "unchecked"})
    assert "Empty reply" in reasons[PROVED]


@pytest.mark.parametrize(
    "changed",
    [{"verdict": "proved"}, {"parameters": {"replicas": 3}}, {"seconds": 0.5}, {"reason": "no"}],
)
def test_an_edited_row_is_not_believed(changed: dict[str, Any], store: Store) -> None:
    edit(store, VIOLATED, **changed)
    assert [row["protocol"] for row in store.all()] == [PROVED]
    assert [job.protocol for job in left(store).todo] == [VIOLATED]
    code, standing, _ = verified(store)
    assert (code, standing[VIOLATED]) == (2, "changed")


@pytest.mark.parametrize("kind", ["trace", "certificate"])
@pytest.mark.parametrize("change", [lambda p: p.unlink(), lambda p: p.write_text("{}")])
def test_a_row_is_not_believed_without_its_evidence(
    kind: str, change: Callable[[Path], object], store: Store
) -> None:
    protocol = VIOLATED if kind == "trace" else PROVED
    change(store.folder / row_of(store, protocol)[kind])
    assert [job.protocol for job in left(store).todo] == [protocol]
    code, standing, _ = verified(store)
    assert (code, standing[protocol]) == (2, "changed")


@pytest.mark.parametrize(
    ("protocol", "changed", "reason"),
    [
        (VIOLATED, {"verdict": "proved"}, "has no certificate"),
        (PROVED, {"parameters": {"max_id": 7}}, "about something else"),
        (VIOLATED, {"trace_states": 3}, "another length"),
        (PROVED, {"trace_states": 3}, "a proof and a trace"),
        # The trace itself said at which values, and the row was about the defaults.
        (VIOLATED, {"parameters": {}}, "leaves out a parameter"),
        (VIOLATED, {"parameters": {"replicas": 2, "log_size": 2}}, "leaves out a parameter"),
        (VIOLATED, {"implied_by": "nobody"}, "implied by is not accepted"),
    ],
)
def test_a_row_with_a_digest_of_its_own_is_found_out_by_its_evidence(
    protocol: str, changed: dict[str, Any], reason: str, store: Store
) -> None:
    edit(store, protocol, digest=True, **changed)
    assert len(store.all()) == 2
    code, standing, reasons = verified(store)
    assert (code, standing[protocol]) == (2, "rejected")
    assert reason in reasons[protocol]


def test_a_row_is_no_answer_to_another_question_whatever_its_key_says(store: Store) -> None:
    """It took the place of the violation, of which nothing was told any more."""
    answer, asked = row_of(store, PROVED), row_of(store, VIOLATED)["key"]
    row = {**answer, "key": asked}
    row["digest"] = digest_of(row)
    (store.folder / "rows" / f"{asked}.parquet").write_bytes(parquet_of([row]))
    assert [job.protocol for job in left(store).todo] == [VIOLATED]
    code, _, _ = verified(store)
    assert code == 2


@pytest.mark.parametrize(
    "changed",
    [
        *({"verdict": None}, {"finished": None}, {"bound": None}, {"timeout": None}),
        *({"ended": "well"}, {"ended": "lost"}, {"ended": "timeout"}, {"asked": "magic"}),
        *({"state_bits": -1}, {"seconds": nan}, {"seconds": inf}, {"timeout": -1.0}, {"depth": -1}),
        {"verdict": "violated"},
    ],
    ids=str,
)
def test_a_row_without_what_every_row_has_is_refused(changed: dict[str, Any], store: Store) -> None:
    """Some ended as an internal failure, of the report too, and some as a verdict of the lost."""
    edit(store, PROVED, "finished" not in changed, **changed)
    code, standing, _ = verified(store)
    assert (code, standing[PROVED], standing[VIOLATED]) == (2, "changed", "accepted")


@pytest.mark.parametrize("protocol", [PROVED, VIOLATED])
@pytest.mark.parametrize("compacted", [False, True])
def test_a_row_is_not_made_unknown(protocol: str, compacted: bool, store: Store) -> None:
    """Its violation was told no more, `sweep verify` took it for a row without evidence."""
    edit(store, protocol, verdict="unknown", digest=True)
    if compacted:
        rows = store.scan().changed
        (store.folder / "rows" / f"{rows[0]['key']}.parquet").unlink()
        parts.write(store.place, table_of([{**row, "stamp": None} for row in rows], parts.STAMPED))
    code, standing, _ = verified(store)
    assert (code, standing[protocol]) == (2, "changed")
    assert compacted or [job.protocol for job in left(store).todo] == [protocol]


def test_a_row_that_lost_its_parameters_is_refused(store: Store) -> None:
    """It ended as an internal failure."""
    edit(store, PROVED, parameters=None)
    assert verified(store)[1][PROVED] == "changed"


@pytest.mark.parametrize("name", ["../../secret.json", "/etc/passwd", "traces/../../x.json"])
def test_evidence_lies_in_the_directory(name: str, store: Store) -> None:
    edit(store, VIOLATED, digest=True, trace=name)
    assert [row["protocol"] for row in store.all()] == [PROVED]


HOSTILE = """
from pathlib import Path
Path(__file__).with_name("ran").write_text("")
from bmc.encodings.id_sequence import IdSequence
"""


def test_no_file_is_run_because_a_row_names_it(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "hostile.py"
    file.write_text(HOSTILE)
    edit(store, PROVED, digest=True, protocol=f"{file}:IdSequence")
    code, _, reasons = verified(store)
    assert code == 3
    assert any("runs no file because data names it" in reason for reason in reasons.values())
    assert not (tmp_path / "ran").exists()
    verified(store, "--protocol", f"{file}:IdSequence")
    assert (tmp_path / "ran").exists()


def test_a_certificate_of_another_claim_is_rejected(store: Store) -> None:
    row = row_of(store, PROVED)
    file = store.folder / row["certificate"]
    document = json.loads(file.read_text())
    for claim in document["claims"]:
        claim["name"] = "Another"
    store.add(row, [(row["certificate"], json.dumps(document))])
    code, standing, reasons = verified(store)
    assert (code, standing[PROVED]) == (2, "rejected")
    assert "does not claim it" in reasons[PROVED]


@pytest.mark.parametrize(
    "changed",
    [
        {"text": "nothing is wrong"},
        {"violated_instance": {"r": "nobody"}},
        {"property": "Another"},
        {"parameters": {}},
        {"protocol": PROVED},
        {"note": "more"},
    ],
)
def test_a_trace_file_says_what_is_judged_and_no_more(
    changed: dict[str, Any], store: Store
) -> None:
    row = row_of(store, VIOLATED)
    document = json.loads((store.folder / row["trace"]).read_text())
    store.add(row, [(row["trace"], json.dumps(document))])
    assert verified(store)[1][VIOLATED] == "accepted"
    store.add(row, [(row["trace"], json.dumps({**document, **changed}))])
    code, standing, _ = verified(store)
    assert (code, standing[VIOLATED]) == (2, "rejected")


def test_a_folder_without_rows_is_no_sweep(tmp_path: Path) -> None:
    answered = bmc("sweep", "verify", str(tmp_path))
    assert answered.code == 2
    assert "no directory of a sweep" in answered.err
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_no_table_of_rows_is_named(store: Store) -> None:
    """Half a file, such as a full disk leaves: nothing is silently not there."""
    file = store.folder / "rows" / f"{row_of(store, PROVED)['key']}.parquet"
    file.write_bytes(file.read_bytes()[:500])
    answered = bmc("sweep", "verify", str(store.folder), "--json")
    assert answered.code == 2
    assert answered.document["unreadable"] == [f"rows/{file.name}"]
    assert [row["protocol"] for row in answered.document["rows"]] == [VIOLATED]
    assert "no table of rows" in bmc("sweep", "verify", str(store.folder)).out
    assert [job.protocol for job in left(store).todo] == [PROVED]


def forms(name: str, values: list[Any]) -> list[tuple[pa.Array, bool]]:
    """A column as other programs write it, and whether it still says the same."""
    if name == "finished":
        written = [pa.array([value.isoformat() for value in values]), pa.array([1 for _ in values])]
        return [(one, False) for one in written]
    if name == "bound":
        return [(pa.array(values, pa.float64()), True), (pa.array(["x" for _ in values]), False)]
    if name == "parameters":
        return [(pa.array([7 for _ in values]), False), (pa.array([["x"] for _ in values]), False)]
    return [
        (pa.array(values).dictionary_encode(), True),
        (pa.array(values, pa.large_string()), True),
        (pa.array([[value] for value in values]), False),
        (pa.nulls(len(values)), False),
    ]


@pytest.mark.parametrize("name", ["key", "verdict", "bound", "finished", "parameters"])
def test_a_file_of_other_types_is_read_as_ours_or_not_believed(name: str, store: Store) -> None:
    """Most of them were internal failures."""
    row = row_of(store, PROVED)
    file = store.folder / "rows" / f"{row['key']}.parquet"
    table = table_of([row])
    for column, same in forms(name, [row[name]]):
        place = table.schema.get_field_index(name)
        pq.write_table(table.set_column(place, name, column), file)
        found = store.scan()
        assert (row["key"] in found.believed) == same, column.type
        assert same == (not found.changed and not found.unreadable)


def test_rows_are_counted_in_their_own_shard_only(store: Store) -> None:
    """A file that was copied into another shard was counted there, too, by whoever reads shards."""
    assert store.compact(1)
    part = parts.listed(store.place)[0]
    other = (part.shard + 1) % parts.SHARDS
    copy = store.folder / part.name.replace(f"shard={part.shard}", f"shard={other}")
    copy.parent.mkdir(exist_ok=True)
    copy.write_bytes((store.folder / part.name).read_bytes())
    read = [set(store.scan(BRIEF, shard).believed) for shard in range(parts.SHARDS)]
    assert sum(map(len, read)) == len(store.all()) == len(POINTS)
    (store.folder / part.name).unlink()
    assert len(store.all()) < len(POINTS)


EXPLICIT = Method("explicit", 4, "cadical", True)


def explored(folder: Path, protocol: str, point: dict[str, int], claim: str) -> Store:
    asked = [Share(catalogue.find(protocol), [point], [claim])]
    made = Store(folder)
    for job in jobs_of(asked, EXPLICIT, LIMITS, "tests"):
        finished = run_job(Tools(catalogue.find, describe), job)
        made.add(finished.row, finished.evidence)
    return made


def test_what_was_proved_by_exploring_is_explored_again(tmp_path: Path) -> None:
    store = explored(tmp_path, PROVED, POINTS[PROVED], "TypeOk")
    code, standing, reasons = verified(store)
    assert (code, standing) == (0, {PROVED: "accepted"})
    assert "explored again" in reasons[PROVED]
    assert "1 exploration made again" in bmc("sweep", "verify", str(store.folder)).out


def test_an_exploration_that_counts_otherwise_is_rejected(tmp_path: Path) -> None:
    store = explored(tmp_path, PROVED, POINTS[PROVED], "TypeOk")
    row = row_of(store, PROVED)
    document = json.loads((tmp_path / row["certificate"]).read_text())
    document["generated_states"] += 1
    store.add({**row, "evidence": None}, [(row["certificate"], json.dumps(document))])
    code, standing, reasons = verified(store)
    assert (code, standing) == (2, {PROVED: "rejected"})
    assert "not those that it counts" in reasons[PROVED]


def test_a_witness_that_is_never_reached_is_no_proved_claim(tmp_path: Path) -> None:
    """The counts of an exploration show both, and a row that claims the witness was accepted."""
    smallest = {"replicas": 1, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
    name, witness = "kafka-truncate-to-hw", "ZombieIsr"
    store = explored(tmp_path, name, smallest, "TypeOk")
    row, suite = row_of(store, name), catalogue.find(name)
    stated = suite.describe(suite.find(witness), suite.model(ghosts=False))
    file = tmp_path / row["certificate"]
    document = json.loads(file.read_text()) | {"holds": {witness: property_digest(stated)}}
    changed = {**row, "property": witness, "identity": identity_of(suite, witness, EXPLICIT)}
    (tmp_path / "rows" / f"{row['key']}.parquet").unlink()
    store.add(
        {**changed, "key": key_of(changed), "evidence": None},
        [(row["certificate"], json.dumps(document))],
    )
    code, standing, reasons = verified(store)
    assert (code, standing) == (2, {name: "rejected"})
    assert "does not claim it" in reasons[name]


def test_who_names_a_file_names_its_mutants(tmp_path: Path) -> None:
    named = f"{ROOT / 'docs' / 'examples' / 'fifo_queue.py'}:FifoQueue"
    mutant = f"{named}~Crash.requests.unchanged"
    store = explored(tmp_path, mutant, {"numbers": 1, "capacity": 1}, "Once")
    assert verified(store)[0] == 3
    code, standing, _ = verified(store, "--protocol", named)
    assert (code, set(standing.values())) == (0, {"accepted"})


def test_a_file_is_named_by_its_path_from_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The row says how it was called where the sweep was started."""
    text = (ROOT / "docs" / "examples" / "fifo_queue.py").read_text()
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "queue.py").write_text(text)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    store = explored(tmp_path, "model/queue.py:FifoQueue", {"numbers": 1, "capacity": 1}, "Once")
    monkeypatch.chdir(tmp_path / "elsewhere")
    named = "../model/queue.py:FifoQueue"
    code, _, reasons = verified(store)
    assert code == 3
    assert "--protocol PATH" in next(iter(reasons.values()))
    assert verified(store, "--protocol", named)[0] == 0
    (tmp_path / "model" / "queue.py").write_text(
        text.replace("size(s.requests) <", "size(s.requests) + 1 <")
    )
    code, standing, _ = verified(store, "--protocol", named)
    assert (code, set(standing.values())) == (3, {"outdated"})


def test_a_protocol_that_no_row_is_of_is_refused(store: Store) -> None:
    refused = bmc("sweep", "verify", str(store.folder), "--protocol", "nosuch.py:Lock")
    assert refused.code == 2
    assert (
        f"no row is of --protocol nosuch.py:Lock: they are of {PROVED}, {VIOLATED}" in refused.err
    )
