"""No module needs itself, through whatever others: neither at import, nor for types, nor later."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

import networkx
import pytest

from tests.project.test_floors import Source, imports, sources


def circles(found: Iterable[Source]) -> list[list[str]]:
    """Return the groups of modules that import each other, anywhere in their text."""
    known = {source.module: source for source in found}
    needs: Mapping[str, set[str]] = {
        name: {
            _module(told, known) for _, told in imports(source, ast.walk(ast.parse(source.text)))
        }
        for name, source in known.items()
    }
    arrows = [(a, b) for a, others in needs.items() for b in others if b in known and a != b]
    groups = networkx.strongly_connected_components(networkx.DiGraph(arrows))
    return sorted(sorted(group) for group in groups if len(group) > 1)


def _module(name: str, known: Mapping[str, Source]) -> str:
    """The module that an imported name is or lies in."""
    return name if name in known else name.rpartition(".")[0]


def test_no_modules_import_each_other() -> None:
    assert not circles(s for _, s in sources("bmc", "encodings", "properties"))


@pytest.mark.parametrize(
    "back",
    [
        "from bmc.lang.a import x",
        "import bmc.lang.a",
        "from . import a",
        "def f():\n  from bmc.lang.a import x",
        "if TYPE_CHECKING:\n  from bmc.lang.a import x",
        "import_module('bmc.lang.a')",
    ],
)
def test_a_circle_is_found_wherever_it_hides(back: str) -> None:
    texts = {"a": "from bmc.lang.b import y", "b": "from bmc.lang.c import y", "c": back}
    found = circles(Source(f"bmc.lang.{name}", text) for name, text in texts.items())
    assert found == [["bmc.lang.a", "bmc.lang.b", "bmc.lang.c"]]


def test_what_stands_above_may_be_imported_from_two_sides() -> None:
    texts = {"a": "from bmc.lang import b, c", "b": "import bmc.lang.c", "c": ""}
    assert not circles(Source(f"bmc.lang.{name}", text) for name, text in texts.items())
