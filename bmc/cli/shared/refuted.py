"""What `bmc prove` shows of the published claims that it leaves out, since they are refuted."""

from __future__ import annotations

from bmc.cli.shared.decide import decide, undecided
from bmc.cli.shared.progress import Progress
from bmc.engines.bounded import ENGINE, check
from bmc.engines.task import Deadline, Task
from bmc.evidence.verdict import Contradiction, Result
from bmc.lang.errors import BmcError

DEPTH = 3
"""How deep they are searched; the known violations are shallow."""

SECONDS = 10.0
"""What the search may take; no more than is left of the user's limit."""


def short_search(task: Task, names: tuple[str, ...], deadline: Deadline) -> tuple[Result, ...]:
    """Return what a short search finds of them: shown, so never just recalled.

    Without time they are unknown. Raises Contradiction when a trace does not replay.
    """
    try:
        left = task.within(deadline).timeout
        seconds = SECONDS if left is None else min(SECONDS, left)
        search = Task(task.suite, task.parameters, names, DEPTH, seconds, solver=task.solver)
        return decide(check, search, Progress(), ENGINE)
    except Contradiction:
        raise
    except BmcError as error:
        # What was proved must not be lost for a remark on something else.
        return undecided(names, str(error), ENGINE)
