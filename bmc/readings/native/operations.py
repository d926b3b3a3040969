"""What the vector machine does on an instruction, in LLVM's assembly language.

Each operation that programs use becomes a function. The names in the text: ``%dst``, ``%a``, ``%b``
and ``%c`` are the addresses of the result and the operands, ``%small`` and ``%number`` the numbers
of the instruction.
"""

from __future__ import annotations

import re

from bmc.lang.errors import LanguageError
from bmc.readings.native.program import LANES

_STEP = 64
"""Lanes that the text treats at once; LLVM cuts them to what the processor has."""

_GATES = {
    "not": "%r = xor <64 x i8> %x, splat (i8 1)",
    "and": "%r = and <64 x i8> %x, %y",
    "or": "%r = or <64 x i8> %x, %y",
    "and_all": "%d = and <64 x i8> %x, %y\n%r = and <64 x i8> %d, %z",
    "or_all": "%d = or <64 x i8> %x, %y\n%r = or <64 x i8> %d, %z",
    "iff": "%d = xor <64 x i8> %x, %y\n%r = xor <64 x i8> %d, splat (i8 1)",
}
_COMPARISONS = {"eq": "eq", "le": "sle"}
_NAMED = re.compile(r"([a-z]+)(\d+)(?:_(\d+))?")


def lanewise(operation: str) -> str:
    """Return the loop of an operation that does the same in every lane."""
    if operation in _GATES:
        text = _GATES[operation]
        return _case(text, 8, *[8] * sum(operand in text for operand in ("%x", "%y", "%z")))
    match = _NAMED.fullmatch(operation)
    if match is None:
        raise LanguageError(f"the vector machine has no operation {operation!r}")
    name, width = match[1], int(match[2])
    kind = f"<64 x i{width}>"
    if name in _COMPARISONS:
        text = f"%t = icmp {_COMPARISONS[name]} {kind} %x, %y\n%r = zext <64 x i1> %t to <64 x i8>"
        return _case(text, 8, width, width)
    match name:
        case "add" | "sub":
            return _case(f"%r = {name} {kind} %x, %y", width, width, width)
        case "ite":
            text = "%t = icmp ne <64 x i8> %z, splat (i8 0)\n"
            text += f"%r = select <64 x i1> %t, {kind} %x, {kind} %y"
            return _case(text, width, width, width, 8)
        case "cast":
            target = int(match[3] or 0)
            how = "sext" if target > width else "trunc"
            return _case(f"%r = {how} {kind} %x to <64 x i{target}>", target, width)
        case "zcast":
            target = int(match[3] or 0)
            return _case(f"%r = zext {kind} %x to <64 x i{target}>", target, width)
        case "field":
            text = f"%m = and {kind} %x, %numbers\n%r = lshr {kind} %m, %smalls"
            return _case(_splat("number", width) + _splat("small", width) + text, width, width)
        case "put":
            text = f"%m = shl {kind} %y, %smalls\n%r = add {kind} %x, %m"
            return _case(_splat("small", width) + text, width, width, width)
        case "increase":
            text = f"%r = add {kind} %x, %numbers"
            return _case(_splat("number", width) + text, width, width)
    raise LanguageError(f"the vector machine has no operation {operation!r}")


def _splat(name: str, width: int) -> str:
    """Return a number of the instruction as a vector."""
    given = f"%{name}"
    text = ""
    if width < 64:
        text, given = f"%{name}_cut = trunc i64 %{name} to i{width}\n", f"%{name}_cut"
    return (
        f"{text}%{name}_one = insertelement <64 x i{width}> poison, i{width} {given}, i64 0\n"
        f"%{name}s = shufflevector <64 x i{width}> %{name}_one, <64 x i{width}> poison,"
        " <64 x i32> zeroinitializer\n"
    )


def _case(text: str, result: int, *operands: int) -> str:
    """Return a loop over the lanes: ``%r`` from ``%x``, ``%y`` and ``%z``, of so many bits each."""
    lines = []
    for name, pointer, width in zip("xyz", "abc", operands, strict=False):
        lines.append(f"%{name}_at = getelementptr i{width}, ptr %{pointer}, i64 %i")
        lines.append(f"%{name} = load <64 x i{width}>, ptr %{name}_at, align 64")
    loads = "\n".join(lines)
    return f"""
br label %LOOP
LOOP:
%i = phi i64 [0, %ENTRY], [%i_next, %LOOP]
{loads}
{text}
%to = getelementptr i{result}, ptr %dst, i64 %i
store <64 x i{result}> %r, ptr %to, align 64
%i_next = add i64 %i, {_STEP}
%i_more = icmp ult i64 %i_next, {LANES}
br i1 %i_more, label %LOOP, label %NEXT
"""
