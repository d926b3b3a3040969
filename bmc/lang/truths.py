"""What a text asks Python for the truth of, wherever that is written."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def asked_by(part: ast.AST) -> list[ast.expr]:
    """Return the expressions whose truth this part of a text asks for itself."""
    match part:
        case ast.BoolOp(_, values):
            return values[:-1]
        case ast.UnaryOp(ast.Not(), operand):
            return [operand]
        case ast.If(test) | ast.While(test) | ast.IfExp(test) | ast.Assert(test):
            return [test]
        case ast.Call(ast.Name("bool"), [test]):
            return [test]
        case ast.Match(_, cases):
            return [case.guard for case in cases if case.guard is not None]
        case ast.ListComp(_, each) | ast.SetComp(_, each) | ast.GeneratorExp(_, each):
            return [test for one in each for test in one.ifs]
        case ast.DictComp(_, _, each):
            return [test for one in each for test in one.ifs]
        case ast.Call(ast.Name("all" | "any"), [ast.Tuple(parts) | ast.List(parts)]):
            return [ast.Tuple(parts)] if parts else []
        case ast.Call(ast.Name("all" | "any"), [ast.ListComp(said, each)]):
            return _unbound(said, {name for one in each for name in _names(one.target)})
        case ast.Call(ast.Name("all" | "any"), [ast.GeneratorExp(said, each)]):
            return _unbound(said, {name for one in each for name in _names(one.target)})
        case ast.Call(ast.Name("all" | "any"), [ast.Call(ast.Name("map"), [function, *_])]):
            return _said_by(function)
        case ast.Call(ast.Name("filter"), [function, *_]):
            return _said_by(function)
    return []


def operands(test: ast.expr) -> Iterator[ast.expr]:
    """Yield what gives a test its truth: the last operand of ``a and b`` does, where it is read."""
    match test:
        case ast.BoolOp(_, values):
            for value in values:
                yield from operands(value)
        case ast.UnaryOp(ast.Not(), operand):
            yield from operands(operand)
        case ast.IfExp(_, one, other):
            yield from operands(one)
            yield from operands(other)
        case ast.NamedExpr(_, value):
            yield value
        case _:
            yield test


def _said_by(function: ast.expr) -> list[ast.expr]:
    if not isinstance(function, ast.Lambda):
        return []
    given = function.args
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    named += [one for one in (given.vararg, given.kwarg) if one is not None]
    return _unbound(function.body, {one.arg for one in named})


def _unbound(said: ast.expr, bound: set[str]) -> list[ast.expr]:
    """What is said with a name that is bound here is about a value that the text does not show."""
    return [one for one in operands(said) if not bound & set(_names(one))]


def _names(part: ast.AST) -> Iterator[str]:
    return (one.id for one in ast.walk(part) if isinstance(one, ast.Name))
