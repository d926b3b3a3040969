"""What a command takes once is given once: of two values, and two files, one would be lost."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand

from bmc.cli.shared.as_given import AsGiven

_NUMBERED = ("--trace", "--certificate")
"""What is written to further files with a number, ``proof-2.json``, where there are several."""
_NUMBERS = ("integer", "float")
_ODD = re.compile(r"[^\x21-\x7e]|_")
"""What Python passes over, or reads as a digit, where it reads a number."""


class _GivenOnce(AsGiven, TyperCommand):
    """A command that refuses a second value of an option that takes one, and a file named twice."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        rest = super().parse_args(ctx, args)
        if not ctx.resilient_parsing:
            _require_apart(ctx, self.get_params(ctx))
            _require_one_choice(ctx)
        return rest

    def make_parser(self, ctx: Any) -> Any:
        parser: Any = super().make_parser(ctx)
        parse = parser.parse_args

        def parse_once(args: list[str]) -> Any:
            found = parse(args)
            if not ctx.resilient_parsing:
                _require_once(ctx, found[2])
                _require_plain_numbers(ctx, found[0], found[2])
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
            ctx.fail(f"{_called(one)} is given twice, and it takes one value")
        met.add(str(one.name))


def _require_plain_numbers(ctx: Any, given: Mapping[str, Any], order: list[Any]) -> None:
    """End with a usage error if a number is written as Python alone reads it: 1_0 is no ten."""
    for one in dict.fromkeys(order):
        described = getattr(one, "type_descriptor", None)
        kind = getattr(described, "annotation", None)
        named = str(getattr(getattr(one, "type", None), "name", ""))
        if kind in (int, float) or named.startswith(_NUMBERS):
            text = given.get(str(one.name))
            if isinstance(text, str) and _ODD.search(text):
                ctx.fail(
                    f"{_called(one)} takes a number written in the digits 0 to 9 alone, without "
                    f"signs between them and spaces, you gave {text!r}"
                )


def _require_apart(ctx: Any, parameters: list[Any]) -> None:
    """End with a usage error if two files of a command are one: what was first there is lost."""
    files = [(one, ctx.params.get(one.name)) for one in parameters]
    files = [(one, path) for one, path in files if isinstance(path, Path)]
    if len(files) < 2:
        return
    from bmc.running.files import first_of_numbered, replaced_at

    met: dict[str, Any] = {}
    for one, path in files:
        place = replaced_at(path)
        if place is None:
            continue
        if place in met:
            other = _called(met[place])
            ctx.fail(f"{other} and {_called(one)} are one file, {path}: name two")
        met[place] = one
    written = {place: one for place, one in met.items() if _called(one) in _NUMBERED}
    for place, one in written.items():
        first = first_of_numbered(place)
        if first != place and first in written:
            other = _called(written[first])
            ctx.fail(f"{other} may write {place} as well, which {_called(one)} names: name another")


def _require_one_choice(ctx: Any) -> None:
    """End with a usage error if all claims are chosen, and some: one of the two would be lost."""
    if ctx.params.get("every") and ctx.params.get("properties"):
        ctx.fail("--all chooses all claims, and --property some: give one of the two")


def _called(parameter: Any) -> str:
    """Return how a user names a parameter."""
    if parameter.param_type_name == "option":
        return str(max(parameter.opts, key=len))
    return str(parameter.metavar)


def give_once(app: typer.Typer) -> None:
    """Have all commands of an application, and of the groups in it, refuse such a second value."""
    for command in app.registered_commands:
        command.cls = _GivenOnce
    for group in app.registered_groups:
        if group.typer_instance is not None:
            give_once(group.typer_instance)
