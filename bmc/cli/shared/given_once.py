"""Options that take one value are given once: of two values the first would be lost silently."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand

from bmc.cli.shared.as_given import AsGiven


class _GivenOnce(AsGiven, TyperCommand):
    """A command that refuses a second value of an option that takes one."""

    def make_parser(self, ctx: Any) -> Any:
        parser: Any = super().make_parser(ctx)
        parse = parser.parse_args

        def parse_once(args: list[str]) -> Any:
            found = parse(args)
            if not ctx.resilient_parsing:
                _require_once(ctx, found[2])
            return found

        # The parser alone knows what was given and in which order.
        parser.parse_args = parse_once
        return parser


def _require_once(ctx: Any, order: list[Any]) -> None:
    """End with a usage error if an option that takes one value is in the order twice."""
    met: set[str] = set()
    for one in order:
        single = one.param_type_name == "option" and not getattr(one, "is_flag", False)
        if single and not one.multiple and str(one.name) in met:
            ctx.fail(f"{max(one.opts, key=len)} is given twice, and it takes one value")
        met.add(str(one.name))


def give_once(app: typer.Typer) -> None:
    """Have all commands of an application, and of the groups in it, refuse such a second value."""
    for command in app.registered_commands:
        command.cls = _GivenOnce
    for group in app.registered_groups:
        if group.typer_instance is not None:
            give_once(group.typer_instance)
