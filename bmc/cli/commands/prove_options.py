"""What `bmc prove` refuses: options that do not go together, or have no part in what is asked."""

from __future__ import annotations

from collections.abc import Mapping

from bmc.engines.engine import ENGINES

EXPLICIT = "explicit"
"""The engine that asks no solver."""


def require_depth(k: int | None) -> None:
    """OptionError for a depth of induction below 1."""
    from bmc.engines.task import OptionError

    if k is not None and k < 1:
        raise OptionError(
            f"the depth of an induction (--k) must be 1 or more, you gave {k}: "
            "`bmc check --depth 0` looks at the initial states"
        )


def require_a_depth(name: str, behaviours_alone: bool) -> None:
    """OptionError where nothing that is asked has an induction whose depth --k would say."""
    from bmc.engines.task import OptionError

    depths = {one.name for one in ENGINES if one.proves and one.least_depth is not None}
    if behaviours_alone:
        raise OptionError(
            "--k is the greatest depth of an induction, and proofs of temporal claims have none: "
            "leave --k out"
        )
    if name not in depths:
        raise OptionError(
            f"--k is the greatest depth of an induction, and --engine {name} has none: leave --k "
            f"out, or write --engine {' or '.join(sorted(depths))}"
        )


def require_of_explorations(given: Mapping[str, bool]) -> None:
    """OptionError for options that are given and have no part in an exploration."""
    from bmc.engines.task import OptionError

    if idle := [option for option, is_given in given.items() if is_given]:
        raise OptionError(
            f"--engine {EXPLICIT} looks at every state, with no lemma and no solver: leave "
            f"{idle[0]} out"
        )


def require_no_inference(infer: bool) -> None:
    """OptionError where lemmas are to be inferred for a proof at all parameters."""
    from bmc.engines.task import OptionError

    if infer:
        raise OptionError(
            "--infer finds lemmas at fixed parameters: `bmc infer --all-parameters` offers them "
            "to the proof for all"
        )


def require_here(master: str | None, what: str) -> None:
    """OptionError where what no cluster does is asked of one."""
    from bmc.engines.task import OptionError

    if master is not None:
        raise OptionError(
            f"{what} and --master do not go together: on a cluster proofs are by k-induction with "
            "lemmas that the protocol states; leave one of them out"
        )
