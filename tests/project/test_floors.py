"""The house rules of the source tree hold: floors, solver-free protocols, quiet rooms.

`complaints` judges one source text; the tests at the end show that it can complain.
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# A room of `bmc` imports from itself and from lower floors. `solving` and `system` are neighbours
# of whom only `system` may look over.
FLOORS = {
    "lang": 0,
    "running": 1,
    "layout": 1,
    "readings": 2,
    "frontends": 3,
    "solving": 3,
    "system": 4,
    "evidence": 6,
    "engines": 7,
    "conformance": 7,
    "analysis": 8,
    "sweep": 9,
    "regress": 9,
    "reports": 9,
    "cli": 10,
    "api": 11,
    "__main__": 12,
}
# Nobody below the command line knows in which language a protocol was written.
KNOW_FRONT_ENDS = {"frontends", "cli"}
# What these rooms may import of `bmc`. The checker knows no protocol: only its command line, which
# is asked for them by name, may.
GUESTS = {
    "encodings": {"lang", "encodings"},
    "properties": {"lang", "encodings", "properties"},
}
SOLVERS = {"bitwuzla", "cvc5", "pysat", "pyspark", "z3"}
SOLVER_FREE = {"lang", *GUESTS}
TALKERS = {"cli", "reports"}
JUDGED = (ast.Import, ast.ImportFrom, ast.Call)


@dataclass(frozen=True)
class Source:
    """One Python file of the project: its text and the name it is imported by."""

    module: str
    text: str
    is_package: bool = False

    @property
    def room(self) -> str:
        """The room of `bmc` it lies in; empty for `bmc/__init__.py` and outside of `bmc`."""
        return room_of(self.module)


def room_of(module: str) -> str:
    top, _, rest = module.partition(".")
    return rest.partition(".")[0] if top == "bmc" else ""


def imports(source: Source, nodes: Iterable[ast.AST]) -> Iterator[tuple[int, str]]:
    """Every name that nodes of the source import, as (line, dotted name)."""
    for node in nodes:
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                base = module or ""
                if level:
                    package = source.module.split(".")[: None if source.is_package else -1]
                    package = package[: len(package) - (level - 1)]
                    base = ".".join([*package, *([module] if module else [])])
                yield from ((node.lineno, f"{base}.{alias.name}") for alias in names)
            # import_module("…") and __import__("…")
            case ast.Call(
                func=ast.Name(id=called) | ast.Attribute(attr=called),
                args=[ast.Constant(value=str(name)), *_],
            ) if called in ("import_module", "__import__"):
                yield node.lineno, name


def may_import(room: str, other: str) -> bool:
    """Whether `room` of `bmc` may import the room `other` of `bmc`."""
    if room in GUESTS:
        return other in GUESTS[room]
    if other in GUESTS:
        return room == "cli"
    if not room:
        # `from bmc import prove`, whose module is loaded when it is asked for.
        return other == "api"
    if other == "frontends":
        return room in KNOW_FRONT_ENDS
    return other == room or FLOORS[other] < FLOORS.get(room, 0)


def complaints(source: Source) -> Iterator[str]:
    """What the house rules have against `source`; nothing, if all is well."""
    tree = ast.parse(source.text)
    nodes = [node for node in ast.walk(tree) if isinstance(node, JUDGED)]
    room = source.room
    if "utils" in source.module.split("."):
        yield "utils: a name that says nothing of what lives there"
    if source.is_package and not (ast.get_docstring(tree) or "").strip():
        yield "a package without a docstring"
    if source.module.startswith("bmc.") and room not in (FLOORS.keys() | GUESTS.keys()):
        yield f"{room} is no room of bmc"
    for line, name in imports(source, nodes):
        if name.endswith(".*"):
            yield f"line {line}: star import"
        if room in SOLVER_FREE and name.partition(".")[0] in SOLVERS:
            yield f"line {line}: {room} imports {name}"
        other = room_of(name)
        if (
            source.module.partition(".")[0] == "bmc"
            and other in (FLOORS.keys() | GUESTS.keys())
            and not may_import(room, other)
        ):
            yield f"line {line}: {room or 'bmc'} imports {name}"
    if room in {"evidence", "regress", "reports", "cli"}:
        for node in nodes:
            match node:
                case ast.Call(func=ast.Attribute(attr="write_text" | "write_bytes")):
                    yield f"line {node.lineno}: files are written by bmc.running.files"
    if room == "reports":
        for node in nodes:
            match node:
                case ast.Call(func=ast.Name(id="Result")):
                    yield f"line {node.lineno}: a verdict is made by an engine"
    if source.module.partition(".")[0] == "bmc" and room not in TALKERS:
        for node in nodes:
            match node:
                case ast.Call(func=ast.Name(id="print") | ast.Attribute(attr="print")):
                    yield f"line {node.lineno}: print"


def sources(*folders: str) -> Iterator[tuple[Path, Source]]:
    for path in chain.from_iterable(sorted((ROOT / folder).rglob("*.py")) for folder in folders):
        parts = list(path.relative_to(ROOT).with_suffix("").parts)
        if parts[0] in GUESTS:
            parts.insert(0, "bmc")
        is_package = parts[-1] == "__init__"
        module = ".".join(parts[:-1] if is_package else parts)
        yield path, Source(module, path.read_text(encoding="utf-8"), is_package)


def test_the_house_is_in_order() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {complaint}"
        for path, source in sources("bmc", "encodings", "properties", "tests", "benchmarks")
        for complaint in complaints(source)
    ]
    assert not found, "\n".join(found)


def test_every_folder_with_modules_is_a_package() -> None:
    folders = {path.parent for path, _ in sources("bmc", "encodings", "properties")}
    assert {folder for folder in folders if not (folder / "__init__.py").exists()} <= {
        ROOT / "encodings"
    }
    assert not (ROOT / "encodings" / "__init__.py").exists(), "no interpreter could start here"


@pytest.mark.parametrize(
    ("module", "text", "complaint"),
    [
        # Floors.
        ("bmc.lang.terms", "import bmc.readings.value", "lang imports bmc.readings.value"),
        ("bmc.lang.terms", "from bmc import cli", "lang imports bmc.cli"),
        ("bmc.lang.terms", "from ..cli import main", "lang imports bmc.cli.main"),
        ("bmc.lang.terms", "from .. import cli", "lang imports bmc.cli"),
        ("bmc.solving.z3", "from bmc.system import step", "solving imports bmc.system.step"),
        ("bmc.sweep.job", "from bmc.reports import json", "sweep imports bmc.reports.json"),
        ("bmc.engines.ic3", "def f():\n  import bmc.cli", "line 2: engines imports bmc.cli"),
        ("bmc.engines.ic3", "if x:\n  from bmc.sweep import y", "engines imports bmc.sweep.y"),
        ("bmc.engines.ic3", "import_module('bmc.sweep')", "engines imports bmc.sweep"),
        ("bmc.engines.ic3", "importlib.import_module('bmc.cli')", "engines imports bmc.cli"),
        ("bmc", "from bmc.lang import Term", "bmc imports bmc.lang.Term"),
        ("bmc.helpers.x", "", "helpers is no room of bmc"),
        # The checker knows no protocol, and a protocol knows no checker.
        ("bmc.engines.ic3", "import bmc.encodings.kafka", "engines imports bmc.encodings.kafka"),
        ("bmc.encodings.kafka.kip320", "from bmc.engines import ic3", "imports bmc.engines.ic3"),
        ("bmc.encodings.kafka.kip320", "from bmc.properties import kafka", "imports bmc.prop"),
        ("bmc.properties.kafka", "from bmc.readings.value import x", "imports bmc.readings.value"),
        ("bmc.encodings.kafka.kip320", "from z3 import Bool", "encodings imports z3.Bool"),
        ("bmc.properties.kafka", "def f():\n  import pysat.solvers", "imports pysat.solvers"),
        ("bmc.lang.terms", "import z3", "lang imports z3"),
        # Nor does it know a language.
        ("bmc.engines.ic3", "from bmc.frontends.tla import core", "imports bmc.frontends.tla"),
        ("bmc.sweep.job", "import bmc.frontends", "sweep imports bmc.frontends"),
        ("bmc.frontends.tla.x", "from bmc.system import step", "frontends imports bmc.system"),
        # Manners.
        ("bmc.engines.ic3", "def f():\n  print(1)", "line 2: print"),
        ("bmc.engines.ic3", "builtins.print(1)", "print"),
        ("bmc.cli.export", "path.write_bytes(b'')", "by bmc.running.files"),
        ("bmc.reports.runs", "Result('P', Verdict.PROVED)", "made by an engine"),
        ("bmc.encodings.kafka", "print()", "print"),
        ("bmc.cli.main", "from bmc.lang import *", "star import"),
        ("tests.lang.test_terms", "from hypothesis import *", "star import"),
        ("bmc.lang.utils", "", "utils"),
        ("tests.utils", "", "utils"),
    ],
)
def test_a_breach_is_noticed(module: str, text: str, complaint: str) -> None:
    assert [found for found in complaints(Source(module, text)) if complaint in found]


@pytest.mark.parametrize("text", ["", "x = 1", '""', '"""  """'])
def test_a_package_without_docstring_is_noticed(text: str) -> None:
    assert list(complaints(Source("bmc.lang", text, is_package=True)))


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("bmc.lang.terms", "import ast\nfrom .sorts import Sort\nfrom bmc import __version__"),
        ("bmc.system.unroll", "from bmc.solving import Solver\nfrom ..lang.terms import Term"),
        ("bmc.solving.z3", "import z3\nfrom bmc.readings import smt"),
        (
            "bmc.cli.commands.list",
            "from bmc.encodings import kafka\nimport bmc.properties\nprint(1)",
        ),
        ("bmc.reports.console", "from bmc.engines import ic3\nconsole.print(1)"),
        ("bmc.encodings.kafka.kip320", "from bmc.lang import Protocol\nfrom .kip279 import X"),
        ("bmc.properties.kafka.isr", "from bmc.encodings.kafka import X\nfrom . import logs"),
        ("benchmarks.bmc_depth", "import bmc.cli\nprint(1)"),
    ],
)
def test_what_is_allowed(module: str, text: str) -> None:
    assert not list(complaints(Source(module, text)))


def test_relative_imports_of_a_package_start_at_the_package() -> None:
    text = '"""Terms."""\nfrom .sorts import Sort\nfrom ..readings import value'
    assert list(complaints(Source("bmc.lang", text, is_package=True))) == [
        "line 3: lang imports bmc.readings.value"
    ]
