"""`bmc simulate`: what walks met, as text and as a document."""

from tests.cli.running import bmc


def test_a_walk_is_a_document(counter: str) -> None:
    asked = ("simulate", f"{counter}:Counter", "--walks", "5", "--length", "4", "--seed", "3")
    answered = bmc(*asked, "--traces", "2", "-P", "InRange", "--json")
    assert answered.code == 0
    found = answered.document
    assert found["asked"] == {"walks": 5, "length": 4, "seed": 3}
    assert (found["walks"], found["steps"], found["dead_ends"]) == (5, 20, 0)
    assert [len(trace) for trace in found["traces"]] == [5, 5]
    assert [r["verdict"] for r in found["results"]] == ["unknown"]
    again = bmc(*asked, "--traces", "2", "-P", "InRange", "--json").document
    assert again["traces"] == found["traces"]


def test_a_violation_that_is_met_is_one(counter: str) -> None:
    answered = bmc("simulate", f"{counter}:Counter", "-P", "Small", "--json")
    assert answered.code == 1
    (result,) = answered.document["results"]
    assert result["verdict"] == "violated"
    assert len(result["trace"]) >= 4
    text = bmc("simulate", f"{counter}:Counter", "-P", "Small").out
    assert "Small is violated after step" in text
    assert "proved" not in text


def test_actions_that_never_happened_are_named(counter: str) -> None:
    text = bmc("simulate", "kafka", "--length", "1", "--walks", "10").out
    assert "FencedFollowerFetch              never" in text
    assert bmc("simulate", f"{counter}:NothingStated").code == 0


def test_senseless_numbers_are_usage() -> None:
    answered = bmc("simulate", "kafka", "--walks", "0")
    assert answered.code == 2
    assert "walks must be 1 or more" in answered.err


def test_what_was_not_violated_is_called_clean_as_check_calls_it(counter: str) -> None:
    asked = ("simulate", f"{counter}:Counter", "-P", "InRange")
    (line,) = [x for x in bmc(*asked).out.splitlines() if x.startswith("  InRange")]
    assert line.split()[1] == "clean"
    assert "not violated on" in line
