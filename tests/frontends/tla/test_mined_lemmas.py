"""Lemmas that are mined for a specification are text of that specification, or say they are not."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bmc.cli.app import run
from bmc.engines.task import Task
from bmc.frontends.tla.origin import Text
from bmc.frontends.tla.suite import suite_of
from bmc.lang.build import argument, everything, exists, implies, is_none, member
from bmc.lang.model import Source
from bmc.lang.properties import Kind, Property
from bmc.lang.sorts import MapSort, SetSort
from bmc.lang.state import state_variable
from bmc.lang.suite import Suite
from bmc.lang.terms import boolean, select, term_of

LOCK = """---- MODULE Lock ----
EXTENDS Naturals
CONSTANT Process
VARIABLES owner, inside
vars == <<owner, inside>>
Init == owner = "nobody" /\\ inside = {}
Take(p) == owner = "nobody" /\\ owner' = p /\\ UNCHANGED inside
Enter(p) == owner = p /\\ inside' = inside \\cup {p} /\\ UNCHANGED owner
Leave(p) == p \\in inside /\\ inside' = inside \\ {p} /\\ owner' = "nobody"
Next == \\E p \\in Process : Take(p) \\/ Enter(p) \\/ Leave(p)
Spec == Init /\\ [][Next]_vars
Alone == \\A p, q \\in inside : p = q
====
"""
CONFIG = """SPECIFICATION Spec CONSTANT Process = {p1, p2, p3} INVARIANT Alone
CHECK_DEADLOCK FALSE
"""


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    file = tmp_path / "Lock.tla"
    file.write_text(LOCK)
    file.with_suffix(".cfg").write_text(CONFIG)
    return file


def test_a_mined_lemma_can_be_pasted_and_proves_the_claim(
    lock: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    induction = ("--engine", "kinduction", "--k", "1", "--json")
    assert run(["prove", str(lock), *induction]) == 3
    capsys.readouterr()
    assert run(["mine", str(lock), "--arguments", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert "Alone" in found["inductive"]
    needed = [one for one in found["lemmas"] if one["needed"]]
    assert needed
    pasted = "".join(one["text"] for one in needed)
    lock.write_text(LOCK.replace("====\n", pasted + "====\n"))
    offered = [word for one in needed for word in ("--lemma", one["name"])]
    assert run(["prove", str(lock), *induction, *offered]) == 0


def test_a_failed_induction_shows_a_lemma_in_the_words_of_the_text(
    lock: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["prove", str(lock), "--engine", "kinduction", "--k", "1"]) == 3
    said = capsys.readouterr().out
    assert "candidate_1 == \\A process \\in Process : " in said
    assert "None" not in said.partition("The first, as text:")[2]


RELATION = """---- MODULE Votes ----
CONSTANTS Node, Value, n1, n2
VARIABLES vote, decided
vars == <<vote, decided>>
Init == vote = {} /\\ decided = {}
Cast(n, v) == (\\A w \\in Value : <<n, w>> \\notin vote)
    /\\ vote' = vote \\cup {<<n, v>>} /\\ UNCHANGED decided
Decide(v) == <<n1, v>> \\in vote /\\ <<n2, v>> \\in vote
    /\\ decided' = decided \\cup {v} /\\ UNCHANGED vote
Next == \\E n \\in Node, v \\in Value : Cast(n, v) \\/ Decide(v)
Spec == Init /\\ [][Next]_vars
Agreed == \\A v, w \\in decided : v = w
====
"""
RELATED = """SPECIFICATION Spec CONSTANTS Node = {n1, n2} Value = {v1, v2} n1 = n1 n2 = n2
INVARIANT Agreed CHECK_DEADLOCK FALSE
"""


def test_inferred_lemmas_can_be_pasted_and_prove_the_claim(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tuples, model values and constants stand in them as they stand in the text."""
    file, proof = tmp_path / "Votes.tla", tmp_path / "proof.json"
    file.write_text(RELATION)
    file.with_suffix(".cfg").write_text(RELATED)
    assert run(["infer", str(file), "--certificate", str(proof), "--json"]) == 0
    lemmas = json.loads(capsys.readouterr().out)["lemmas"]
    assert run(["certify", str(proof), "--protocol", str(file), "--json"]) == 0
    assert any("<<n" in one["text"] for one in lemmas)
    assert not any("item1" in one["text"] for one in lemmas)
    file.write_text(RELATION.replace("====\n", "".join(one["text"] for one in lemmas) + "====\n"))
    offered = [word for one in lemmas for word in ("--lemma", one["name"])]
    capsys.readouterr()
    assert run(["prove", str(file), "--engine", "kinduction", "--k", "1", *offered]) == 0


GAINED = """---- MODULE Gained ----
EXTENDS Naturals, TLC
VARIABLES f, out, at
Init == f = <<>> /\\ out = 0 /\\ at = 0
Put == at = 0 /\\ (\\E k \\in 1 .. 2 : f' = f @@ (k :> k + 1)) /\\ at' = 1 /\\ out' = out
Take == at = 1 /\\ (\\E k \\in DOMAIN f : out' = f[k]) /\\ at' = 2 /\\ f' = f
Wait == at = 2 /\\ at' = 3 /\\ UNCHANGED <<f, out>>
Next == Put \\/ Take \\/ Wait
Seen == at = 3 => out # 3
====
"""


SENT = """---- MODULE Sent ----
EXTENDS TLC
VARIABLES f, sent
Init == f = <<>> /\\ sent = {}
Next == \\E k \\in {"a", "b"}, ok \\in BOOLEAN :
  f' = (k :> [ok |-> ok]) @@ f /\\ sent' = sent \\union {[to |-> k, ok |-> ok]}
Had == \\A k \\in {"a", "b"} : k \\in DOMAIN f => f[k].ok \\in BOOLEAN
====
"""


def test_what_no_text_has_words_for_is_not_offered_to_be_pasted(tmp_path: Path) -> None:
    """`f["a"] # no value` and `sent # ok_to`, a sort of the translation, were to be pasted."""
    (tmp_path / "Sent.tla").write_text(SENT)
    (tmp_path / "Sent.cfg").write_text("INIT Init NEXT Next INVARIANT Had")
    suite = suite_of("Sent", tmp_path / "Sent.tla")
    origin = suite.origin
    assert isinstance(origin, Text)
    model = suite.model(False)
    (stated,) = Task(suite, {}, ("Had",)).stated(model)
    function, sent = (state_variable(name, sort) for name, sort in model.variables.items())
    assert isinstance(sent.sort, SetSort)
    one, other = (select(function, key) for key in ("a", "b"))
    said = [
        origin.lemma_text(replace(stated, name="L", body=boolean(body)))[0]
        for body in (is_none(one), one == other, sent == everything(sent.sort.element))
    ]
    assert said[0] == 'L == "a" \\notin DOMAIN f'
    assert all(one.startswith("\\* not to paste") for one in said[1:])


def test_the_image_of_a_function_that_gains_arguments_is_written_as_the_text_does(
    tmp_path: Path,
) -> None:
    """It was `f[k].image`, which is none of the text's."""
    (tmp_path / "Gained.tla").write_text(GAINED)
    (tmp_path / "Gained.cfg").write_text("INIT Init\nNEXT Next\n")
    suite = suite_of("Gained", tmp_path / "Gained.tla")
    assert isinstance(suite.origin, Text)
    (take,) = (one for one in suite.origin.translation.model.actions if one.name == "Take")
    assert suite.origin.formula_text(take.branches[0].updates["out"]) == "f[k]"


CHANNEL = """---- MODULE Channel ----
EXTENDS Naturals, Sequences
VARIABLES sent, chan, got
Init == sent = 0 /\\ chan = <<>> /\\ got = 0
Send == /\\ sent < 3 /\\ Len(chan) < 2
        /\\ sent' = sent + 1 /\\ chan' = Append(chan, [type |-> "data", n |-> sent + 1])
        /\\ UNCHANGED got
Ask == Len(chan) < 2 /\\ chan' = Append(chan, [type |-> "ask"]) /\\ UNCHANGED <<sent, got>>
Receive == /\\ chan # <<>> /\\ chan' = Tail(chan) /\\ UNCHANGED sent
           /\\ got' = IF Head(chan).type = "data" THEN Head(chan).n ELSE got
Next == Send \\/ Ask \\/ Receive
Behind == got <= sent
====
"""


def test_clauses_of_ic3_are_explained_in_the_words_of_the_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They were shown as the translation holds them: `chan[0].data.n >= 1`."""
    file = tmp_path / "Channel.tla"
    file.write_text(CHANNEL)
    file.with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANT Behind")
    assert run(["prove", str(file), "-P", "Behind", "--engine", "ic3", "--explain", "--json"]) == 0
    clauses = json.loads(capsys.readouterr().out)["why_it_holds"]["clauses"]
    texts = [*clauses.values()]
    assert any("chan[1].n" in text and 'DOMAIN chan[1] = {"n", "type"}' in text for text in texts)
    assert not any("chan[0]" in text or ".data" in text for text in texts)


def test_lemmas_about_messages_in_a_sequence_can_be_pasted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first place is 1 in the text, and a record's case is told by its fields."""
    file = tmp_path / "Channel.tla"
    file.write_text(CHANNEL)
    file.with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANT Behind")
    assert run(["infer", str(file), "-P", "Behind", "--json"]) == 0
    lemmas = json.loads(capsys.readouterr().out)["lemmas"]
    assert any('DOMAIN chan[1] = {"n", "type"}' in one["text"] for one in lemmas)
    assert not any(one["text"].startswith("\\*") for one in lemmas)
    file.write_text(CHANNEL.replace("====\n", "".join(one["text"] for one in lemmas) + "====\n"))
    offered = [word for one in lemmas for word in ("--lemma", one["name"])]
    induction = ("prove", str(file), "-P", "Behind", "--engine", "kinduction", "--k", "1")
    assert run([*induction, "--no-lemmas"]) == 3
    assert run([*induction, *offered]) == 0


def test_what_a_step_read_of_such_a_function_is_told_as_the_text_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "Gained.tla").write_text(GAINED)
    (tmp_path / "Gained.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Seen\n")
    assert run(["explore", str(tmp_path / "Gained.tla"), "-P", "Seen"]) == 1
    assert "it read f[2] = 3, as step 1 left it" in capsys.readouterr().out


SAID = """---- MODULE Said ----
EXTENDS Naturals
CONSTANTS Node, Some
VARIABLES owner, seen, count
Init == owner = {} /\\ seen = {} /\\ count = 0
Next == \\E node \\in Node :
  owner' = {node} /\\ seen' = seen \\union {node} /\\ count' = (count + 1) % 3
Claim == FORMULA
====
"""
SAID_CONFIG = "INIT Init NEXT Next CONSTANTS Node = {b, c} Some = {b} INVARIANT Claim"


def suite_saying(formula: str, tmp_path: Path, *lemmas: str) -> Suite:
    file = tmp_path / "Said.tla"
    file.write_text(SAID.replace("FORMULA", formula))
    file.with_suffix(".cfg").write_text(SAID_CONFIG)
    return suite_of("Said", file, lemmas=lemmas)


def written(formula: str, tmp_path: Path) -> list[str]:
    """What a definition of the text comes back as, written as a lemma would be."""
    suite = suite_saying(formula, tmp_path)
    assert suite.origin is not None
    (stated,) = Task(suite, {}, ("Claim",)).stated(suite.model(False))
    return suite.origin.lemma_text(replace(stated, name="Lemma"))


@pytest.mark.parametrize(
    "formula",
    [
        "(owner = {} /\\ count = 0) \\/ owner # {}",
        "((count + 1) % 2) + count < 9",
        "\\A x \\in Node : (seen \\union {x}) \\ {x} \\subseteq seen",
        "\\A x \\in Node : (owner \\ {x}) \\union {x} = {x} \\/ seen # {}",
    ],
)
def test_operators_without_a_precedence_beside_each_other_have_parentheses(
    formula: str, tmp_path: Path
) -> None:
    """What was written could not be pasted: TLA+ does not say which of them binds more tightly."""
    (line,) = written(formula, tmp_path)
    suite_saying(f"{formula}\n{line}", tmp_path, "Lemma")


def test_no_variable_of_a_lemma_hides_another_name(tmp_path: Path) -> None:
    suite = suite_saying("TRUE", tmp_path)
    nodes = suite.model(False).variables["seen"]
    assert isinstance(nodes, SetSort)
    seen = state_variable("seen", nodes)
    node, count = argument("node", nodes.element), argument("count", nodes.element)
    body = exists(nodes.element, lambda node: member(node, seen)) | member(node, seen)
    stated = Property("Lemma", Kind.LEMMA, (node, count), term_of(body), "", "", Source("", 0))
    assert suite.origin is not None
    (line,) = suite.origin.lemma_text(stated)
    assert line.startswith("Lemma == \\A node \\in Node, count2 \\in Node : (\\E node2 \\in Node :")
    suite_saying(f"TRUE\n{line}", tmp_path, "Lemma")


@pytest.mark.parametrize(("held", "renamed"), [("b", ""), ("node", "; rename node where it is")])
def test_no_variable_of_a_lemma_is_called_as_a_model_value_beside_it(
    held: str, renamed: str, tmp_path: Path
) -> None:
    """`\\A b \\in Node : b \\in seen => b \\in owner` said of all b what was proven of one."""
    file = tmp_path / "Said.tla"
    file.write_text(SAID.replace("FORMULA", "\\A x \\in Some : x \\in owner"))
    config = SAID_CONFIG.replace("{b", "{" + held)
    file.with_suffix(".cfg").write_text(config)
    suite = suite_of("Said", file)
    assert suite.origin is not None
    (one,) = Task(suite, {}, ("Claim",)).stated(suite.model(False))
    nodes = suite.model(False).variables["seen"]
    assert isinstance(nodes, SetSort)
    variable = argument(held, nodes.element)
    seen = term_of(member(variable, state_variable("seen", nodes)))
    lemma = replace(one, name="Lemma", arguments=(variable,), body=implies(seen, one.body))
    line, comment = suite.origin.lemma_text(lemma)
    assert line == f"Lemma == \\A {held}2 \\in Node : {held}2 \\in seen => {held} \\in owner"
    assert comment.startswith(f"\\* Lemma needs CONSTANTS {held} in the module")
    assert renamed in comment
    assert ("rename" in comment) == bool(renamed)
    text = file.read_text().replace("node", "given")
    text = text.replace("CONSTANTS ", f"CONSTANTS {held}, ").replace("====", f"{line}\n====")
    file.write_text(text)
    file.with_suffix(".cfg").write_text(config.replace("CONSTANTS", f"CONSTANTS {held} = {held}"))
    offered = suite_of("Said", file, lemmas=("Lemma",))
    assert Task(offered, {}, ("Lemma",)).stated(offered.model(False))


@pytest.mark.parametrize(
    ("second", "text"),
    [
        ("0..1", "(Node \\X (0..1))"),
        ("SUBSET (0..1)", "(Node \\X (SUBSET (0..1)))"),
        ("Some", "(Node \\X Some)"),
        ("(Node \\X (0..1))", "(Node \\X (Node \\X (0..1)))"),
    ],
)
def test_parts_of_a_product_that_bind_less_tightly_have_parentheses(
    second: str, text: str, tmp_path: Path
) -> None:
    """`Node \\X 0..1` is an interval that begins with a product: the lemma had no value."""
    file = tmp_path / "Paired.tla"
    module = f"""---- MODULE Paired ----
EXTENDS Naturals
CONSTANTS Node, Some
VARIABLE held
Init == held = [pair \\in Node \\X ({second}) |-> 0]
Next == \\E pair \\in DOMAIN held : held' = [held EXCEPT ![pair] = 1]
====
"""
    file.write_text(module)
    file.with_suffix(".cfg").write_text("INIT Init NEXT Next CONSTANTS Node = {b, c} Some = {b}")
    suite = suite_of("Paired", file)
    sort = suite.model(False).variables["held"]
    assert isinstance(sort, MapSort)
    pair = argument("pair", sort.key)
    body = select(state_variable("held", sort), pair) <= 1
    stated = Property("Lemma", Kind.LEMMA, (pair,), term_of(body), "", "", Source("", 0))
    assert suite.origin is not None
    (line,) = suite.origin.lemma_text(stated)
    assert line.startswith(f"Lemma == \\A pair \\in {text} :")
    file.write_text(module.replace("====\n", f"{line}\n====\n"))
    offered = suite_of("Paired", file, lemmas=("Lemma",))
    assert Task(offered, {}, ("Lemma",)).stated(offered.model(False))


def test_a_lemma_says_which_model_values_the_module_has_to_declare(tmp_path: Path) -> None:
    line, comment = written("\\A x \\in Some : x \\in owner", tmp_path)
    assert line == "Lemma == b \\in owner"
    assert comment.startswith("\\* Lemma needs CONSTANTS b in the module")
    assert "b = b" in comment


def test_an_inferred_lemma_is_called_as_nothing_in_the_module(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "Votes.tla"
    file.with_suffix(".cfg").write_text(RELATED)
    file.write_text(RELATION)
    assert run(["infer", str(file), "--json"]) == 0
    first = json.loads(capsys.readouterr().out)["lemmas"][0]["name"]
    file.write_text(RELATION.replace("====\n", f"{first} == TRUE\n====\n"))
    assert run(["infer", str(file), "--json"]) == 0
    names = [one["name"] for one in json.loads(capsys.readouterr().out)["lemmas"]]
    assert first not in names
    assert f"{first}2" in names


def test_an_inference_says_which_lemmas_name_values_of_the_configuration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They were told as if they held of any members."""
    file = tmp_path / "Votes.tla"
    file.write_text(
        RELATION.replace(", n1, n2", ", Pair").replace(
            "<<n1, v>> \\in vote /\\ <<n2, v>> \\in vote", "\\A n \\in Pair : <<n, v>> \\in vote"
        )
    )
    file.with_suffix(".cfg").write_text(
        "SPECIFICATION Spec CONSTANTS Node = {n1, n2, n3} Value = {v1, v2} Pair = {n1, n2} "
        "INVARIANT Agreed CHECK_DEADLOCK FALSE"
    )
    assert run(["infer", str(file), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    naming = [one["name"] for one in found["lemmas"] if "needs CONSTANTS n" in one["text"]]
    assert naming
    assert found["of_this_configuration"] == naming
    assert run(["infer", str(file)]) == 0
    assert "that only the configuration names" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("extended", "needed"),
    [("Naturals", "EXTENDS Integers"), ("Integers", ""), ("Integers, FiniteSets", "")],
)
def test_a_lemma_says_which_standard_module_it_needs(
    tmp_path: Path, extended: str, needed: str
) -> None:
    text = "VARIABLE x\nInit == x = 0\nNext == x' = 1 - x\nSmall == x < 2\n"
    file = tmp_path / "Signs.tla"
    file.write_text(f"---- MODULE Signs ----\nEXTENDS {extended}\n{text}====\n")
    file.with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANT Small\n")
    suite = suite_of("Signs", file, None)
    assert suite.origin is not None
    above = term_of(state_variable("x", dict(suite.model(False).variables)["x"]) > -2)
    lemma = Property("low", Kind.LEMMA, (), above, "", "", Source("", 0))
    lines = suite.origin.lemma_text(lemma)
    assert lines == [
        "low == -2 < x",
        *([f"\\* low needs {needed} in the module"] if needed else []),
    ]
