"""A class name means one thing."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from tests.project.test_floors import Source, sources

# A front end and the independent judge are languages of their own: what they call a Record or a
# Step is what their subject calls so, and nobody outside imports it beside ours.
OWN_LANGUAGES = ("bmc.frontends.", "bmc.evidence.independent.")
DELIBERATE = {
    "Answer": "what a solver says; what a command says",
    "Table": "a layout; what is known of a map's values",
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
    assert defined_twice(ours).keys() == DELIBERATE.keys()


def test_a_second_meaning_is_found() -> None:
    texts = {"bmc.lang.a": "class Sort: ...", "bmc.lang.b": "class Sort: ...\nclass Term: ..."}
    found = defined_twice(Source(module, text) for module, text in texts.items())
    assert found == {"Sort": ["bmc.lang.a", "bmc.lang.b"]}
