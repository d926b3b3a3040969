"""How a sweep shows that it goes on: on a terminal, without one, and for machines."""

import io
import json
from collections.abc import Callable

import pytest
from rich.console import Console

from bmc.cli.commands.sweep_progress import Lines, Live, Quiet
from tests.sweep.counters import planned, request, truth


def goes_on(watching: Quiet) -> Callable[[], None]:
    """Start a sweep of eight jobs: three are finished, two run; what finishes the rest."""
    jobs = planned(request(range(1, 5))).jobs
    watching.starts("local[2]", 2)
    watching.runs()
    for job in jobs[:3]:
        watching.begun(job)
        watching.finished(job, truth(job).row)
    for job in jobs[3:6]:
        # One more is handed out than can run.
        watching.begun(job)

    def end() -> None:
        for job in jobs[3:]:
            watching.finished(job, truth(job).row)

    return end


def text_of(watching: Live) -> str:
    out = io.StringIO()
    Console(file=out, width=120).print(watching.view())
    return out.getvalue()


def test_a_terminal_shows_counts_the_slowest_and_an_estimate() -> None:
    watching = Live(planned(request(range(1, 5))))
    end = goes_on(watching)
    shown = text_of(watching)
    assert "3/8 done, 2 running, 3 left" in shown
    assert "proved 3" in shown
    assert "to go" in shown
    assert "counter top=2 rounds=1 Small" in shown
    end()
    assert "8/8 done, 0 running, 0 left" in text_of(watching)
    assert "violated 2" in text_of(watching)


def test_without_a_terminal_there_is_a_line_at_the_start(
    capfd: pytest.CaptureFixture[str],
) -> None:
    goes_on(Quiet(planned(request(range(1, 5)))))()
    (line,) = capfd.readouterr().err.splitlines()
    assert "8 of 8 jobs to do, about" in line
    assert "on 2 cores; starting Spark at local[2]" in line


def test_machines_are_told_everything(capfd: pytest.CaptureFixture[str]) -> None:
    goes_on(Lines(planned(request(range(1, 5)))))()
    events = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    assert [e["event"] for e in events[:3]] == ["phase", "phase", "begun"]
    finished = [e for e in events if e["event"] == "finished"]
    assert [e["done"] for e in finished] == list(range(1, 9))
    assert finished[-1]["seconds_left"] == 0
