"""`bmc doctor`: what is installed, what is missing, and how to get it."""

from __future__ import annotations

from bmc.cli.shared import outcome
from bmc.cli.shared.answer import Answer
from bmc.cli.shared.options import JsonOption, VerboseOption


def doctor(as_json: JsonOption = False, verbose: VerboseOption = False) -> None:
    """Tell what is installed and what is missing.

    Exit code 4 when something is missing that proofs need.
    """
    with Answer("doctor", as_json, verbose) as answer:
        from bmc.cli.shared.installation import examine
        from bmc.reports.health import component_json, write_components

        components = examine()
        healthy = all(c.usable for c in components if c.needed)
        answer.code = outcome.OK if healthy else outcome.FAILURE
        if answer.as_json:
            found = [component_json(component) for component in components]
            answer.document({"healthy": healthy, "components": found})
        else:
            write_components(answer.page, components)
            answer.cost()
