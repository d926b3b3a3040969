"""Sets of Python that hold terms: written where the language takes them, or refused.

Python tells members apart by identity, so ``{3} & {s.x}`` is empty and ``len({s.x, 3})`` is 2
whatever *x* is. A set is read member by member where it meets a term, is given to one of the
language's words or is assigned to a part of the state; a set that Python keeps may meet another.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bmc.lang.function_text import FunctionText
from bmc.lang.value_kinds import ValueKind
from bmc.lang.watch import Position

_SETS = (ast.Set, ast.SetComp, ast.Call)


def taken_by_the_language(text: FunctionText, position: Position) -> bool:
    """Return whether what hashes a term at a position of a function is a set that bmc takes."""
    parents = dict(_parents(text.node))
    for part in parents:
        if isinstance(part, ast.expr) and _place(part) == position:
            while not isinstance(part, _SETS):
                if part not in parents:
                    return False
                part = parents[part]
            return _is_taken(text, part, parents)
    return False


def _place(part: ast.expr) -> Position:
    return part.lineno, part.end_lineno, part.col_offset, part.end_col_offset


def _parents(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    for child in ast.iter_child_nodes(node):
        yield child, node
        yield from _parents(child)


def _is_taken(text: FunctionText, made: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    if isinstance(made, ast.Call):
        function = text.value(made.func)
        if function is not set and function is not frozenset:
            # A helper that remembers hashes what it is given.
            return hasattr(function, "cache_info")
    above = parents[made]
    while isinstance(above, ast.IfExp | ast.keyword | ast.Starred) and above in parents:
        made, above = above, parents[above]
    match above:
        case ast.Call(function):
            return made is not function and _is_a_word(text, function)
        case ast.BinOp(left, _, right):
            return text.any(right if made is left else left)
        case ast.Compare(left, [ast.Eq() | ast.NotEq() | ast.LtE() | ast.GtE()], [right]):
            return text.any(right if made is left else left)
        case ast.AugAssign(target):
            # Python asks the term that stands there, as in S | {x}.
            return isinstance(target, ast.Attribute | ast.Subscript) and text.any(target)
        case ast.Assign(targets):
            return all(isinstance(t, ast.Attribute | ast.Subscript) for t in targets)
        case ast.Tuple():
            return _is_assigned_beside_others(parents.get(above))
        case ast.Lambda():
            # Who calls it is seen when it gives the set back.
            return True
    return False


def _is_assigned_beside_others(above: ast.AST | None) -> bool:
    return isinstance(above, ast.Assign) and all(
        isinstance(target, ast.Tuple)
        and all(isinstance(t, ast.Attribute | ast.Subscript) for t in target.elts)
        for target in above.targets
    )


def _is_a_word(text: FunctionText, function: ast.expr) -> bool:
    return (
        text.kind(function) is ValueKind.SYMBOLIC
        or getattr(text.value(function), "__module__", "").startswith("bmc.lang.")
        or (isinstance(function, ast.Attribute) and text.kind(function.value) is ValueKind.STATE)
    )
