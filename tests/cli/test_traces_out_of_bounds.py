"""A path that leaves a protocol's bounds is written where traces are asked for."""

import json
from pathlib import Path

import pytest

from tests.cli.running import bmc

COUNTER = '''
from bmc.lang import Integer, Protocol, Variable, action, invariant, one_of


class Counter(Protocol):
    """It counts on where its numbers end."""

    count = Variable(Integer("Count", 0, 3))

    @action()
    def Init(self, s):
        s.count = 0

    @action()
    def Up(self, s):
        s.count = s.count + 1

    Next = one_of(Up)

    @invariant("it is no negative number")
    def NotNegative(self, s):
        return s.count >= 0
'''


@pytest.mark.parametrize("command", ["explore", "check", "prove"])
def test_the_path_is_written_and_can_be_replayed(command: str, tmp_path: Path) -> None:
    (tmp_path / "counter.py").write_text(COUNTER)
    protocol, file = f"{tmp_path / 'counter.py'}:Counter", tmp_path / "path.json"
    answer = bmc(command, protocol, "--trace", str(file), "--json")
    assert answer.code == 3
    assert json.loads(answer.out)["traces"] == {"NotNegative": str(file)}
    assert file.read_text().count('"Up"') == 3
    replayed = bmc("trace", "replay", str(file), "--protocol", protocol)
    assert "A step out of its last state has no value: a bound is too small" in replayed.out
    page = tmp_path / "path.html"
    assert bmc(command, protocol, "--trace", str(page)).out.endswith(f"Trace: {page}\n")
    assert "Up" in page.read_text()
