"""What all tests share: how hard Hypothesis looks.

By default every property test tries about a hundred random examples, new ones in each run, and
prints the one that fails with the line that reproduces it. ``pytest -m nightly`` selects, besides
the tests marked so, all property tests of the semantics, and tries thousands of examples.
"""

import pytest
from hypothesis import HealthCheck, settings

# No deadline: a busy machine is no failure. Random terms and protocols are big examples.
# Many of them leave their bounds, which a test of steps has to pass over.
_PATIENT = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)
settings.register_profile(
    "bmc",
    max_examples=100,
    deadline=None,
    suppress_health_check=_PATIENT,
    print_blob=True,
)
settings.register_profile("nightly", settings.get_profile("bmc"), max_examples=5000)

_SLOW = frozenset({"test_ic3_agrees.py", "test_ic3_certificates.py"})


def pytest_configure(config: pytest.Config) -> None:
    """Choose the profile, unless the command line names one."""
    if config.getoption("--hypothesis-profile", default=None) is None:
        settings.load_profile("nightly" if _is_nightly(config) else "bmc")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let the nightly run hunt with the property tests of the semantics, too.

    What races against the clock belongs to the nightly run.
    """
    for item in items:
        if item.path.name in _SLOW:
            item.add_marker(pytest.mark.nightly)
    if not _is_nightly(config):
        return
    for item in items:
        function = getattr(item, "function", None)
        if "semantics" in item.path.parts and hasattr(function, "hypothesis"):
            item.add_marker(pytest.mark.nightly)


def _is_nightly(config: pytest.Config) -> bool:
    expression = config.getoption("-m") or ""
    return "nightly" in expression and "not nightly" not in expression
