"""Every test that the pages on trust and on attacks name is there."""

import ast
import re

from tests.cli.running import ROOT

NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")
ROW = re.compile(r"^\| (\d+) \|.*$", re.MULTILINE)


def page(name: str = "trust.md") -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def functions(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)}


def test_named_tests_are_there() -> None:
    named = NAMED.findall(page()) + NAMED.findall(page("attacks.md"))
    assert len(named) > 40
    for path, test in named:
        assert (ROOT / path).is_file(), path
        assert not test or test in functions(path), f"{path}::{test}"


def test_each_mistake_has_a_test() -> None:
    rows = {int(row[1]): NAMED.findall(row[0]) for row in ROW.finditer(page())}
    assert sorted(rows) == list(range(1, 14))
    assert all(any(test for _, test in named) for named in rows.values())
