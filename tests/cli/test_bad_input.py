"""Bad input gets one clear message and exit code 2; never a traceback, never a verdict."""

import os
import re
from pathlib import Path

import pytest

from tests.cli.conftest import COUNTER, Write
from tests.cli.running import bmc

ANSWERING = ("prove", "check", "explore")


def complaint(*arguments: str) -> str:
    """The one message that a command line gets, in text and in JSON."""
    plain = bmc(*arguments)
    assert plain.code == 2
    assert plain.out == ""
    assert "Traceback" not in plain.err
    answered = bmc(*arguments, "--json")
    assert answered.code == 2
    error = answered.document["error"]
    assert error["exit_code"] == 2
    assert error["message"] in plain.err
    assert plain.err.strip().endswith(error["message"])
    return str(error["message"])


def line_of(words: str) -> int:
    """The number of the line of the small protocols that contains these words."""
    lines = COUNTER.splitlines()
    return next(number for number, line in enumerate(lines, 1) if words in line)


@pytest.mark.parametrize("command", ANSWERING)
@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        ("log_size=0", "log_size must be between 1 and 64, you gave 0"),
        ("log_size=65", "log_size must be between 1 and 64, you gave 65"),
        ("log_size=two", "log_size must be an integer, you gave 'two'"),
        ("log_size=1.5", "log_size must be an integer, you gave '1.5'"),
        (f"log_size=1{18 * '0'}", "log_size has more digits than bmc reads: write at most 18"),
        ("logsize=2", "kafka has no parameter 'logsize': did you mean log_size?"),
        ("log_size", "'log_size' is not NAME=VALUE: write, for example, -p replicas=3"),
        ("log_size=", "'log_size=' is not NAME=VALUE: write, for example, -p replicas=3"),
    ],
)
def test_parameters(command: str, parameter: str, message: str) -> None:
    assert complaint(command, "kafka", "-p", parameter) == message


def test_a_parameter_given_twice() -> None:
    assert "given twice" in complaint("explore", "kafka", "-p", "replicas=2", "-p", "replicas=3")


@pytest.mark.parametrize("command", ANSWERING)
def test_no_protocol(command: str) -> None:
    assert complaint(command) == "Missing argument 'PROTOCOL'."


@pytest.mark.parametrize("command", [*ANSWERING, "list"])
def test_an_unknown_protocol_is_answered_with_the_nearest_names(command: str) -> None:
    said = complaint(command, "kafka-kip32")
    assert "there is no protocol 'kafka-kip32': did you mean kafka-kip320" in said


@pytest.mark.parametrize("command", ANSWERING)
def test_an_unknown_property_is_answered_with_the_nearest_names(command: str) -> None:
    assert complaint(command, "kafka", "--property", "StrongISR").endswith(
        "has no property 'StrongISR': did you mean StrongIsr?"
    )


def test_an_unknown_command_and_an_unknown_option() -> None:
    assert "No such command 'prov'" in complaint("prov")
    assert "No such option" in complaint("prove", "kafka", "--depht", "3")


@pytest.mark.parametrize("command", ANSWERING)
def test_a_witness_is_explored_and_not_proven(command: str) -> None:
    if command != "explore":
        assert "is a witness" in complaint(command, "kafka", "--property", "TwoLeaders")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["prove", "kafka", "--k", "-1"], "induction (--k) must be 1 or more, you gave -1"),
        (["infer", "kafka", "--seed", "-1"], "the seed must be 0 or more, you gave -1"),
        (["mine", "kafka", "--seed", "-1"], "the seed must be 0 or more, you gave -1"),
        (["simulate", "kafka", "--traces", "-1"], "the number of walks to keep must be 0 or more"),
        (["prove", "kafka", "--k", "0"], "(--k) must be 1 or more, you gave 0"),
        (["prove", "kafka", "--engine", "ic3", "--k", "0"], "(--k) must be 1 or more, you gave 0"),
        (["prove", "kafka", "--engine", "ic3", "--k", "3"], "--engine ic3 has none: leave --k out"),
        (["prove", "kafka", "--engine", "explicit", "--k", "3"], "--engine explicit has none"),
        (
            ["prove", "elasticsearch", "-P", "EveryRequestIsAnswered", "--k", "3"],
            "proofs of temporal claims have none",
        ),
        (["check", "kafka", "--depth", "-2"], "the depth must be 0 or more, you gave -2"),
        (["prove", "kafka", "--timeout", "0"], "the timeout must be positive"),
        (["prove", "kafka", "--timeout", "nan"], "the timeout must be positive"),
        (["prove", "kafka", "--timeout", "2147484"], "two million seconds at most"),
        (
            ["trace", "check", "kafka", "--log", ".", "--map", ".", "--timeout", "nan"],
            "the timeout must be positive",
        ),
        (["prove", "kafka", "--memory", "9" * 20], "a billion MB at most"),
        (["doctor", "--memory", "0"], "the memory limit must be 1 MB or more"),
        (["doctor", "x.tla", "--timeout", "-1"], "the timeout must be positive"),
        (["export", "aiger", "kafka", "--output", "x", "--memory", "0"], "must be 1 MB or more"),
        (["export", "tla", "kafka", "--output", "x", "--timeout", "nan"], "must be positive"),
        (["sweep", "kafka", "--out", "x", "--memory", "9" * 20, "--dry-run"], "at most a billion"),
        (["simulate", "kafka", "--length", "9" * 20], "a billion steps at most"),
        (["prove", "kafka", "--engine", "ic4"], "there is no engine 'ic4': did you mean ic3?"),
        (["prove", "kafka", "--engine", "kinduktion"], "did you mean kinduction?"),
        (["prove", "kafka", "--engine", "monitored"], "ask it of those alone, by --property"),
        (["prove", "kafka", "--certificate", "/no/such/folder/c"], "there is no directory"),
        (["prove", "kafka", "--certificate", "/"], "it is a directory"),
        (["explore", "kafka", "--max-states", "0"], "max_states must be 1 or more"),
        (["certify", "/no/such/certificate"], "cannot read /no/such/certificate"),
        (["certify", __file__], "is not JSON"),
        (["certify", __file__, "--solver", "glucoze"], "there is no solver 'glucoze': did you"),
    ],
)
def test_options(arguments: list[str], message: str) -> None:
    assert message in complaint(*arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        ("prove", "kafka", "--lemma", "Low"),
        ("explore", "kafka", "--bound", ""),
        ("simulate", "kafka", "--config", "Other.cfg"),
        ("sweep", "kafka", "id-sequence", "--out", "x", "--dry-run", "--config", "Other.cfg"),
    ],
)
def test_an_option_of_specifications_is_not_ignored_elsewhere(arguments: tuple[str, ...]) -> None:
    """Who offers a lemma would believe that it took part."""
    answer = bmc(*arguments)
    assert answer.code == 2
    assert "it is of a .tla protocol, and 'kafka' is none: leave it out" in answer.err


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    missing = tmp_path / "missing.py"
    expected = f"cannot read {missing}: No such file or directory"
    assert complaint("explore", f"{missing}:Counter") == expected
    assert complaint("list", f"{tmp_path}/:Counter").startswith(f"cannot read {tmp_path}")


def test_a_file_without_that_class(counter: str) -> None:
    assert complaint("explore", f"{counter}:Countr") == (
        f"{counter} has no 'Countr': did you mean Counter?"
    )
    assert "ClassName: it has Counter, NothingStated" in complaint("explore", counter)
    assert "is neither a protocol" in complaint("explore", f"{counter}:Integer")
    assert "is neither a protocol" in complaint("explore", f"{counter}:Protocol")


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("x = 1\nraise ValueError('boom')\n", 2, "ValueError: boom"),
        ("[][0]\n", 1, "IndexError"),
        ("x = (\n", 1, "SyntaxError: '(' was never closed"),
        ("import sys\nsys.exit(0)\n", 2, "SystemExit: 0"),
        ("\n\nimport no_such_module_anywhere\n", 3, "ModuleNotFoundError"),
    ],
)
def test_a_file_that_raises(written: Write, text: str, line: int, said: str) -> None:
    path = written(text)
    assert complaint("explore", f"{path}:Counter").startswith(f"{path}, line {line}: {said}")


def test_a_function_that_raises_is_named(written: Write) -> None:
    path = written("def f():\n    raise KeyError\n\nf()\n")
    assert complaint("explore", f"{path}:Counter") == f"{path}, line 2, in f: KeyError"


def test_a_word_of_the_language_that_was_not_imported(written: Write) -> None:
    text = "from bmc.lang import Protocol\n\nclass P(Protocol):\n    n = Variable(1)\n"
    message = complaint("explore", f"{written(text)}:P")
    assert message.endswith("it is a word of the language: from bmc.lang import Variable")


@pytest.mark.parametrize(
    ("word", "said"), [("Option", "write OptionSort(sort)"), ("Boolean", "write BOOL")]
)
def test_a_sort_by_a_name_that_it_has_elsewhere(written: Write, word: str, said: str) -> None:
    text = f"from bmc.lang import *\n\nclass P(Protocol):\n    n = Variable({word})\n"
    assert complaint("explore", f"{written(text)}:P").endswith(said)


def test_a_file_that_is_no_python(written: Write) -> None:
    path = written("some text", "notes.txt")
    assert "its name must end in .py" in complaint("explore", f"{path}:Counter")


@pytest.mark.parametrize("command", ANSWERING)
@pytest.mark.parametrize(
    ("name", "culprit", "said"),
    [
        ("RaisingAction", "return 1 / 0", "ZeroDivisionError: division by zero"),
        ("RaisingProperty", "raise RuntimeError", "RuntimeError: no words"),
        ("MisspeltVariable", "s.valeu", "there is no variable 'valeu': did you mean value?"),
        ("Misfit", "s.value = True", ""),
    ],
)
def test_a_protocol_that_raises(
    counter: str, command: str, name: str, culprit: str, said: str
) -> None:
    message = complaint(command, f"{counter}:{name}")
    within = "Unsayable" if name == "RaisingProperty" else "Count"
    assert message.startswith(f"{counter}, line {line_of(culprit)}, in {within}: {said}")
    assert "\n" not in message


@pytest.mark.parametrize("command", ANSWERING)
@pytest.mark.parametrize("name", ["ContradictoryInit", "ContradictoryConstraint"])
def test_a_protocol_without_initial_states(counter: str, command: str, name: str) -> None:
    message = complaint(command, f"{counter}:{name}")
    assert "no" in message.split()
    assert "Init" in message


@pytest.mark.parametrize("command", ["prove", "check"])
def test_a_protocol_that_states_nothing(counter: str, command: str) -> None:
    assert "states no invariant" in complaint(command, f"{counter}:NothingStated")


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("check", "id-sequence", "--trace", "a.json", "--trace", "b.json"), "--trace"),
        (("explore", "id-sequence", "--max-depth", "2", "--max-depth=3"), "--max-depth"),
        (("sweep", "id-sequence", "--out", "a", "--out", "b"), "--out"),
        (("trace", "check", "id-sequence", "--log", "a", "--map", "b", "--map", "c"), "--map"),
        (("export", "tla", "id-sequence", "-o", "a", "-o", "b"), "--output"),
    ],
)
def test_an_option_of_one_value_is_given_once(words: tuple[str, ...], option: str) -> None:
    """The first of two was lost: a trace was not written, a limit did not hold."""
    found = bmc(*words)
    assert found.code == 2
    assert f"{option} is given twice" in found.err


@pytest.mark.parametrize(
    "words",
    [
        ("prove", "id-sequence"),
        ("check", "id-sequence"),
        ("explore", "id-sequence"),
        ("simulate", "id-sequence"),
        ("sweep", "run", "id-sequence", "--out", "a", "--dry-run"),
        ("export", "tla", "id-sequence", "-o", "a"),
        ("export", "smtlib", "id-sequence", "-o", "a"),
        ("export", "aiger", "id-sequence", "-o", "a"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_all_claims_or_some_are_chosen(words: tuple[str, ...]) -> None:
    """One of the two was passed over: the names by `explore`, `--all` by the others."""
    found = bmc(*words, "--all", "-P", "TypeOk")
    assert found.code == 2
    assert "--all chooses all claims, and --property some" in found.err


def test_what_may_be_given_again_may_be() -> None:
    found = bmc(
        "prove", "id-sequence", "-p", "max_id=3", "-P", "TypeOk", "-P", "TypeOk", "-v", "-v"
    )
    assert found.code == 0


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (("prove", "id-sequence", "--certificate", "a.json", "--trace", "./a.json"), "a.json"),
        (("explore", "id-sequence", "--trace", "a.html", "--graph", "a.html"), "a.html"),
        (("regress", "--baseline", "a.lock", "--markdown", "link"), "a.lock"),
        (("regress", "--junit", "bmc.lock"), "bmc.lock"),
        (("regress", "--update", "--junit", "new", "--markdown", "new"), None),
        (("trace", "export", "a.json", "--to", "a.json", "--as", "html"), "a.json"),
        (("trace", "map", "id-sequence", "--log", "a.json", "--out", "a.json"), "a.json"),
    ],
)
def test_files_of_a_command_are_apart(
    words: tuple[str, ...], kept: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that was written first was lost, or what was read: a lock became its own report."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to("a.lock")
    if kept is not None:
        (tmp_path / kept).write_text("before")
    found = bmc(*words)
    assert found.code == 2
    assert "are one file" in found.err
    assert kept is None or (tmp_path / kept).read_text() == "before"


@pytest.mark.parametrize("option", ["--trace", "--certificate"])
def test_a_numbered_file_is_no_other_file_of_the_command(option: str, tmp_path: Path) -> None:
    """A second trace replaced the certificate that was called as it is."""
    (other,) = {"--trace", "--certificate"} - {option}
    named = (option, str(tmp_path / "a.json"), other, str(tmp_path / "a-2.json"))
    found = bmc("prove", "id-sequence", *named)
    assert found.code == 2
    assert f"{option} may write" in found.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["/dev/null", "/dev/stderr", "loop"])
def test_what_nothing_replaces_may_be_named_twice(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop").symlink_to("loop")
    found = bmc("regress", "--baseline", "no.lock", "--junit", name, "--markdown", name)
    assert found.code == 2
    assert ("circle" if name == "loop" else "no.lock") in found.err


@pytest.mark.parametrize(
    "asked",
    [
        ("explore", "Text.tla", "--config", "loop.cfg"),
        ("explore", "Text.tla@loop.cfg"),
        ("doctor", "Text.tla", "--config", "loop/other.cfg"),
        ("prove", "loop.py:Loop"),
        ("prove", "id-sequence", "--certificate", "loop/proof.json"),
        ("check", "id-sequence", "--trace", "loop/weak.html"),
        ("explore", "id-sequence", "--graph", "loop/states.dot"),
    ],
)
def test_links_in_a_circle_are_told(
    asked: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("loop", "loop.cfg", "loop.py"):
        (tmp_path / name).symlink_to(name)
    (tmp_path / "Text.tla").write_text("---- MODULE Text ----\n====\n")
    assert "loop" in complaint(*asked)


@pytest.mark.parametrize("name", ["Text.tla", "Other.tla"])
def test_what_cannot_be_read_is_not_proposed(name: str, tmp_path: Path) -> None:
    (tmp_path / "Text.tla").symlink_to("Text.tla")
    (tmp_path / "Other.tla").mkdir()
    said = complaint("doctor", str(tmp_path / name))
    assert "there is no such file" in said
    assert "did you mean" not in said


def test_a_file_where_a_folder_is_wanted(tmp_path: Path) -> None:
    proof, taken = str(tmp_path / "proof.json"), tmp_path / "taken"
    taken.write_text("mine")
    assert bmc("prove", "id-sequence", "--engine", "kinduction", "--certificate", proof).code == 0
    for asked in (
        ("testgen", "id-sequence", "--out"),
        ("infer", "id-sequence", "--state"),
        ("certificate", "export", proof, "--smtlib"),
    ):
        assert "name a" in complaint(*asked, str(taken))
    assert taken.read_text() == "mine"


@pytest.mark.parametrize("command", ANSWERING)
def test_a_name_that_no_certificate_could_say_is_refused(command: str, tmp_path: Path) -> None:
    for name in ("caf\udce9.py", "caf\udce9.tla"):
        file = tmp_path / name
        file.write_text(COUNTER)
        told = bmc(command, f"{file}:Counter" if name.endswith("py") else str(file))
        assert told.code == 2
        assert "is no text in UTF-8" in told.err
        assert "rename the file" in told.err


def test_tests_are_not_generated_in_a_folder_that_was_removed(
    counter: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert "cannot write into tests" in complaint("testgen", f"{counter}:Counter", "--out", "tests")


def test_a_certificate_is_no_pipe(tmp_path: Path) -> None:
    """It was read twice, and the second time waited for."""
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    assert "write the certificate into a file" in complaint("certify", str(pipe))


def test_an_argument_of_a_misspelled_name_is_told_the_nearest(tmp_path: Path) -> None:
    file = tmp_path / "counter.py"
    suite = 'S = Suite("s", Counter, "", (), refutd={"Small": "why"})'
    file.write_text(f"{COUNTER}\nfrom bmc.lang import Suite\n\n{suite}\n", encoding="utf-8")
    said = complaint("prove", f"{file}:S")
    assert "unexpected keyword argument 'refutd'" in said
    # Python says it itself since 3.13, and nobody says it twice.
    assert len(re.findall(r"did you mean '?refuted'?\?", said, re.IGNORECASE)) == 1


def test_a_protocol_is_no_pipe(tmp_path: Path) -> None:
    """It was waited for."""
    pipe = tmp_path / "pipe.py"
    os.mkfifo(pipe)
    assert "write it into a file" in complaint("explore", f"{pipe}:Counter")


@pytest.mark.parametrize(
    "words",
    [
        ("certify", "{}"),
        ("certificate", "export", "{}", "--smtlib", "out"),
        ("trace", "check", "id-sequence", "--log", "{}", "--map", "{}"),
        ("trace", "show", "{}"),
        ("prove", "id-sequence", "--certificate", "{}"),
        ("regress", "--update", "--protocol", "id-sequence", "--baseline", "{}"),
        ("sweep", "verify", "{}"),
        ("explore", "{}.py:Counter"),
    ],
)
def test_a_name_that_no_file_can_have(words: tuple[str, ...], tmp_path: Path) -> None:
    """It was an internal failure, and some said that the answer could not be written."""
    name = str(tmp_path / ("x" * 300))
    answered = bmc(*(word.format(name) for word in words))
    assert answered.code == 2
    assert "too long" in answered.err or "give a shorter name" in answered.err
    assert "stdout" not in answered.err


def test_a_mapping_or_a_configuration_has_an_end(tmp_path: Path) -> None:
    """A device was read until there was no memory, an internal failure."""
    log, text = tmp_path / "log.ndjson", tmp_path / "One.tla"
    log.write_text('{"event": "e"}\n')
    text.write_text("---- MODULE One ----\nVARIABLE x\nInit == x = 0\nNext == x' = 0\n====\n")
    said = complaint("trace", "check", "id-sequence", "--log", str(log), "--map", "/dev/zero")
    assert "the most that is read" in said
    assert "is not read" in complaint("explore", str(text), "--config", "/dev/zero")
