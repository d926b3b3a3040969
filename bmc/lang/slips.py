"""What a text says twice: slips of the pen, by the text alone.

Python takes each of them without a word: of two values under one key or name it keeps the last, of
two tests that are the same it asks the first. Something that was written is lost, often a guard or
a claim that was copied and changed in half of its places.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

Slip = tuple[ast.AST, str]

_KEY = "this table has the key twice, and Python keeps the last value: give one of them another key"
_TEST = "this has been asked before, so what stands here is never come to: ask something else"
_GROWN = (
    "it is given more than it had when it was read above, and nothing reads it from here on, so "
    "the rest is gone: write all of it before it is read"
)
_BOUND = (
    "it is given another value further down before anything reads it, so this one is gone: give "
    "one of them another name"
)
_SIGN = (
    "Python reads a sign of the value here, so what was there before is gone: write += or -= to "
    "count on, or the sign beside its number, as in x = -1"
)


def slips(tree: ast.Module) -> Iterator[Slip]:
    """Yield what a file's text loses in tables, in rows of tests and behind turned signs."""
    for part in ast.walk(tree):
        match part:
            case ast.Dict(keys):
                constants = [key for key in keys if isinstance(key, ast.Constant)]
                yield from ((key, _KEY) for key in _again(constants))
            case ast.If(_, _, [ast.If()]):
                tests = [test for test in _tests(part) if not _may_change(test)]
                yield from ((test, _TEST) for test in _again(tests))
            case ast.Match(_, cases):
                plain = [case.pattern for case in cases if case.guard is None]
                yield from ((pattern, _TEST) for pattern in _again(plain))
            case ast.Assign([*_, target], value) if _is_turned(target, value):
                yield part, _SIGN


def bound_again(statements: Sequence[ast.stmt]) -> Iterator[Slip]:
    """Yield what binds a name in a body that binds it once more before anything reads it."""
    # Each statement is looked through once, however many names are bound before it.
    read: dict[int, frozenset[str]] = {}
    for place, one in enumerate(statements):
        bound = {} if getattr(one, "decorator_list", []) else bound_by(one)
        for name, what in bound.items():
            for later, other in enumerate(statements[place + 1 :], place + 1):
                if later not in read:
                    read[later] = frozenset(read_by(other))
                if name == "_" or name in read[later]:
                    break
                if (again := bound_by(other).get(name)) is not None:
                    # What is imported twice is there as well.
                    if again != what:
                        yield one, _BOUND
                    break


def grown_too_late(statements: Sequence[ast.stmt]) -> Iterator[Slip]:
    """Yield what adds to a name of a class's body or a file's that only what stands above reads.

    A list is changed in place, so whoever holds it has what is added.
    """
    for place, one in enumerate(statements):
        name = _grown(one)
        before, behind = statements[:place], statements[place + 1 :]
        if name is None or not any(_is_given(other, name) for other in before):
            continue
        if not any(name in read_by(other) or _names(other, name) for other in behind):
            yield one, _GROWN


def _again(parts: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Yield what is written like one before it."""
    found = {
        id(later): later
        for one, later in combinations(parts, 2)
        if ast.dump(one) == ast.dump(later)
    }
    yield from found.values()


def _is_turned(target: ast.expr, value: ast.expr) -> bool:
    """Return whether `x =+ 1` is written: a sign that is beside the `=` and not its number."""
    match value:
        case ast.UnaryOp(ast.UAdd() | ast.USub(), operand):
            in_a_line = target.end_lineno == value.lineno == operand.lineno
            before = value.col_offset - (target.end_col_offset or 0)
            return in_a_line and before <= len(" =") and operand.col_offset > value.col_offset + 1
    return False


def _tests(chain: ast.If) -> Iterator[ast.expr]:
    yield chain.test
    match chain.orelse:
        case [ast.If() as further]:
            yield from _tests(further)


def _may_change(test: ast.expr) -> bool:
    """Return whether a test may have another answer the second time."""
    return any(isinstance(part, ast.Call | ast.NamedExpr) for part in ast.walk(test))


def bound_by(one: ast.stmt) -> Mapping[str, object]:
    """Return what a statement gives each name that it binds, as far as texts tell it apart."""
    match one:
        case ast.Assign([ast.Name(name)]) | ast.FunctionDef(name) | ast.ClassDef(name):
            return {name: one}
        case ast.AnnAssign(ast.Name(name), _, value) if value is not None:
            return {name: one}
        case ast.ImportFrom(module, names, level):
            return {n.asname or n.name: (module, n.name, level) for n in names if n.name != "*"}
    return {}


def _grown(one: ast.stmt) -> str | None:
    """Return the name of what is given itself with an addition."""
    match one:
        case ast.AugAssign(ast.Name(name), ast.Add(), ast.Tuple()):
            return name
        case ast.Assign([ast.Name(name)], ast.BinOp(ast.Name(same), ast.Add())) if name == same:
            return name
    return None


def _is_given(one: ast.stmt, name: str) -> bool:
    """Return whether a call in a statement is given what a name stands for."""
    calls = (part for part in ast.walk(one) if isinstance(part, ast.Call))
    given = (each for call in calls for each in (*call.args, *(k.value for k in call.keywords)))
    return any(isinstance(each, ast.Name) and each.id == name for each in given)


def _names(part: ast.AST, name: str) -> bool:
    """Return whether an attribute of this name is asked for, as ``self.FAIR`` does."""
    return any(isinstance(one, ast.Attribute) and one.attr == name for one in ast.walk(part))


def read_by(part: ast.AST) -> Iterator[str]:
    """Yield names that are read, also by a function, of which :mod:`bmc.lang.late` has more."""
    for one in ast.walk(part):
        match one:
            case ast.Name(name, ast.Load() | ast.Del()) | ast.AugAssign(ast.Name(name)):
                yield name
