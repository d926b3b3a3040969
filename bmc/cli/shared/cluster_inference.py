"""Inference on a cluster: what is asked of many lemmas at a time is, and the proof with them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from types import TracebackType

from bmc.analysis.mining.consecution import Consecution
from bmc.analysis.mining.houdini import Ask, Asker
from bmc.cli.shared import catalogue
from bmc.cli.shared.cluster_proof import ClusterEngine
from bmc.cli.shared.progress import Progress
from bmc.engines.conjuncts import Conjunct
from bmc.engines.kinduction import Helpers, induct
from bmc.engines.task import Deadline, Task
from bmc.engines.team import Relay
from bmc.evidence.verdict import Result
from bmc.lang.properties import Property
from bmc.sweep.crew import Crew
from bmc.sweep.obligations import ProofQuestion
from bmc.sweep.preserving import ClusterSteps
from bmc.sweep.proofs import ClusterProof


class ClusterInference:
    """Workers of a Spark master for one inference. Spark is started when they are first needed.

    By then the inference has forked the processes of its own that it wants: one that is forked
    from a process which talks to Java would share its connections. Leaving the context ends Spark,
    and says what it was worth. Raises NoJava, SparkError, ClusterLost, and OtherModel when
    executors have another text.
    """

    def __init__(self, engine: ClusterEngine, progress: Progress) -> None:
        self._engine = engine
        self._progress = progress
        self._open = ExitStack()
        self._started: Crew | None = None

    def __enter__(self) -> ClusterInference:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.__exit__(kind, error, trace)

    def asker(self, task: Task) -> Asker:
        """Return what asks which lemmas for a task's properties a step preserves together."""
        question = self._question(replace(task, lemmas=False), None)

        def asked(consecution: Consecution, named: Mapping[str, Conjunct]) -> Ask:
            return ClusterSteps(self._crew(), question)(consecution, named)

        return asked

    def prove(self, task: Task, lemmas: tuple[Property, ...]) -> tuple[Result, ...]:
        """Prove a task by k-induction with lemmas that were found."""
        deadline = Deadline(task.timeout)
        proof = ClusterProof(self._crew(), self._question(task, lemmas))
        helpers = Helpers(proof.induction, proof.panel)
        return induct(task.within(deadline), _Passed(self._progress), helpers)

    def _question(self, task: Task, found: tuple[Property, ...] | None) -> ProofQuestion:
        return ProofQuestion.of(catalogue.find, self._engine.there, task, found)

    def _crew(self) -> Crew:
        if self._started is None:
            limit = Deadline(None)
            self._started = self._open.enter_context(self._engine.crew(limit, self._progress))
        return self._started


class _Passed(Relay):
    """Passes on what an engine says in this process."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def phase(self, text: str) -> None:
        """Tell what is being done now."""
        self._progress.phase(text)

    def fact(self, text: str) -> None:
        """Tell something that is known from now on."""
        self._progress.fact(text)

    def decided(self, result: object) -> None:
        """Keep it back: who asked for the proof tells it."""

    def so_far(self, result: object) -> None:
        """Keep it back."""
