"""A file of a user is judged with the modules beside it, and with no others of their names."""

from __future__ import annotations

import os
import py_compile
import sys
from pathlib import Path

import pytest

from bmc.cli.shared.user_file import UserModelError, load
from bmc.lang.terms import Term

FILE = """
from bmc.lang import *
from {module} import LIMIT
class P(Protocol):
    x = Variable(Integer("X", 0, 9))
    @action()
    def Init(self, s):
        s.x = LIMIT
    @action()
    def Go(self, s):
        s.x = LIMIT
    Next = one_of(Go)
"""


def _folder(folder: Path, limit: int, module: str) -> str:
    folder.mkdir()
    (folder / f"{module}.py").write_text(f"LIMIT = {limit}\n", encoding="utf-8")
    (folder / "protocol.py").write_text(FILE.format(module=module), encoding="utf-8")
    return f"{folder / 'protocol.py'}:P"


def _read(protocol: str) -> Term:
    return load(protocol).model(False).actions[0].branches[0].updates["x"]


def test_two_folders_may_have_modules_of_one_name(tmp_path: Path) -> None:
    places = [
        _folder(tmp_path / one, limit, "bmc_test_limits") for one, limit in (("a", 2), ("b", 5))
    ]
    assert [_read(place).args[0].data for place in (*places, places[0])] == [2, 5, 2]


def test_a_package_is_read_through_a_file_beside_it(tmp_path: Path) -> None:
    inside = _folder(tmp_path / "package", 3, ".limits").rpartition(":")[0]
    os.rename(tmp_path / "package" / ".limits.py", tmp_path / "package" / "limits.py")
    with pytest.raises(
        UserModelError, match=r"line 3: .*relative import.*a file beside the package"
    ):
        load(f"{inside}:P")
    beside = tmp_path / "beside.py"
    beside.write_text("from package.protocol import P\n")
    assert repr(_read(f"{beside}:P")) == "3"


@pytest.mark.parametrize("module", ["string", "bmc_test_settings"])
def test_what_is_found_before_the_module_beside_a_file_is_no_part_of_it(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What Python has under its own name lacks this one.
    monkeypatch.setattr(sys.modules["string"], "LIMIT", 1, raising=False)
    _folder(tmp_path / "first", 2, "bmc_test_settings")
    monkeypatch.syspath_prepend(str(tmp_path / "first"))
    protocol = _folder(tmp_path / "own", 5, module)
    with pytest.raises(
        UserModelError, match=rf"line 3: {module} is .* found before .*own/{module}"
    ):
        load(protocol)


@pytest.mark.parametrize(
    "imported",
    [
        'importlib.import_module("string")',
        'from importlib import import_module; import_module("string")',
        '__import__("string")',
        'from importlib import import_module as taken; taken("string")',
        'importlib.import_module(name="string")',
        'NAMES = ["string"]; [importlib.import_module(name) for name in NAMES]',
        'getattr(importlib, "import_module")("string")',
        'import runpy; runpy.run_module("string")',
        'import pkgutil; pkgutil.resolve_name("string.Template")',
    ],
)
def test_a_module_that_a_call_names_is_the_one_beside_a_file(imported: str, tmp_path: Path) -> None:
    text = FILE.format(module="math").replace("import LIMIT", "import pi").replace("LIMIT", "2")
    protocol = tmp_path / "protocol.py"
    protocol.write_text(f"{text}\nimport importlib\n{imported}\n", encoding="utf-8")
    load(f"{protocol}:P")
    (tmp_path / "string.py").write_text("LIMIT = 5\n", encoding="utf-8")
    with pytest.raises(UserModelError, match=r"line 15: string is .* found before .*string\.py"):
        load(f"{protocol}:P")


def test_a_module_and_a_package_of_one_name_are_refused(tmp_path: Path) -> None:
    """Python reads the package, and the file beside it would be no part of the protocol."""
    protocol = _folder(tmp_path / "own", 5, "bmc_test_both")
    package = tmp_path / "own" / "bmc_test_both"
    package.mkdir()
    assert _read(protocol).args[0].data == 5
    (package / "__init__.py").write_text("LIMIT = 2\n", encoding="utf-8")
    with pytest.raises(UserModelError, match=r"line 3: bmc_test_both is .*both, of which"):
        load(protocol)


def test_a_file_that_a_module_beside_it_imports_is_not_run_as_two_modules(tmp_path: Path) -> None:
    """What is declared in the other one would be asked nowhere."""
    text = FILE.format(module="bmc_test_number") + "\nimport bmc_test_claims\n"
    (tmp_path / "bmc_test_asked.py").write_text(text, encoding="utf-8")
    (tmp_path / "bmc_test_number.py").write_text("LIMIT = 2\n", encoding="utf-8")
    (tmp_path / "bmc_test_claims.py").write_text(
        "from bmc.lang import invariant\nfrom bmc_test_asked import P\n"
        "P.Small = invariant('it is small')(lambda m, s: s.x < 2)\n",
        encoding="utf-8",
    )
    with pytest.raises(
        UserModelError, match=r"bmc_test_claims\.py:2: bmc_test_asked is the file that was"
    ):
        load(f"{tmp_path / 'bmc_test_asked.py'}:P")


@pytest.mark.parametrize("where", ["protocol.py", "bmc_test_edited.py", "bmc_test_kept/parts.py"])
def test_bytecode_beside_a_text_is_not_run(where: str, tmp_path: Path) -> None:
    """Python takes it for that of a text of its length and second: a limit was an older one."""
    package = tmp_path / "bmc_test_kept"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "parts.py").write_text("PART = 2\n", encoding="utf-8")
    (tmp_path / "bmc_test_edited.py").write_text(
        "from bmc_test_kept.parts import PART\nOTHER = 2\n", encoding="utf-8"
    )
    text = "from bmc_test_edited import PART, OTHER\nOWN = 2\n" + FILE.format(module="math")
    text = text.replace("import LIMIT", "import pi").replace("LIMIT", "PART + OTHER + OWN")
    (tmp_path / "protocol.py").write_text(text, encoding="utf-8")
    edited = tmp_path / where
    py_compile.compile(str(edited))
    written = edited.stat()
    edited.write_text(edited.read_text(encoding="utf-8").replace(" = 2", " = 3"), encoding="utf-8")
    os.utime(edited, ns=(written.st_atime_ns, written.st_mtime_ns))
    assert _read(f"{tmp_path / 'protocol.py'}:P").args[0].data == 7
