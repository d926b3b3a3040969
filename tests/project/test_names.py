"""A class name means one thing."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from tests.project.test_floors import Source, sources

# A front end and the independent judge are languages of their own: what they call a Record or a
# Step is what their subject calls so, and nobody outside imports it beside ours.
OWN_LANGUAGES = ("bmc.frontends.", "bmc.evidence.independent.")
DELIBERATE = {
    "Answer": "what a solver says; what a command says; a job's row",
    "Entry": "a name of the catalogue; a file of a sweep's folder",
    "Found": "rows of a sweep's directory; an execution of a log",
    "Limits": "of a job of a sweep; of the search for an execution of a log",
    "Node": "a gate of a circuit; a state on the way through a log",
    "Options": "of lemma mining; of lemma inference",
    "Outcome": "of an inference; of a property in a regression",
    "Place": "what an action can assign; where a sweep's files lie",
    "Prospect": "what mining, and what inference, knows of the reachable states",
    "Request": "a share of a sweep; a suite at the parameters that a command was given",
    "Rule": "a ground instance of an action; what events of one kind mean",
    "Search": "for lemmas; for an execution of a log",
    "Standing": "of a row's evidence; of an expectation of the lock",
    "State": "what a method is given; what an inference keeps in a folder",
    "Step": "what an action is given; a step that a log may have taken",
    "Table": "a layout; the literals that hold in sampled states, by row",
}


def defined_twice(found: Iterable[Source]) -> dict[str, list[str]]:
    """Return the public classes that several modules define, with these modules."""
    places: dict[str, list[str]] = {}
    for source in found:
        for node in ast.parse(source.text).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(source.module)
    return {name: modules for name, modules in places.items() if len(modules) > 1}


def test_a_class_name_means_one_thing() -> None:
    ours = (s for _, s in sources("bmc") if not s.module.startswith(OWN_LANGUAGES))
    assert not {n: m for n, m in defined_twice(ours).items() if n not in DELIBERATE}


def test_a_second_meaning_is_found() -> None:
    texts = {"bmc.lang.a": "class Sort: ...", "bmc.lang.b": "class Sort: ...\nclass Term: ..."}
    found = defined_twice(Source(module, text) for module, text in texts.items())
    assert found == {"Sort": ["bmc.lang.a", "bmc.lang.b"]}
