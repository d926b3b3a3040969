"""What all tests share: how hard Hypothesis looks.

By default every property test tries 12 random examples, the same in each run: a change is
judged by its own faults. ``pytest -m nightly`` hunts for new ones: it selects, besides the tests
marked so, all property tests, tries thousands of examples, new ones in each run, and prints the one
that fails with the line that reproduces it.

A test that never ends, or that takes the machine's memory, fails alone: the rest goes on.
"""

import faulthandler
import gc
import resource
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from bmc.running.signals import INTERRUPTIONS

# No deadline: a busy machine is no failure. Random terms and protocols are big examples.
# Many of them leave their bounds, which a test of steps has to pass over.
_PATIENT = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)
settings.register_profile(
    "bmc",
    max_examples=12,
    deadline=None,
    suppress_health_check=_PATIENT,
    print_blob=True,
    derandomize=True,
)
settings.register_profile(
    "nightly", settings.get_profile("bmc"), max_examples=5000, derandomize=False
)

_SLOW = frozenset(
    {
        "test_ci_examples.py",
        "test_encodings_agree.py",
        "test_ic3_agrees.py",
        "test_ic3_certificates.py",
        "test_kafka_guards.py",
        "test_own_disk.py",
        "test_symmetric.py",
    }
)


_MEMORY = 8 << 30
# A busy machine may give a test of a minute and a half a tenth of a processor.
_LONGEST_S = 1200.0


def pytest_sessionstart(session: pytest.Session) -> None:
    """Limit each process's memory: more is a MemoryError of one test, not the end of the run.

    A run in the background of a shell inherits that Ctrl-C is ignored; the programs under test
    must not. Cycles are looked for as seldom as the command line does.
    """
    gc.set_threshold(300_000, 50, 50)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not _is_nightly(session.config):
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, hard))


def pytest_collection_finish() -> None:
    """Have nobody look through what was collected again: each child would get a copy of it."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """End a worker whose test hangs, with the stacks of its threads; another takes over.

    A command that runs in the worker has a say in what interruptions do: the next test has not.
    """
    handlers = {number: signal.getsignal(number) for number in INTERRUPTIONS}
    if not _is_nightly(item.config):
        faulthandler.dump_traceback_later(_LONGEST_S, exit=True)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()
        for number, handler in handlers.items():
            signal.signal(number, handler)


def pytest_configure(config: pytest.Config) -> None:
    """Choose the profile, unless the command line names one."""
    if config.getoption("--hypothesis-profile", default=None) is None:
        settings.load_profile("nightly" if _is_nightly(config) else "bmc")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let the nightly run hunt with the property tests, too.

    What races against the clock belongs to the nightly run.
    """
    for item in items:
        if item.path.name in _SLOW:
            item.add_marker(pytest.mark.nightly)
    if not _is_nightly(config):
        return
    for item in items:
        if hasattr(getattr(item, "function", None), "hypothesis"):
            item.add_marker(pytest.mark.nightly)


def _is_nightly(config: pytest.Config) -> bool:
    expression = config.getoption("-m") or ""
    return "nightly" in expression and "not nightly" not in expression
