"""A process that ends without its answer has not proved anything, however it ends."""

import json
import os
import pty
import resource
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.running import ROOT, schema_validator

MODEL = """
import atexit, os, signal, sys, threading
from bmc.lang import *

{first}

class Flag(Protocol):
    up = Variable(BOOL)

    @action()
    def Init(self, s):
        {inside}
        s.up = False

    @action()
    def Raise(self, s):
        s.up = True

    Next = one_of(Raise)

    @invariant("never up: false")
    def Down(self, s):
        return ~s.up
"""


def run(
    folder: Path, command: str, first: str = "pass", inside: str = "pass", *words: str
) -> subprocess.CompletedProcess[str]:
    file = folder / "flag.py"
    file.write_text(MODEL.format(first=first, inside=inside))
    return subprocess.run(
        [sys.executable, "-m", "bmc", command, f"{file}:Flag", *words],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


ENDINGS = ["os._exit(0)", "os._exit(3)", "os.kill(os.getpid(), 9)"]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("place", ["first", "inside"])
def test_a_file_that_ends_the_process_is_a_failure(tmp_path: Path, ending: str, place: str) -> None:
    ended = run(tmp_path, "prove", **{place: ending})
    assert ended.returncode == 4
    assert ended.stdout == ""
    assert "ended without an answer" in ended.stderr
    # Whoever is killed has mostly run nothing that kills: the machine had no memory left.
    assert ("whose memory was full" in ended.stderr) == ("kill" in ending)


@pytest.mark.parametrize("command", ["prove", "explore", "--no"])
def test_a_file_that_has_replaced_the_way_out_is_not_waited_for(
    tmp_path: Path, command: str
) -> None:
    """The child went on as if it was its parent, and waited for itself."""
    ended = run(tmp_path, command, first="sys.exit = lambda code=None: None")
    assert ended.returncode == (2 if command == "--no" else 1)


@pytest.mark.parametrize("form", ["--json", "--json-lines"])
def test_a_program_that_waits_for_a_document_gets_one(tmp_path: Path, form: str) -> None:
    ended = run(tmp_path, "prove", "os._exit(0)", "pass", form)
    assert ended.returncode == 4
    document = json.loads(ended.stdout.splitlines()[-1] if "lines" in form else ended.stdout)
    schema_validator().validate(document)
    assert (document["command"], document["error"]["exit_code"]) == ("prove", 4)


@pytest.mark.parametrize("ending", ["sys.exit(0)", "raise SystemExit", "exit()"])
def test_a_file_that_exits_politely_is_bad_input(tmp_path: Path, ending: str) -> None:
    ended = run(tmp_path, "prove", first=ending)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "flag.py, line 5: SystemExit" in ended.stderr


@pytest.mark.parametrize(
    "late",
    [
        "atexit.register(os._exit, 0)",
        "atexit.register(sys.exit, 0)",
        "atexit.register(os.kill, os.getpid(), 9)",
    ],
)
def test_what_runs_after_the_answer_does_not_change_it(tmp_path: Path, late: str) -> None:
    ended = run(tmp_path, "check", first=late)
    assert "violated" in ended.stdout
    assert ended.returncode == 1


@pytest.mark.parametrize(("command", "told"), [("stubs", 0), ("check", 1), ("--no", 2)])
def test_a_python_that_is_told_to_stay_does_not_change_the_exit_code(
    tmp_path: Path, command: str, told: int
) -> None:
    file = tmp_path / "flag.py"
    file.write_text(MODEL.format(first="pass", inside="pass"))
    ended = subprocess.run(
        [sys.executable, "-m", "bmc", command, f"{file}:Flag"],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONINSPECT": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, "Traceback" in ended.stderr) == (told, False)


def test_an_interruption_before_it_begins_is_told(tmp_path: Path) -> None:
    """What loads first here stands for a machine that takes long to load."""
    (tmp_path / "typer.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\n")
    ended = subprocess.run(
        [sys.executable, "-m", "bmc", "prove", "id-sequence", "--json"],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 3
    document = json.loads(ended.stdout)
    schema_validator().validate(document)
    assert document["error"]["exit_code"] == 3
    assert "interrupted before it had an answer" in ended.stderr
    assert "Traceback" not in ended.stderr


AGAIN_WHEN_IT_HAS_ENDED = """
import os, signal
wait = os.waitpid

def and_again(*words):
    ended = wait(*words)
    os.kill(os.getpid(), signal.SIGINT)
    return ended

os.waitpid = and_again
"""


def test_several_interruptions_before_it_begins_are_told(tmp_path: Path) -> None:
    """The second comes when the first has ended the process that worked."""
    (tmp_path / "typer.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    (tmp_path / "sitecustomize.py").write_text(AGAIN_WHEN_IT_HAS_ENDED)
    ended = subprocess.run(
        [sys.executable, "-m", "bmc", "prove", "id-sequence", "--json"],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 3
    assert json.loads(ended.stdout)["error"]["exit_code"] == 3
    assert "interrupted before it had an answer" in ended.stderr


READING_ITS_WORDS = """
import os, signal, typer.core
from bmc.cli.main import main

def interrupted(*_, **__):
    os.kill(os.getpid(), signal.{blow})

typer.core.TyperCommand.make_context = interrupted
main()
"""


@pytest.mark.parametrize("blow", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_an_interruption_while_words_are_read_is_told(blow: str) -> None:
    """Nothing of the command has begun then that could tell it."""
    ended = subprocess.run(
        [sys.executable, "-c", READING_ITS_WORDS.format(blow=blow), "list", "--json"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 3
    document = json.loads(ended.stdout)
    schema_validator().validate(document)
    assert document["error"]["exit_code"] == 3
    assert "interrupted before it had an answer" in ended.stderr


ONE_MORE = """
import os, signal, sys
from bmc.cli.main import main
from bmc.running import guarded

ended = guarded._ended

def late(child, waiting):
    how = ended(child, waiting)
    os.kill(os.getpid(), signal.{blow})
    return how

guarded._ended = late
sys.argv = ["bmc", *sys.argv[1:]]
main()
"""


@pytest.mark.parametrize("blow", ["SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("ending", ["pass", "os._exit(3)"])
def test_an_interruption_after_the_answer_does_not_change_it(
    tmp_path: Path, blow: str, ending: str
) -> None:
    """Who was told to end twice has an exit code, too, and not that of a killed process."""
    (tmp_path / "flag.py").write_text(MODEL.format(first=ending, inside="pass"))
    ended = subprocess.run(
        [sys.executable, "-c", ONE_MORE.format(blow=blow), "check", "flag.py:Flag"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == (1 if ending == "pass" else 4)
    assert ("violated" in ended.stdout) == (ending == "pass")


def test_an_interruption_is_passed_on_once(tmp_path: Path) -> None:
    """A signal to the whole group, as a terminal sends it, ends with what was learnt."""
    terminal, own = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "bmc", "check", "kafka", "--depth", "60", "-p", "replicas=4"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=own,
        text=True,
        start_new_session=True,
    ) as process:
        os.close(own)
        # The first line of progress: on a busy machine what is loaded before it takes long, and an
        # interruption then has nothing to tell.
        shown = os.read(terminal, 4096)
        os.killpg(process.pid, signal.SIGINT)
        out, _ = process.communicate(timeout=120)
        # Linux says that nobody writes any more with an error.
        with suppress(OSError):
            while more := os.read(terminal, 4096):
                shown += more
    os.close(terminal)
    assert process.returncode == 3
    assert "interrupted" in out
    assert b"Traceback" not in shown


LONG_WORDS = """
import time
from bmc.running import guarded

guarded._SECONDS_TO_TELL = 0.1
with guarded.telling(3):
    begin = time.process_time()
    while time.process_time() < begin + 0.4:
        pass
    print("told", flush=True)
    time.sleep(60)
"""


def test_who_is_long_at_finding_words_tells_them() -> None:
    """On a busy machine nothing was told; who only waits for a reader still ends."""
    ended = subprocess.run(
        [sys.executable, "-c", LONG_WORDS],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (3, "told\n")


@pytest.mark.parametrize("soft_alone", [True, False])
def test_who_is_ended_for_the_processor_time_it_took_does_not_know(
    tmp_path: Path, soft_alone: bool
) -> None:
    """It is a limit like others, unlike a file that kills its process."""
    (tmp_path / "flag.py").write_text(MODEL.format(first="while True: pass", inside="pass"))
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    ended = subprocess.run(
        [sys.executable, "-m", "bmc", "prove", "flag.py:Flag", "--json"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (2, hard if soft_alone else 2)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 3
    assert "limit of 2 s of processor time" in ended.stderr
    error = json.loads(ended.stdout)["error"]
    assert error["exit_code"] == 3
    assert "`--timeout`" in error["message"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what data a process has")
def test_who_has_no_memory_to_answer_in_does_not_know(tmp_path: Path) -> None:
    """What Python made of it was a traceback and a failure that the file was blamed for."""
    (tmp_path / "flag.py").write_text(MODEL.format(first="pass", inside="pass"))
    full = (
        "import bmc.cli.main as main\n"
        "def work(arguments):\n"
        "    raise MemoryError\n"
        "main._run = work\n"
        "main.main()\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", full, "prove", "flag.py:Flag", "--json"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_AS, (8 << 30, resource.getrlimit(resource.RLIMIT_AS)[1])
        ),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, "Traceback" in ended.stderr) == (3, False)
    error = json.loads(ended.stdout)["error"]
    assert error["exit_code"] == 3
    assert "no memory left" in error["message"]
    assert "`ulimit -v`" in error["message"]


UNLOADED = """
import sys
from importlib.abc import MetaPathFinder

import bmc.cli.main as main


class Full(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            raise {error}


def work(arguments):
    raise MemoryError


main._run = work
sys.modules.pop("{module}", None)
sys.meta_path.insert(0, Full())
main.main()
"""


@pytest.mark.parametrize("error", ["MemoryError", "ImportError('failed to map segment')"])
@pytest.mark.parametrize("module", ["bmc.running.guarded", "ctypes", "bmc.reports.page"])
def test_who_has_no_memory_to_begin_or_to_tell_it_says_so(module: str, error: str) -> None:
    """Python's end by a traceback is exit code 1, a violation; 3 in silence helps nobody."""
    ended = subprocess.run(
        [sys.executable, "-c", UNLOADED.format(module=module, error=error), "list"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stdout, "Traceback" in ended.stderr) == (3, "", False)
    assert "it had no memory left" in ended.stderr
    assert "Nothing is proved and nothing violated" in ended.stderr


def test_what_hides_a_module_is_no_lack_of_memory() -> None:
    hidden = UNLOADED.format(module="bmc.running.guarded", error="ImportError('no such word')")
    ended = subprocess.run(
        [sys.executable, "-c", hidden, "list"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "no such word" in ended.stderr
    assert "memory" not in ended.stderr


PRODUCTS = """
import resource
import numpy

table = numpy.ones((600, 600), numpy.float32)
if not (child := os.fork()):
    taken = int(open("/proc/self/status").read().split("VmData:")[1].split()[0]) << 10
    resource.setrlimit(resource.RLIMIT_DATA, (taken + (4 << 20),) * 2)
    table @ table
    os._exit(0)
os.waitpid(child, 0)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what data a process has")
def test_products_of_a_process_without_memory_end(tmp_path: Path) -> None:
    """OpenBLAS gets no memory for its threads, and waits for itself as it exits."""
    assert run(tmp_path, "prove", first=PRODUCTS).returncode == 1
