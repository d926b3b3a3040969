"""Advice beside a verdict: what fails in it is said, and costs nothing but the advice."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

from bmc.cli.shared.answer import described
from bmc.evidence.verdict import Contradiction
from bmc.lang.errors import BmcError

Found = TypeVar("Found")


def advice(name: str, work: Callable[[], Found]) -> Found | None:
    """What ``work`` finds; None, and a line on stderr, when it fails or is interrupted.

    The verdicts are known by then, and whatever happens here, they are what the command answers.
    Only a Contradiction is raised: it says that the verdicts themselves cannot be believed.
    """
    try:
        return work()
    except Contradiction:
        raise
    except (KeyboardInterrupt, Exception) as error:
        if not isinstance(error, BmcError | KeyboardInterrupt):
            sys.stderr.write(
                f"bmc: {name} failed ({described(error)}). The verdicts stand; this is a bug in "
                "bmc: please report it\n"
            )
        return None
