"""What has no value in a state: translation and evaluation refuse it alike."""

from . import core as c
from .errors import TlaWithoutMeaning


def refusal(node: c.Expression, primed: bool) -> TlaWithoutMeaning | None:
    """Return why an expression has no value, None where its kind may have one.

    ``primed`` says whether it stands in the state after a step.
    """
    match node:
        case c.Enabled() if primed:
            what = "ENABLED of the next state is not supported"
            return TlaWithoutMeaning(
                node.span, what, "write the action's guard out, and prime that"
            )
        case c.Composition():
            what = "\\cdot where the step is given is not supported"
            return TlaWithoutMeaning(
                node.span, what, "take it as a step of the next-state relation"
            )
        case c.Always() | c.Eventually() | c.LeadsTo() | c.Fairness():
            return TlaWithoutMeaning(node.span, "a formula of behaviours has no value in a state")
        case c.OperatorRef() | c.BuiltinRef() | c.Lambda():
            return TlaWithoutMeaning(node.span, "an operator is no value", "apply it to arguments")
        case c.Unsupported():
            return TlaWithoutMeaning(node.span, f"{node.what} is not supported", node.hint)
        case _:
            return None
