"""Executors on Spark: a local machine or a cluster, jobs as tasks of its stages.

Spark does what it is good at: it moves code and jobs to machines, and notices when one of them
dies. Limits are not its business; the executor's own child processes see to them.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from logging import CRITICAL, LogRecord, getLogger
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from time import monotonic, sleep
from types import TracebackType
from typing import TYPE_CHECKING, Any

from bmc import __version__
from bmc.lang.errors import BmcError
from bmc.lang.suite import Suite
from bmc.lang.text_names import text_parted
from bmc.sweep import java
from bmc.sweep.batches import Batch
from bmc.sweep.dispatch import ClusterLost, Stage
from bmc.sweep.runner import prepare
from bmc.sweep.shipping import write_zip
from bmc.sweep.work import ATTEMPTS, Work

if TYPE_CHECKING:
    from bmc.sweep.stages import Run

_SECONDS_FOR_EXECUTORS = 120.0
_MOST_STARTS = 4 * ATTEMPTS
# Spark does next to nothing here: what its compilers and collectors take, solvers lack.
_FRUGAL = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_SAFE_PATH = ("PYTHONSAFEPATH", "1")
_LOGGING = """
rootLogger.level = warn
rootLogger.appenderRef.log.ref = log
appender.log.type = Console
appender.log.name = log
appender.log.target = SYSTEM_ERR
appender.log.layout.type = PatternLayout
appender.log.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n
"""


_FAILED_CALLS = ("KeyboardInterrupt while sending command.", "Exception while sending command.")


def say_nothing_of_failed_calls() -> None:
    """Keep py4j from writing a traceback where a call of Java is interrupted, or Java ends in it.

    It logs that to the root logger, and raises an error as well, which is what counts. Its own
    loggers tell how connections are closed then.
    """
    getLogger().addFilter(_is_no_failed_call)
    getLogger("py4j").setLevel(CRITICAL)


def _is_no_failed_call(record: LogRecord) -> bool:
    return record.getMessage() not in _FAILED_CALLS


class SparkError(BmcError):
    """Spark does not start, or has no executors."""


class ExecutorLost(BmcError):
    """A job that cannot be taken over by others has lost an executor."""


def log_of(command: str) -> Path:
    """Return the file that Spark's messages go to where a command has no folder of its own."""
    return Path(gettempdir(), f"bmc-{command}-{os.getpid()}-spark.log")


@dataclass(frozen=True)
class Cluster:
    """Where to run: a Spark master URL, whether to send bmc along, Spark's own settings.

    ``log`` is the file that Spark's messages go to; ``files`` are protocols' files to send along.
    """

    master: str
    ship: bool
    log: Path
    files: tuple[Path, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_local(self) -> bool:
        """Whether everything runs on this machine."""
        return self.master == "local" or self.master.startswith("local[")


class SparkExecutors:
    """Spark's executors; starts Spark when entered and stops it when left.

    Raises NoJava, SparkError, and ClusterLost where Spark ends while it is prepared.
    """

    def __init__(self, cluster: Cluster, work: Work | None = None) -> None:
        self._cluster = cluster
        if cluster.ship and work is not None:
            tools = replace(work.tools, find=partial(_find_shipped, work.tools.find))
            work = replace(work, tools=tools)
        self._work = work
        self._stages = 0
        self._context: Any = None
        self._gateway: Any = None
        self._open = ExitStack()

    def __enter__(self) -> SparkExecutors:
        with ExitStack() as undo:
            undo.push(self._open)
            folder = Path(self._open.enter_context(TemporaryDirectory(prefix="bmc-spark-")))
            self._start(folder)
            self._prepare(folder)
            undo.pop_all()
        return self

    def _start(self, folder: Path) -> None:
        home = java.find().home(folder)
        logging = folder / "log4j2.properties"
        logging.write_text(_LOGGING, encoding="utf-8")
        log = self._open.enter_context(self._cluster.log.open("ab"))
        self._set("JAVA_HOME", str(home))
        chosen = os.environ.get("PYSPARK_PYTHON", sys.executable)
        # Spark reads its own setting in spark-submit only, which this is not.
        self._set("PYSPARK_PYTHON", self._cluster.settings.get("spark.pyspark.python", chosen))
        # Workers are modules that Python runs, and would find theirs in this folder first.
        self._set(*_SAFE_PATH)
        # Imported here: it is slow, and a sweep that has nothing left to do does not need it.
        try:
            from pyspark import SparkConf, SparkContext
            from pyspark.java_gateway import launch_gateway
        except ImportError as error:
            raise SparkError(f"Spark needs pyspark ({error}): pip install pyspark") from error

        conf = SparkConf(loadDefaults=False)
        for name, value in self._settings(logging).items():
            conf.set(name, value)
        say_nothing_of_failed_calls()
        try:
            launch: Any = launch_gateway
            self._gateway = launch(conf, {"stdout": log, "stderr": log})
            self._open.callback(self._stop_process)
            interrupt = signal.getsignal(signal.SIGINT)
            self._context = SparkContext(conf=conf, gateway=self._gateway)
            self._open.callback(self._stop_context)
            # Spark's own handler talks to Java in the middle of whatever was being said to it.
            signal.signal(signal.SIGINT, interrupt)
        except Exception as error:
            _unless_interrupted(error)
            raise SparkError(
                f"Spark does not start at {self._cluster.master}: {_line(error)}; "
                f"{self._cluster.log} holds what it said"
            ) from error

    def _prepare(self, folder: Path) -> None:
        """Send bmc and files along, and wait for executors that have it.

        Raises SparkError, and ClusterLost where Spark ends meanwhile.
        """
        from py4j.protocol import Py4JError

        try:
            if self._cluster.ship:
                self._context.addPyFile(str(write_zip(folder / "bmc.zip")))
                for file in self._cluster.files:
                    self._context.addFile(str(file))
            self._await_executors()
            self._greet()
        except (Py4JError, ConnectionError) as error:
            raise self._gone(error) from error

    def _settings(self, logging: Path) -> dict[str, str]:
        settings = {
            "spark.app.name": "bmc",
            "spark.master": _patient(self._cluster.master),
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.driver.extraJavaOptions": (
                f"{_FRUGAL} -Dlog4j2.configurationFile={logging.as_uri()}"
            ),
            "spark.executor.extraJavaOptions": _FRUGAL,
            f"spark.executorEnv.{_SAFE_PATH[0]}": _SAFE_PATH[1],
            # A job has no data that could be near it.
            "spark.locality.wait": "0",
            # A Python worker that starts on a busy machine takes its time.
            "spark.python.authenticate.socketTimeout": "300s",
            # Who gives up is the task itself, and says so.
            "spark.task.maxFailures": str(_MOST_STARTS),
        }
        if self._cluster.is_local:
            settings |= {
                "spark.driver.host": "127.0.0.1",
                "spark.driver.bindAddress": "127.0.0.1",
            }
        return settings | dict(self._cluster.settings)

    def _set(self, name: str, value: str) -> None:
        before = os.environ.get(name)
        os.environ[name] = value

        def restore() -> None:
            if before is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = before

        self._open.callback(restore)

    def _await_executors(self) -> None:
        end = monotonic() + _SECONDS_FOR_EXECUTORS
        # The driver counts as one, and locally it is the executor.
        wanted = 1 if self._cluster.is_local else 2
        while self._context._jsc.sc().getExecutorMemoryStatus().size() < wanted:
            if monotonic() > end:
                raise SparkError(
                    f"{self._cluster.master} has given no executor for "
                    f"{_SECONDS_FOR_EXECUTORS:g} seconds: are its workers up and free?"
                )
            sleep(0.2)

    def _greet(self) -> None:
        """Have the executors load bmc; SparkError when they have none, or none that fits.

        Raises ClusterLost where Spark itself has ended, which is no fault of theirs.
        """
        cores = self.capacity()
        try:
            found = self._context.parallelize(range(cores), cores).map(_ready).collect()
        except Exception as error:
            _unless_interrupted(error)
            if self._is_gone():
                raise self._gone(error) from error
            missing = re.search(r"(ModuleNotFoundError|ImportError): (.*)", str(error))
            why = missing[2] if missing else _line(error)
            advice = "install bmc and what it needs there, or send bmc along with --ship"
            raise SparkError(f"the executors cannot run bmc ({why}): {advice}") from error
        if others := sorted({version for version in found if version != __version__}):
            raise SparkError(
                f"the executors have bmc {others[0]} and this is {__version__}: install the same "
                "there, or send this one along with --ship"
            )

    def _stop_context(self) -> None:
        try:
            self._context.cancelAllJobs()
            self._context.stop()
        except Exception:
            # A Spark that is gone already need not be stopped.
            return

    def _stop_process(self) -> None:
        from pyspark import SparkContext

        # It would take the first process of Java that it was given for every later Spark, too.
        SparkContext._gateway = SparkContext._jvm = None
        if self._gateway.proc is not None:
            self._gateway.proc.stdin.close()
            try:
                self._gateway.proc.wait(timeout=10)
            except Exception:
                self._gateway.proc.kill()
                self._gateway.proc.wait()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self._open.close()

    def capacity(self) -> int:
        """The cores of all executors."""
        try:
            return max(1, int(self._context.defaultParallelism))
        except Exception as error:
            raise self._gone(error) from error

    @property
    def context(self) -> Any:
        """Spark's context, for what is no sweep's task."""
        return self._context

    @property
    def session(self) -> Any:
        """A session of Spark SQL, for what is a table."""
        from pyspark.sql import SparkSession

        return SparkSession(self._context)

    def process_id(self) -> int:
        """Return the process of Spark's driver."""
        return int(self._gateway.proc.pid)

    def start(self, tasks: Sequence[Batch]) -> Stage:
        """Hand tasks out as a stage. Raises ClusterLost when Spark has stopped."""
        assert self._work is not None, "executors without work run no sweep"
        return self.hand_out(self._work.run, tasks)

    def hand_out(self, run: Run, tasks: Sequence[Any]) -> Stage:
        """Have each task run by ``run``, as a stage. Raises ClusterLost when Spark has stopped."""
        from bmc.sweep.stages import SparkStage

        if self._is_gone():
            raise self._gone(SparkError("its context is closed"))
        self._stages += 1
        return SparkStage(self._context, run, tasks, self._stages, self._gone)

    def failed(self, error: Exception) -> SparkError | ClusterLost | ExecutorLost:
        """Return what is to be said of a job of Spark that failed with an error of its own.

        ExecutorLost where nothing that a worker raised was the reason. Raises KeyboardInterrupt
        where the job was interrupted.
        """
        _unless_interrupted(error)
        if self._is_gone():
            return self._gone(error)
        # What a worker raised stands below what Java says of it.
        raised = re.search(r"^(bmc\.[\w.]+: .*)$", str(error), re.MULTILINE)
        log = f"{self._cluster.log} holds what it said"
        if raised is None:
            return ExecutorLost(f"Spark gave up ({_line(error)}); {log}")
        return SparkError(f"Spark gave up ({raised[1]}); {log}")

    def _is_gone(self) -> bool:
        try:
            return bool(self._context._jsc.sc().isStopped())
        except Exception:
            return True

    def _gone(self, error: Exception) -> ClusterLost:
        _unless_interrupted(error)
        return ClusterLost(
            f"Spark has stopped ({_line(error)}); {self._cluster.log} holds what it said. "
            "Run the same command again: it does what is missing"
        )


def _ready(number: int) -> str:
    prepare("cadical")
    return __version__


def _patient(master: str) -> str:
    """The same master, where one on this machine starts a failed task again, too."""
    found = re.fullmatch(r"local(?:\[([^],]+)\])?", master)
    return master if found is None else f"local[{found[1] or 1},{_MOST_STARTS}]"


def _find_shipped(find: Any, name: str) -> Suite:
    """A suite by name, where a user's file is the one that was sent along."""
    from pyspark import SparkFiles

    path, colon, wanted = name.rpartition(":")
    text, sign, configured = text_parted(name)
    there = name
    if path.endswith(".py"):
        there = f"{SparkFiles.get(Path(path).name)}{colon}{wanted}"
    elif text.endswith(".tla"):
        # All files lie in one folder there.
        config, comma, constants = configured.partition(",")
        config = config if "=" in config else Path(config).name if config else ""
        there = f"{SparkFiles.get(Path(text).name)}{sign}{config}{comma}{constants}"
    suite: Suite = find(there)
    # Evidence is compared with what was asked.
    return suite if there == name else replace(suite, name=name)


def _unless_interrupted(error: Exception) -> None:
    """Raise KeyboardInterrupt where an error came up on the way out of one.

    py4j shuts the connection down that is interrupted, which whoever asks Java next then meets.
    """
    met: BaseException | None = error
    while met is not None:
        if isinstance(met, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        met = met.__context__


def _line(error: Exception) -> str:
    try:
        said = str(error)
    except Exception:
        # What an error of Java's says is asked of Java, which may be gone.
        said = ""
    lines = [line for line in said.splitlines() if line.strip()]
    return lines[0][:300] if lines else type(error).__name__
