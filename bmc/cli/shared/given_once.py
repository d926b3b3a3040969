"""Options that take one value are given once: of two values the first would be lost silently."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand


class _GivenOnce(TyperCommand):
    """A command that refuses a second value of an option that takes one."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not ctx.resilient_parsing:
            _, _, order = self.make_parser(ctx).parse_args(args=list(args))
            met: set[str] = set()
            for one in order:
                single = one.param_type_name == "option" and not getattr(one, "is_flag", False)
                if single and not one.multiple and str(one.name) in met:
                    ctx.fail(f"{max(one.opts, key=len)} is given twice, and it takes one value")
                met.add(str(one.name))
        return super().parse_args(ctx, args)


def give_once(app: typer.Typer) -> None:
    """Have all commands of an application, and of the groups in it, refuse such a second value."""
    for command in app.registered_commands:
        command.cls = _GivenOnce
    for group in app.registered_groups:
        if group.typer_instance is not None:
            give_once(group.typer_instance)
