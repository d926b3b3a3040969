"""`bmc explore --graph FILE`: the graph of all states, written into a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bmc.engines.task import Task
    from bmc.reports.vocabulary import Vocabulary


def require_graph_file(path: Path) -> None:
    """OptionError or UnwritableFile, better known before a search than after."""
    from bmc.engines.task import OptionError
    from bmc.running.files import require_writable

    if path.suffix not in (".dot", ".html"):
        raise OptionError(f"--graph {path}: a graph is a .html page or a .dot file of Graphviz")
    require_writable(path)


def write_graph(path: Path, task: Task, words: Vocabulary, states: int | None) -> None:
    """Write the graph of a model of which so many ``states`` are known, if all are.

    Raises UnwritableFile where there are too many states to draw, where a step leaves the bounds,
    and where the file cannot be written.
    """
    from bmc.engines.liveness.graph import LeavesBounds, graph_of
    from bmc.engines.pace import ExplorationLimits, Pace, Stopped
    from bmc.engines.task import SILENT
    from bmc.reports.exploration.state_graph import MOST_STATES, graph_dot, graph_html, state_graph
    from bmc.running.files import UnwritableFile, write_file
    from bmc.system.transition import TransitionSystem

    most = f"{MOST_STATES:,} are the most that are drawn: choose smaller parameters"
    if states is not None and states > MOST_STATES:
        raise UnwritableFile(f"{path} is not written: there are {states:,} states, and {most}")
    model = task.suite.model(ghosts=False)
    system = TransitionSystem(model, task.parameters)
    limits = ExplorationLimits(task.timeout, MOST_STATES, None, task.memory)
    try:
        graph = graph_of(system, Pace(limits, SILENT), None)
    except Stopped:
        said = f"there are more than {MOST_STATES:,} states, and {most}"
        raise UnwritableFile(f"{path} is not written: {said}") from None
    except LeavesBounds as reason:
        raise UnwritableFile(f"{path} is not written: {reason}") from None
    drawn = state_graph(task.suite, words, graph, task.stated(model))
    write_file(path, graph_dot(drawn) if path.suffix == ".dot" else graph_html(drawn))
