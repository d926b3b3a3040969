"""Sweeps on Spark: killed and resumed, on this machine and on a cluster, with and without bmc."""

import logging
import os
import random
import shlex
import signal
import sys
import time
import venv
from collections.abc import Callable
from pathlib import Path
from unittest.mock import MagicMock

import pytest
from py4j.protocol import Py4JNetworkError

from bmc.reports.sweeps.digest import command
from bmc.sweep.dispatch import ClusterLost
from bmc.sweep.spark import Cluster, SparkError, SparkExecutors, say_nothing_of_failed_calls
from tests.cli.running import bmc, schema_validator
from tests.sweep.sparks import CLOCK, Sweep, cluster, expected, rows_in, table

pytestmark = pytest.mark.xdist_group("spark")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model" / "clock.py"
    path.parent.mkdir()
    path.write_text(CLOCK, encoding="utf-8")
    return path


def test_a_sweep_on_this_machine(model: Path, tmp_path: Path) -> None:
    out, tops = tmp_path / "out", range(9, 11)
    code, document, events = Sweep(model, tops, out).answer()
    assert code == 1
    schema_validator().validate(document)
    assert (document["done_before"], document["missing"]) == (0, 0)
    assert table(out) == expected(tops)
    assert {event["event"] for event in events} >= {"phase", "begun", "finished"}
    assert "Early is violated after step 10" in (out / "report.md").read_text(encoding="utf-8")
    # A cell's command asks its question again.
    row = next(row for row in document["rows"] if row["verdict"] == "violated")
    alone = bmc(*shlex.split(command(row))[1:], "--json")
    assert (alone.code, len(alone.document["results"][0]["trace"])) == (1, row["trace_states"])
    # Nothing is left to do, so Spark is not started.
    asked = ("sweep", f"{model}:Clock", "--grid", "top=9..10", "--k", "12", "--out", str(out))
    again = bmc(*asked, "--json")
    assert (again.code, again.err) == (1, "")
    assert again.document["done_before"] == len(expected(tops))


@pytest.mark.nightly
def test_a_sweep_that_is_killed_and_run_again_ends_as_if_nothing_had_been(
    model: Path, tmp_path: Path
) -> None:
    out, tops = tmp_path / "out", range(7, 14)
    first = Sweep(model, tops, out, "--master", "local[2]")
    first.after(random.randint(0, 10))
    time.sleep(random.random())
    first.kill()
    before = rows_in(out)
    code, document, _ = Sweep(model, tops, out, "--master", "local[2]").answer()
    assert (code, document["done_before"]) == (1, before)
    assert table(out) == expected(tops)


@pytest.mark.nightly
def test_an_interrupted_sweep_reports_what_it_has(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    running = Sweep(model, range(4, 40), out, "--master", "local[2]")
    running.after(3)
    running.process.send_signal(signal.SIGINT)
    code, document, _ = running.answer(60)
    assert code in (1, 3)
    assert document["stopped_because"] == "interrupted"
    assert document["missing"] > 0
    assert table(out).items() <= expected(range(4, 40)).items()
    assert (out / "report.html").exists()


@pytest.mark.nightly
def test_an_executor_dies_and_nothing_is_lost(model: Path, tmp_path: Path) -> None:
    out, tops = tmp_path / "out", range(4, 30)
    with cluster(tmp_path / "cluster") as spark:
        running = Sweep(model, tops, out, "--master", spark.url)
        running.after(4)
        victims = spark.both_executors()
        os.kill(victims[0], signal.SIGKILL)
        assert rows_in(out) < len(expected(tops))
        code, _, _ = running.answer()
    assert code == 1
    assert table(out) == expected(tops)


@pytest.mark.nightly
def test_every_executor_dies_and_nothing_is_lost(model: Path, tmp_path: Path) -> None:
    out, tops = tmp_path / "out", range(4, 30)
    with cluster(tmp_path / "cluster") as spark:
        running = Sweep(model, tops, out, "--master", spark.url)
        for rows in (2, 12):
            running.after(rows)
            for victim in spark.executors():
                os.kill(victim, signal.SIGKILL)
            time.sleep(1)
        running.answer()
    assert table(out) == expected(tops)


def bare_python(folder: Path) -> Path:
    """A Python with everything that bmc needs, and without bmc."""
    venv.create(folder, symlinks=True, with_pip=False)
    python = folder / "bin" / "python"
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    lent = folder / "lib" / version / "site-packages" / "lent.pth"
    # Folders named in a .pth file are searched, but their own .pth files, an editable bmc, are not.
    lent.write_text("\n".join(path for path in sys.path if Path(path).name == "site-packages"))
    return python


@pytest.mark.nightly
@pytest.mark.parametrize("ship", [True, False])
def test_bmc_reaches_executors_that_do_not_have_it(model: Path, tmp_path: Path, ship: bool) -> None:
    python = bare_python(tmp_path / "bare")
    out, tops = tmp_path / "out", range(8, 12)
    with cluster(tmp_path / "cluster") as spark:
        options = ["--master", spark.url, "--spark", f"spark.pyspark.python={python}"]
        running = Sweep(model, tops, out, *options, *(["--ship"] if ship else []))
        code, document, _ = running.answer()
    if ship:
        assert code == 1
        assert table(out) == expected(tops)
    else:
        assert code != 0
        assert "--ship" in document["error"]["message"]


@pytest.mark.parametrize("error", ["KeyboardInterrupt", "Exception"])
def test_a_call_of_java_that_fails_writes_no_traceback(
    error: str, caplog: pytest.LogCaptureFixture
) -> None:
    """py4j logs it to the root logger before it raises: Java may end while it is asked."""
    say_nothing_of_failed_calls()
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt:
        logging.exception("%s while sending command.", error)
        logging.getLogger("py4j.clientserver").exception("while shutting down connection")
        logging.warning("something else")
    assert caplog.messages == ["something else"]


def test_without_pyspark_the_remedy_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    executors = SparkExecutors(Cluster("local[1]", False, tmp_path / "spark.log"))
    with pytest.raises(SparkError, match="pip install pyspark"), executors:
        pass


@pytest.mark.nightly
def test_a_process_starts_spark_again_after_it_has_ended(tmp_path: Path) -> None:
    for _ in range(2):
        with SparkExecutors(Cluster("local[1]", False, tmp_path / "spark.log")) as executors:
            assert [row.one for row in executors.session.sql("SELECT 1 AS one").collect()] == [1]


@pytest.mark.parametrize("answers", [(), ("_jsc", "defaultParallelism")])
def test_a_spark_that_ends_before_executors_are_ready_is_said_to_have_stopped(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answers: tuple[str, ...]
) -> None:
    left = list(answers)

    class Ended:
        """A context of a Java that ends when it has answered what is left."""

        def __getattr__(self, name: str) -> MagicMock:
            if name not in left:
                raise ConnectionRefusedError(111, "Connection refused")
            left.remove(name)
            there = MagicMock()
            there.sc().getExecutorMemoryStatus().size.return_value = 1
            there.__int__.return_value = 1
            return there

    def start(executors: SparkExecutors, folder: Path) -> None:
        monkeypatch.setattr(executors, "_context", Ended())

    monkeypatch.setattr(SparkExecutors, "_start", start)
    told = pytest.raises(ClusterLost, match=r"Spark has stopped \(\[Errno 111\] Connection refused")
    with told, SparkExecutors(Cluster("local[1]", False, tmp_path / "log")):
        pass
    assert not left


def interrupted(*arguments: object, **named: object) -> None:
    """Ask Java as py4j does when it is interrupted: what asks next has an answer that is empty."""
    try:
        raise KeyboardInterrupt
    finally:
        raise Py4JNetworkError("Answer from Java side is empty")


def a_job(executors: SparkExecutors) -> None:
    try:
        interrupted()
    except Py4JNetworkError as error:
        raise executors.failed(error) from error


@pytest.mark.parametrize("gone", [True, False])
@pytest.mark.parametrize(
    "asked", [lambda executors: executors.__enter__(), SparkExecutors._greet, a_job]
)
def test_what_java_says_of_an_interruption_is_no_failure_of_spark(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    asked: Callable[[SparkExecutors], object],
    gone: bool,
) -> None:
    executors = SparkExecutors(Cluster("local[1]", False, tmp_path / "spark.log"))
    context = MagicMock(defaultParallelism=1)
    context.parallelize = interrupted
    monkeypatch.setattr(executors, "_context", context)
    monkeypatch.setattr(executors, "_is_gone", lambda: gone)
    monkeypatch.setattr("pyspark.java_gateway.launch_gateway", interrupted)
    with pytest.raises(KeyboardInterrupt):
        asked(executors)
