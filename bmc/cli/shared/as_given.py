"""What has its type already is taken as it was given, and a plain number is read.

Some versions of typer convert by pydantic whatever an option has, also the None of one that was not
given: to load pydantic and to make a converter for each option is a quarter of a short command.
"""

from __future__ import annotations

import re
from typing import Any, get_args, get_origin

_PLAIN = {
    int: re.compile(r"(0|[1-9][0-9]{0,17})"),
    float: re.compile(r"(0|[1-9][0-9]{0,14})(\.[0-9]{1,15})?"),
}
"""Numbers as anybody writes them; of others (`1_000`, `1e3`, `-0`) typer says what they are."""


class AsGiven:
    """A command or group that converts what it has to; it stands before typer's own class."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Read the words of a command line."""
        for parameter in self.get_params(ctx):  # type: ignore[attr-defined]
            make = getattr(parameter, "get_runtime_param", None)
            if make is not None and not isinstance(make, _Converter):
                parameter.get_runtime_param = _Converter(parameter, make)
        return super().parse_args(ctx, args)  # type: ignore[misc]


class _Converter:
    """Stands for a parameter's converter, which it makes once there is something to convert."""

    def __init__(self, parameter: Any, make: Any) -> None:
        self._make = make
        described = parameter.type_descriptor
        kind = described.annotation
        self._several = parameter.multiple or parameter.nargs == -1
        parts = get_args(kind) if get_origin(kind) is list else (kind,)
        self._kind = kind
        info = described.parameter_info
        self._text = parts == (str,) and info.parser is None
        limits = (info.parser, info.min, info.max)
        self._plain = _PLAIN.get(kind) if all(one is None for one in limits) else None

    def __call__(self) -> _Converter:
        return self

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value as typer's converter does."""
        if value is None:
            return () if self._several else None
        if type(value) is self._kind and self._kind is not str:
            # A default: what is given is text.
            return value
        if self._text and self._several and isinstance(value, tuple | list):
            if all(map(_is_text, value)):
                return list(value)
        elif self._text and not self._several and _is_text(value):
            return value
        elif self._plain and isinstance(value, str) and self._plain.fullmatch(value):
            return self._kind(value)
        return self._make().coerce(value, param=param, ctx=ctx)


def _is_text(value: object) -> bool:
    """Whether it is a string that is one everywhere: not with bytes of a broken command line."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
