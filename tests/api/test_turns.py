"""Calls from programs without streams, from several threads and from other processes."""

import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from pathlib import Path

import pytest

from bmc import Task, check, explore, find, prove
from bmc.api import StaysInItsProcess
from bmc.evidence.verdict import Verdict
from bmc.lang.errors import BmcError

MUTEX = str(Path(__file__).parents[2] / "docs/examples/classics/mutual_exclusion.py")


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_program_may_have_no_streams(stream: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for given in (None, object(), _closed()):
        monkeypatch.setattr(sys, stream, given)
        answers = [ask("id-sequence", "TypeOk", max_id=3) for ask in (prove, check, explore)]
        assert [answered.violated for answered in answers] == [False] * 3
        assert prove(f"{MUTEX}:TicketLine", "Enters").proved


def _closed() -> StringIO:
    stream = StringIO()
    stream.close()
    return stream


def test_threads_take_turns(tmp_path: Path) -> None:
    """What one thread reads is no change that another one's protocol makes."""
    file = tmp_path / "counter.py"
    file.write_text(_COUNTER)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as pool:
            asked = pool.map(lambda _: explore(f"{file}:Counter"), range(8))
            verdicts = [[one.verdict for one in answered.results] for answered in asked]
    finally:
        sys.setswitchinterval(before)
    assert verdicts == [[Verdict.PROVED, Verdict.VIOLATED]] * 8


def test_what_an_answer_says_is_handed_on_to_other_processes() -> None:
    """The answer is not: pickle named a function of the protocol, once all was decided."""
    safe = check("id-sequence", max_id=2)
    unfair = prove(f"{MUTEX}:TestAndSet", "EntersWeakly", engine="lasso")
    for answered in (safe, unfair):
        assert pickle.loads(pickle.dumps(answered.results)) == answered.results
        with pytest.raises(StaysInItsProcess, match=r"return \.results"):
            pickle.dumps(answered)


def test_a_question_is_asked_where_it_is_made() -> None:
    """Pickle named a function of the protocol, and nothing that helps."""
    suite = find("id-sequence")
    for question in (suite, Task(suite, {}, ("TypeOk",)), find(f"{MUTEX}:TestAndSet")):
        with pytest.raises(BmcError, match="send the protocol's name and parameters"):
            pickle.dumps(question)


def test_a_forked_process_has_its_turn_though_a_thread_was_in_a_call() -> None:
    code = (
        "import os, threading\n"
        "import bmc.api\n"
        "from bmc.running.turns import in_turn\n"
        "inside, over = threading.Event(), threading.Event()\n"
        "def stay(): inside.set(); over.wait()\n"
        "threading.Thread(target=in_turn(stay), daemon=True).start()\n"
        "inside.wait()\n"
        "child = os.fork()\n"
        "if not child: bmc.api.find('id-sequence'); os._exit(7)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
        "over.set()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == "7\n", done.stderr


_COUNTER = """\
from bmc.lang import *


class Counter(Protocol):
    n = Parameter("n", 2, 1, 3, "members")
    P = Scalarset("P", n)
    x = Variable(Integer("X", 0, 4))
    up = Variable(MapSort(P, BOOL))

    @action()
    def Init(self, s):
        s.x = 0
        s.up = mapping(self.P, lambda p: FALSE, BOOL)

    @action(p=P)
    def Up(self, s, p):
        s.require(s.x < 4, ~s.up[p])
        s.x = s.x + 1
        s.up[p] = TRUE

    Next = one_of(Up)

    @invariant("in range")
    def Low(self, s):
        return s.x <= 2

    @invariant("nobody is up")
    def Down(self, s):
        return forall(self.P, lambda p: ~s.up[p])
"""
