"""Real clusters: two drivers, a store that fails, executors that die in the middle, Ctrl-C."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from pyarrow import fs

from bmc.sweep.store import Store
from tests.sweep.sparks import CLOCK, ROOT, Sweep, cluster, environment, expected, table

pytestmark = [pytest.mark.nightly, pytest.mark.xdist_group("spark")]

LOCAL_CLUSTER = "local-cluster[2,1,1024]"
SMALL = ("-p", "replicas=2", "-p", "log_size=1", "-p", "max_records=1", "-p", "max_leader_epoch=1")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model" / "clock.py"
    path.parent.mkdir()
    path.write_text(CLOCK, encoding="utf-8")
    return path


def test_two_drivers_on_one_data_set(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    # What they share is asked by both at the same time, the rest by one of them each.
    first = Sweep(model, range(4, 14), out, "--master", LOCAL_CLUSTER)
    second = Sweep(model, range(8, 18), out, "--master", "local[2]")
    assert [first.answer()[0], second.answer()[0]] == [1, 1]
    again, document, _ = Sweep(model, range(4, 18), out).answer()
    assert (again, document["done_before"], document["missing"]) == (
        1,
        len(expected(range(4, 18))),
        0,
    )
    assert table(out) == expected(range(4, 18))
    assert not Store(out).changed()


def test_a_driver_dies_on_a_cluster_and_its_sweep_is_run_again(model: Path, tmp_path: Path) -> None:
    out, tops = tmp_path / "out", range(5, 14)
    with cluster(tmp_path / "cluster") as spark:
        first = Sweep(model, tops, out, "--master", spark.url)
        first.after(3)
        first.kill()
        # Executors of the first may still write while the second one runs.
        code, document, _ = Sweep(model, tops, out, "--master", spark.url).answer()
    assert (code, document["missing"]) == (1, 0)
    assert document["done_before"] >= 3
    assert table(out) == expected(tops)


class Gate:
    """A port that leads to another one, unless it is shut."""

    def __init__(self, host: str, port: int) -> None:
        self._to = host, port
        self.shut = False
        self.refused = 0
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                came, _ = self._listening.accept()
                if self.shut:
                    self.refused += 1
                    came.close()
                    continue
                to = socket.create_connection(self._to)
                for one, other in ((came, to), (to, came)):
                    threading.Thread(target=self._pass, args=(one, other), daemon=True).start()

    def _pass(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while not self.shut and (data := one.recv(65536)):
                other.sendall(data)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
                end.close()

    def close(self) -> None:
        """Serve no more."""
        self._listening.close()


@pytest.fixture
def gated(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Gate]]:
    """A bucket of an S3 server on this machine, as a URI, and the gate before it."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    gate = Gate(host, port)
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY"):
        monkeypatch.setenv(f"AWS_{name}", "testing")
    try:
        options = f"endpoint_override=127.0.0.1:{gate.port}&scheme=http&region=us-east-1"
        files, _ = fs.FileSystem.from_uri(f"s3://sweeps?{options}&allow_bucket_creation=true")
        files.create_dir("sweeps")
        yield f"s3://sweeps/one?{options}", gate
    finally:
        gate.close()
        server.stop()


def test_a_store_that_fails_for_a_while(model: Path, gated: tuple[str, Gate]) -> None:
    where, gate = gated
    tops = range(5, 13)
    running = Sweep(model, tops, where, "--master", LOCAL_CLUSTER)
    end = time.monotonic() + 300
    while len(Store(where).all()) < 2:
        assert running.process.poll() is None, running.process.communicate()
        assert time.monotonic() < end
        time.sleep(0.2)
    gate.shut = True
    time.sleep(8)
    gate.shut = False
    code, document, _ = running.answer()
    assert gate.refused
    assert (code, document["missing"]) == (1, 0)
    rows = Store(where).all()
    found = {(r["property"], r["parameters"]["top"]): r["verdict"] for r in rows}
    assert (len(rows), found) == (len(found), expected(tops))


@contextmanager
def running(tmp_path: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """A running bmc whose Spark has its files below ``tmp_path``."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "bmc", *words, "--json"],
        env={**environment(), "TMPDIR": str(temporary)},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def javas(tmp_path: Path) -> list[int]:
    """Spark's processes whose files are below a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (path / "cmdline").read_bytes()
            if b"org.apache.spark" in words and str(tmp_path).encode() in words:
                found.append(int(path.name))
    return found


def gone(tmp_path: Path, seconds: float = 60) -> bool:
    """Whether these processes end within so many seconds."""
    end = time.monotonic() + seconds
    while javas(tmp_path) and time.monotonic() < end:
        time.sleep(0.2)
    return not javas(tmp_path)


def verdicts(out: str) -> dict[str, Any]:
    return {r["property"]: r["verdict"] for r in json.loads(out)["results"]}


def test_a_proof_on_a_local_cluster_is_that_of_one_machine(tmp_path: Path) -> None:
    there, here = tmp_path / "there.json", tmp_path / "here.json"
    words = ("prove", "kafka", *SMALL, "--certificate", str(there), "--master", LOCAL_CLUSTER)
    with running(tmp_path, *words) as process:
        out, err = process.communicate(timeout=400)
    assert process.returncode == 0, err
    assert set(verdicts(out).values()) == {"proved"}
    assert "leave --master out" in err
    alone = [sys.executable, "-m", "bmc", "prove", "kafka", *SMALL, "--engine", "kinduction"]
    subprocess.run(
        [*alone, "--certificate", str(here)],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        check=True,
    )
    assert there.read_text() == here.read_text()
    assert gone(tmp_path)


def test_an_inference_on_a_local_cluster_proves_what_one_machine_proves(tmp_path: Path) -> None:
    proof = tmp_path / "proof.json"
    words = ("infer", "kafka-async-isr", "-p", "replicas=2", "--certificate", str(proof))
    with running(tmp_path, *words, "--master", LOCAL_CLUSTER) as process:
        out, err = process.communicate(timeout=400)
    assert process.returncode == 0, err
    assert verdicts(out) == {"ValidHighWatermark": "proved"}
    assert "obligations on 2 cores" in err
    assert "leave --master out" in err
    certify = [sys.executable, "-m", "bmc", "certify", str(proof)]
    subprocess.run(certify, cwd=ROOT, env=environment(), capture_output=True, check=True)
    assert gone(tmp_path)


def test_executors_die_during_a_proof(tmp_path: Path) -> None:
    with (
        cluster(tmp_path / "cluster") as spark,
        running(tmp_path, "prove", "kafka", "-p", "replicas=4", "--master", spark.url) as process,
    ):
        for victim in spark.both_executors():
            time.sleep(3)
            with suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
        out, err = process.communicate(timeout=500)
    assert process.returncode == 0, err
    assert set(verdicts(out).values()) == {"proved"}


def found(out: str) -> dict[str, Any]:
    """What an exploration found, without how long it took."""
    document = json.loads(out)
    names = ("distinct_states", "generated_states", "levels", "complete", "witnesses", "fired")
    return {"verdicts": verdicts(out), **{name: document.get(name) for name in names}}


def lost(folder: Path) -> int:
    """How many executors Spark says it has lost."""
    (log,) = (folder / "temporary").glob("*spark.log")
    return log.read_text().count("ERROR TaskSchedulerImpl: Lost executor")


@pytest.mark.parametrize("on_disk", [False, True])
def test_executors_die_during_an_exploration(on_disk: bool, tmp_path: Path) -> None:
    shared, scratch = tmp_path / "shared", tmp_path / "scratch"
    spill = ("--spill", str(scratch)) if on_disk else ()
    # Levels of a fifth of a second and more: it does not end before the second one dies.
    larger = ("-p", "log_size=3", "-p", "max_records=3")
    words = ("explore", "kafka", *larger, "--master")
    with (
        cluster(tmp_path / "cluster") as spark,
        running(tmp_path, *words, spark.url, "--shared", str(shared), *spill) as process,
    ):
        for killed in range(2):
            end = time.monotonic() + 200
            before = len(list(shared.glob("**/levels/*")))
            while len(list(shared.glob("**/levels/*"))) < before + 3:
                assert process.poll() is None, process.communicate()
                assert time.monotonic() < end
                time.sleep(0.02)
            os.kill(random.choice(spark.both_executors()), signal.SIGKILL)
            # One that has not registered yet would be nobody's loss.
            while lost(tmp_path) <= killed:
                assert process.poll() is None, process.communicate()
                assert time.monotonic() < end
                time.sleep(0.1)
        out, err = process.communicate(timeout=500)
    assert process.returncode == 0, err
    alone = subprocess.run(
        [sys.executable, "-m", "bmc", *words[:-1], "--json"],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert found(out) == found(alone.stdout)
    assert not on_disk or not list(scratch.iterdir())


def test_an_interrupted_exploration_leaves_nothing_on_disks(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    where = ("--shared", str(tmp_path / "shared"), "--spill", str(disk))
    words = ("explore", "kafka", "-p", "log_size=3", "-p", "max_records=3")
    with running(tmp_path, *words, "--master", LOCAL_CLUSTER, *where) as process:
        end = time.monotonic() + 300
        while not list(disk.glob("*/*.states*")):
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < end
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=100)
    assert (process.returncode, set(verdicts(out).values())) == (3, {"unknown"})
    assert gone(tmp_path)
    end = time.monotonic() + 60
    while list(disk.iterdir()):
        assert time.monotonic() < end, "states are left"
        time.sleep(0.2)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("words", [(), ("--all-parameters",)])
def test_an_interruption_ends_spark(
    tmp_path: Path, number: signal.Signals, words: tuple[str, ...]
) -> None:
    with running(tmp_path, "prove", "kafka", "--master", "local[2]", *words) as process:
        end = time.monotonic() + 200
        while not javas(tmp_path):
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < end
            time.sleep(0.2)
        time.sleep(2)
        process.send_signal(number)
        out, _ = process.communicate(timeout=100)
    assert set(verdicts(out).values()) <= {"unknown", "proved"}
    assert process.returncode in (0, 3)
    assert gone(tmp_path)
    assert not list((tmp_path / "temporary").glob("bmc-prove-*/")), "files are left"
