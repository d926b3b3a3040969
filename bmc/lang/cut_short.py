"""What a method says for the first of several alone, or of the letters of a text: slips of the pen.

Python takes each of them without a word: a loop that leaves in its first turn has none for the
other members, ``zip`` ends with the shortest of what it is given, ``("red")`` is a text and no
tuple, and a text is true whatever it says.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Sequence

from bmc.lang.function_text import FunctionText
from bmc.lang.value_kinds import ValueKind

TEXT = (
    'a text is always true, so it decides nothing here: write the comparison again, x == "a" or '
    'x == "b"'
)
_FIRST_TURN = (
    "this loop is left in its first turn, and says nothing of the others: write conj(*[... for "
    "...]) or disj(*[... for ...]), or what leaves the loop under an `if`"
)
_SHORTEST = (
    "zip ends with the shortest of these, and says nothing of what the others still have: give it "
    "as many of each, or cut them to one length where that is meant"
)
_LETTERS = (
    'this is a text, of whose letters Python speaks, and no tuple: write its comma, ("red",), or '
    "no parentheses where the letters are meant"
)


def cut_short(text: FunctionText, part: ast.AST) -> str | None:
    """Return what to say of a slip in a function, None where there is none."""
    match part:
        case ast.BoolOp(_, [*_, ast.Compare(), ast.Constant(str())]):
            return TEXT
        case ast.For() if _leaves_at_once(part) and _speaks_of_terms(text, part.body):
            return _FIRST_TURN
        case ast.Call(ast.Name("zip") as word, given, []) if text.value(word) is zip:
            lengths = {_length(text, one) for one in given} - {None}
            return _SHORTEST if len(lengths) > 1 else None
        case ast.For(_, of) | ast.comprehension(_, of) if _is_in_parentheses(text, of):
            return _LETTERS
        case ast.Compare(_, [ast.In() | ast.NotIn()], [of]) if _is_in_parentheses(text, of):
            return _LETTERS
    return None


def _leaves_at_once(loop: ast.For) -> bool:
    """Return whether a loop is left in its first turn, whatever the turn is about."""
    goes_on = any(isinstance(part, ast.Continue) for part in ast.walk(loop))
    return not goes_on and _leaves(loop.body)


def _leaves(body: Sequence[ast.stmt]) -> bool:
    match body[-1]:
        case ast.Return() | ast.Break():
            return True
        case ast.If(_, then, [*_] as otherwise) if otherwise:
            return _leaves(then) and _leaves(otherwise)
        case ast.With(_, inside):
            return _leaves(inside)
    return False


def _speaks_of_terms(text: FunctionText, body: list[ast.stmt]) -> bool:
    """Return whether a term or a state has a part in what is written: of names Python decides."""
    parts = (part for one in body for part in ast.walk(one))
    return any(
        text.kind(part) is not ValueKind.HOST for part in parts if isinstance(part, ast.expr)
    )


def _length(text: FunctionText, e: ast.expr) -> int | None:
    """Return how many there are in what never changes, None where that is not known."""
    match e:
        case ast.Tuple(parts) | ast.List(parts):
            starred = any(isinstance(part, ast.Starred) for part in parts)
            return None if starred else len(parts)
        case ast.Constant(str(letters)):
            return len(letters)
    found = text.value(e)
    return len(found) if isinstance(found, tuple | str) else None


def _is_in_parentheses(text: FunctionText, e: ast.expr) -> bool:
    """Return whether this is a text of several letters that is written like a tuple of one."""
    match e:
        case ast.Constant(str(letters)) if len(letters) > 1:
            line = linecache.getline(text.run.code.co_filename, e.lineno)
            before = line.encode()[: e.col_offset].decode(errors="ignore")
            return before.rstrip().endswith("(")
    return False
