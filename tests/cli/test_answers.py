"""Every command answers with one document that satisfies the schema, and the right exit code."""

import re
from pathlib import Path

import pytest

from tests.cli.running import bmc


def test_proved_is_zero(counter: str) -> None:
    answered = bmc("prove", f"{counter}:Counter", "--property", "InRange", "--json")
    assert answered.code == 0
    (result,) = answered.document["results"]
    assert (result["property"], result["verdict"]) == ("InRange", "proved")
    assert answered.document["protocol"] == f"{counter}:Counter"
    assert answered.document["parameters"] == {"top": 3}
    assert answered.document["seconds"] >= 0
    assert {"bmc", "python", "z3"} <= answered.document["versions"].keys()


@pytest.mark.parametrize("command", ["prove", "check", "explore"])
def test_a_violation_is_one_and_has_a_shortest_trace(counter: str, command: str) -> None:
    answered = bmc(command, f"{counter}:Counter", "-P", "Small", "-P", "InRange", "--json")
    assert answered.code == 1
    results = {result["property"]: result for result in answered.document["results"]}
    trace = results["Small"]["trace"]
    assert results["Small"]["verdict"] == "violated"
    assert [step["action"] for step in trace] == [None, "Count", "Count", "Count"]
    assert [step["state"] for step in trace] == [{"value": n} for n in range(4)]
    assert results["InRange"]["verdict"] != "violated"


def test_clean_to_the_depth_is_zero_and_no_proof(counter: str) -> None:
    answered = bmc("check", f"{counter}:Counter", "-P", "Small", "--depth", "2", "--json")
    assert answered.code == 0
    (result,) = answered.document["results"]
    assert (result["verdict"], result["depth"]) == ("unknown", 2)
    text = bmc("check", f"{counter}:Counter", "-P", "Small", "--depth", "2").out
    assert "clean" in text
    assert "proved" not in text


def test_an_exploration_to_a_depth_says_what_a_search_to_that_depth_says(counter: str) -> None:
    asked = (f"{counter}:Counter", "-P", "Small", "--depth", "2")
    for command in ("explore", "check"):
        answered = bmc(command, *asked)
        assert answered.code == 0
        assert "  Small  clean  no violation within 2 steps; " in answered.out
        (result,) = bmc(command, *asked, "--json").document["results"]
        assert (result["verdict"], result["depth"]) == ("unknown", 2)


def test_a_search_that_runs_out_of_executions_is_clean() -> None:
    assert bmc("check", "id-sequence", "-p", "max_id=2", "--depth", "20").code == 0


def test_unknown_is_three_with_a_counterexample_to_induction() -> None:
    alone = ("--engine", "kinduction", "--no-lemmas")
    answered = bmc("prove", "kafka", "-p", "replicas=2", "--k", "1", *alone, "--json")
    assert answered.code == 3
    failures = [result["induction_failure"] for result in answered.document["results"]]
    assert any(failures)
    assert all(result["verdict"] == "unknown" for result in answered.document["results"])
    for failure in filter(None, failures):
        assert failure["is_execution"] is False
        assert failure["path"][0]["action"] is None


def test_all_verdicts_of_kafka(tmp_path: Path) -> None:
    file = tmp_path / "proof.json"
    answered = bmc("prove", "kafka", "-p", "replicas=2", "--json", "--certificate", str(file))
    assert answered.code == 0
    verdicts = {r["property"]: r["verdict"] for r in answered.document["results"]}
    assert verdicts == dict.fromkeys(
        ["TypeOk", "WeakIsr", "StrongIsr", "ElectedLeaderInIsr", "HighWatermarkInLog"], "proved"
    )
    assert {r["certificate"] for r in answered.document["results"]} == {str(file)}
    lengths = {r["property"]: r["trace_length"] for r in answered.document["refuted"]}
    assert lengths == {"LeaderInIsr": 1, "IsrNonEmpty": 3}
    accepted = bmc("certify", str(file), "--json")
    assert accepted.code == 0
    assert set(accepted.document["claims"]) == set(verdicts)
    assert [p.name for p in tmp_path.iterdir()] == ["proof.json"]


def test_refuted_claims_are_named_in_one_line_and_searched_for() -> None:
    text = bmc("prove", "kafka", "-p", "replicas=2").out
    (line,) = [line for line in text.splitlines() if line.startswith("Refuted claims")]
    assert "LeaderInIsr (violated by a trace of 1 state)" in line
    assert "IsrNonEmpty (violated by a trace of 3 states)" in line


def test_all_includes_refuted_claims() -> None:
    answered = bmc("prove", "kafka", "-p", "replicas=2", "--all", "--json")
    assert answered.code == 1
    verdicts = {r["property"]: r["verdict"] for r in answered.document["results"]}
    assert verdicts["LeaderInIsr"] == verdicts["IsrNonEmpty"] == "violated"
    assert answered.document["refuted"] == []


def test_a_rejected_certificate_is_bad_input_with_the_reason(counter: str, tmp_path: Path) -> None:
    file = tmp_path / "proof.json"
    asked = ("prove", f"{counter}:Counter", "-P", "InRange", "--certificate", str(file))
    assert bmc(*asked).code == 0
    named = ("--protocol", f"{counter}:Counter")
    assert bmc("certify", str(file), *named).code == 0
    Path(counter).write_text(
        Path(counter).read_text().replace("s.value = s.value + 1", "s.value = self.top.bound + 0")
    )
    answered = bmc("certify", str(file), *named, "--json")
    assert answered.code == 2
    assert answered.document["error"]["message"].startswith(f"{file} is rejected: ")


def test_a_certificate_of_a_protocol_that_moved(counter: str, tmp_path: Path) -> None:
    file, moved = tmp_path / "proof.json", tmp_path / "moved.py"
    bmc("prove", f"{counter}:Counter", "-P", "InRange", "--certificate", str(file))
    Path(counter).rename(moved)
    assert bmc("certify", str(file)).code == 2
    assert bmc("certify", str(file), "--protocol", f"{moved}:Counter").code == 0


@pytest.mark.parametrize("engine", ["kinduction", "explicit"])
def test_a_certificate_of_another_protocol_says_of_which(engine: str, tmp_path: Path) -> None:
    """The protocol that was named was told about under the name of the certificate's."""
    file = tmp_path / "proof.json"
    assert bmc("prove", "id-sequence", "--engine", engine, "--certificate", str(file)).code == 0
    rejected = bmc("certify", str(file), "--protocol", "kafka")
    assert rejected.code == 2
    assert f"{file} is rejected: kafka-kip320 has no " in rejected.err
    assert "(the certificate is of id-sequence)" in rejected.err


def test_no_certificate_without_a_proof(counter: str, tmp_path: Path) -> None:
    file = tmp_path / "proof.json"
    answered = bmc("prove", f"{counter}:Counter", "-P", "Small", "--certificate", str(file))
    assert "nothing was proved" in answered.out
    assert not file.exists()


def test_explore_counts_level_by_level(counter: str) -> None:
    answered = bmc("explore", f"{counter}:Counter", "--continue", "--json")
    found = answered.document
    assert (found["distinct_states"], found["depth"]) == (4, 4)
    assert found["levels"] == [1, 1, 1, 1]
    assert found["complete"]


def test_explore_judges_the_claims(counter: str) -> None:
    """As TLC does: no model is fine because nobody asked."""
    answered = bmc("explore", f"{counter}:Counter", "--json")
    assert answered.code == 1
    found = answered.document
    judged = {r["property"]: r["verdict"] for r in found["results"]}
    (listed,) = bmc("list", f"{counter}:Counter", "--json").document["protocols"]
    named = {p["name"] for p in listed["properties"] if p["kind"] != "witness"}
    assert set(judged) == named
    assert "violated" in judged.values()
    assert not found["complete"]
    whole = bmc("explore", f"{counter}:Counter", "--continue", "--json")
    assert whole.code == 1
    assert whole.document["complete"]
    alone = bmc("explore", f"{counter}:NothingStated", "--json")
    assert (alone.code, alone.document["results"]) == (0, [])


def test_explore_reports_witnesses(counter: str) -> None:
    reached = bmc("explore", f"{counter}:Counter", "-P", "Top", "--json")
    assert reached.code == 0
    assert len(reached.document["witnesses"]["Top"]) == 4
    missed = bmc("explore", f"{counter}:Counter", "-P", "Beyond", "--json")
    assert missed.code == 1
    assert missed.document["witnesses"] == {"Beyond": None}
    assert "is never reached" in bmc("explore", f"{counter}:Counter", "-P", "Beyond").out


def test_cover_tells_what_happens_and_what_never_does(counter: str) -> None:
    covered = bmc("cover", "replicated-log", "--json")
    assert covered.code == 0
    assert covered.document["complete"] is True
    assert all(covered.document["fired"].values())
    assert covered.document["witnesses"] == {"FullLog": 3}
    missed = bmc("cover", f"{counter}:Counter")
    assert missed.code == 1
    assert re.search(r"witness +Beyond +never", missed.out)
    assert bmc("cover", f"{counter}:Counter", "--json").document["missed"] == ["Beyond"]
    limited = bmc("cover", "kafka", "--max-states", "100", "--json")
    assert limited.code == 3
    assert limited.document["complete"] is False


def test_explore_counts_the_same_with_symmetry() -> None:
    asked = ("explore", "kafka", "-p", "max_leader_epoch=0", "-P", "WeakIsr", "--json")
    one, other = bmc(*asked).document, bmc(*asked, "--symmetry").document
    kept = other.pop("representatives")
    assert kept < one["distinct_states"]
    assert one.pop("representatives") is None
    for counted in ("distinct_states", "generated_states", "levels", "fired", "complete"):
        assert other[counted] == one[counted]
    text = bmc(*asked[:-1], "--symmetry").out
    assert f"counted from {kept:,} that are no renamings of each other" in text


def test_cover_tells_why_something_does_not_happen(counter: str) -> None:
    explained = bmc("cover", f"{counter}:EXPLAINED")
    assert explained.code == 0
    assert re.search(r"witness +Beyond +never, explained: it is no value", explained.out)
    assert bmc("cover", f"{counter}:EXPLAINED", "--json").document["missed"] == []


def test_an_explanation_that_is_wrong_fails(counter: str) -> None:
    disproved = bmc("cover", f"{counter}:EXPLAINED_WRONGLY")
    assert disproved.code == 1
    assert re.search(r"Top +reached in 4 states, although .* it counts no further", disproved.out)
    document = bmc("cover", f"{counter}:EXPLAINED_WRONGLY", "--json").document
    assert document["disproved"] == ["Top"]
    assert bmc("cover", f"{counter}:EXPLAINED_WRONGLY", "-p", "top=4").code == 0


def test_what_a_verdict_leans_on_is_reported_with_it(counter: str) -> None:
    for command in ("prove", "check", "explore"):
        document = bmc(command, "id-sequence", "--json").document
        (limit,) = document["scope"]["limits"]
        assert (limit["parameter"], limit["value"]) == ("max_id", 10)
        assert document["scope"]["constraint"] is None
        assert f"max_id=10: {limit['ends']}" in bmc(command, "id-sequence").out
    assert "max_offset" in bmc("prove", "kafka-async-isr", "--json").document["scope"]["constraint"]


def test_explore_within_a_limit(counter: str) -> None:
    answered = bmc("explore", f"{counter}:Counter", "--max-depth", "1", "-P", "Small", "--json")
    assert answered.code == 0
    found = answered.document
    assert (found["complete"], found["levels"]) == (False, [1, 1])
    assert found["results"][0]["verdict"] == "unknown"
    assert "incomplete" in bmc("explore", f"{counter}:Counter", "--depth", "1").out


def test_list_tells_everything_known_of_a_protocol() -> None:
    answered = bmc("list", "--json")
    assert answered.code == 0
    found = {suite["name"]: suite for suite in answered.document["protocols"]}
    assert found["kafka"]["alias_of"] == "kafka-kip320"
    parameters = {p["name"]: p for p in found["kafka"]["parameters"]}
    assert parameters["log_size"]["low"] == 1
    assert parameters["log_size"]["high"] == 64
    refuted = {p["name"] for p in found["kafka-kip320"]["properties"] if p["refuted"]}
    assert refuted == {"LeaderInIsr", "IsrNonEmpty"}
    assert found["kafka-kip320"]["lemmas"]
    text = bmc("list").out
    assert all(name in text for name in found)


def test_list_of_one_protocol(counter: str) -> None:
    assert bmc("list", f"{counter}:Counter", "--json").document["protocols"][0]["lemmas"] == []
    text = bmc("list", f"{counter}:Counter").out
    assert "top  1..10  default 3  the greatest value" in text
    assert "NoJump" in text
    assert "step invariant" in text


def test_a_suite_in_a_file_is_known_by_the_file(counter: str) -> None:
    answered = bmc("prove", f"{counter}:SUITE", "--json")
    assert answered.code == 0
    assert [r["property"] for r in answered.document["results"]] == ["InRange"]


def test_what_a_file_prints_does_not_spoil_the_document(counter: str) -> None:
    path = Path(counter)
    path.write_text(path.read_text() + "\nprint('loading')\n")
    answered = bmc("explore", f"{counter}:Counter", "--json")
    assert answered.document["distinct_states"] == 4
    assert "loading" in answered.err


@pytest.mark.parametrize("command", ["explore", "cover", "infer"])
def test_nor_does_what_its_methods_print(counter: str, command: str) -> None:
    path = Path(counter)
    said = path.read_text().replace(
        "def Init(self, s):", "def Init(self, s):\n        print('read')"
    )
    assert "print" in said
    path.write_text(said)
    answered = bmc(command, f"{counter}:Counter", "--json")
    assert answered.document["command"] == command
    assert "read" in answered.err


def test_nor_does_what_its_drawing_prints(counter: str, tmp_path: Path) -> None:
    path = Path(counter)
    drawn = "    def drawn(self, s):\n        print('draws')\n        return Drawing(())\n\n"
    text = path.read_text().replace("    @action()\n", f"{drawn}    @action()\n", 1)
    path.write_text(f"from bmc.lang.drawing import Drawing\n{text}")
    page = str(tmp_path / "page.html")
    answered = bmc("explore", f"{counter}:Counter", "-P", "Small", "--json", "--trace", page)
    assert answered.document["command"] == "explore"
    assert answered.err.count("draws") > 1
    assert Path(page).exists()


def test_version_and_help() -> None:
    assert bmc("--version").out.startswith("bmc 0.")
    assert bmc("--help").code == 0
    assert "Exit codes" in bmc("--help").out
    assert bmc().code == 2
