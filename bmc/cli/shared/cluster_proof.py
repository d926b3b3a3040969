"""Proofs on a cluster: Spark is started for one, and what it was worth is said."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import monotonic

from bmc.cli.shared import catalogue
from bmc.cli.shared.progress import to_stderr
from bmc.engines.allparams.prove import ParametricProof, ParametricTask
from bmc.engines.allparams.prove import prove_for_all as prove_for_all_by
from bmc.engines.isolation import Relay, isolated
from bmc.engines.kinduction import Helpers, induct
from bmc.engines.task import Deadline, Observer, Task
from bmc.evidence.verdict import Result
from bmc.evidence.wording import count
from bmc.sweep.conditions import decide_there
from bmc.sweep.crew import Crew
from bmc.sweep.obligations import ProofQuestion
from bmc.sweep.proofs import ClusterProof
from bmc.sweep.spark import Cluster, SparkExecutors, log_of


@dataclass(frozen=True)
class ClusterEngine:
    """Proves on the cluster of a Spark master what is called ``protocol`` here.

    Raises NoJava, SparkError, ClusterLost, and OtherModel when executors have another text.
    """

    master: str
    protocol: str

    @property
    def there(self) -> str:
        """What executors call the protocol, which have working folders of their own."""
        return catalogue.anywhere(self.protocol)

    def prove(self, task: Task, observer: Observer) -> tuple[Result, ...]:
        """Decide the task's properties by k-induction, see :mod:`bmc.sweep.proofs`.

        The driver is a process of its own, so that limits hold and an interruption ends it; Spark
        ends with it. The task's limit of memory is that of each worker's process.
        """
        # Refused here, before Spark takes its time to start.
        question = ProofQuestion.of(catalogue.find, self.there, task)
        with tempfile.TemporaryDirectory(prefix="bmc-prove-") as folder:
            work = partial(self._work, question, folder, log_of("prove"), task.memory)
            return isolated(work, replace(task, memory=None), observer)

    def _work(
        self,
        question: ProofQuestion,
        folder: str,
        log: Path,
        memory_mb: int | None,
        task: Task,
        observer: Relay,
    ) -> tuple[Result, ...]:
        # Nobody but the parent is left to remove anything when this process is killed.
        tempfile.tempdir = folder
        deadline = Deadline(task.timeout)
        with self.crew(deadline, observer, memory_mb, log) as crew:
            proof = ClusterProof(crew, question, partial(_warn, crew))
            task = task.within(deadline)
            return induct(task, observer, Helpers(proof.induction, proof.panel))

    def prove_for_all(self, task: ParametricTask, observer: Observer) -> ParametricProof:
        """Decide the task's properties at all parameter values at once."""
        deadline = Deadline(task.timeout)
        with self.crew(deadline, observer) as crew:
            deciding = partial(decide_there, crew, catalogue.find, self.there, task)
            return prove_for_all_by(task.within(deadline), observer, deciding)

    @contextmanager
    def crew(
        self,
        deadline: Deadline,
        observer: Observer,
        memory_mb: int | None = None,
        log: Path | None = None,
    ) -> Iterator[Crew]:
        """Have workers on Spark for as long as the block takes; then say what they were worth."""
        observer.phase(f"starting Spark at {self.master}, which takes a while")
        began = monotonic()
        with SparkExecutors(Cluster(self.master, False, log or log_of("prove"))) as executors:
            crew = Crew(executors, deadline, observer, memory_mb)
            crew.spent.starting = monotonic() - began
            yield crew
            said = worth(crew)
        observer.fact(said)
        _say(said)


def worth(crew: Crew) -> str:
    """Return what a cluster was worth so far."""
    spent = crew.spent
    cluster = (
        f"{count(spent.items, 'obligation')} on {count(crew.capacity(), 'core')} took "
        f"{spent.clock:.0f} s, {spent.starting:.0f} of them to start Spark; one process needs "
        f"about {spent.alone:.0f} s for them"
    )
    return cluster if spent.gains else f"{cluster}: leave --master out for a proof of this size"


def _warn(crew: Crew) -> None:
    """Say after the first round of an induction that the cluster loses, if it does."""
    spent = crew.spent
    if not spent.gains:
        _say(
            f"the first round's {count(spent.items, 'obligation')} took {spent.alone:.1f} s of a "
            f"processor, and Spark {spent.starting:.0f} s to start: a proof of this size is "
            "quicker without --master"
        )


def _say(text: str) -> None:
    to_stderr(f"bmc: {text}\n")
