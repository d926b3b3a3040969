"""Declarations of one name in one body of a file: Python keeps the last of them.

The body of a protocol or a history is watched while it is run (:mod:`bmc.lang.declared`). This is
about what stands elsewhere: in a class that is mixed in, or at the top of a file.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

_BODIES = ("body", "orelse", "finalbody")

Namesakes = Mapping[ast.AST, list[ast.FunctionDef]]
"""The decorated functions of one name in one body, by each of them; there are several."""


def namesakes_in(tree: ast.Module) -> Namesakes:
    """Return which decorated functions of a text share a body and a name."""
    found: dict[ast.AST, list[ast.FunctionDef]] = {}
    for part in ast.walk(tree):
        for which in _BODIES:
            body = getattr(part, which, None)
            named: dict[str, list[ast.FunctionDef]] = {}
            for one in body if isinstance(body, list) else ():
                if isinstance(one, ast.FunctionDef) and one.decorator_list:
                    named.setdefault(one.name, []).append(one)
            found.update((one, n) for n in named.values() if len(n) > 1 for one in n)
    return found


def declared_again(
    node: ast.AST, alike: Namesakes, known: Mapping[str, Any]
) -> Iterator[ast.FunctionDef]:
    """Yield the other declarations of a declared function's name in its body.

    ``known`` are the names of its module.
    """
    if isinstance(node, ast.FunctionDef) and declares(node, known):
        yield from (one for one in alike.get(node, ()) if one is not node and declares(one, known))


def declares(node: ast.FunctionDef | ast.AsyncFunctionDef, known: Mapping[str, Any]) -> bool:
    """Return whether a function stands under a decorator of the language's with parentheses."""
    words = (one.func for one in node.decorator_list if isinstance(one, ast.Call))
    return any(is_a_declaring_word(word, known) for word in words)


def is_a_declaring_word(word: ast.expr, known: Mapping[str, Any]) -> bool:
    """Return whether a name is a word of the language, ``known`` being those of the module."""
    match word:
        case ast.Name(name):
            found = known.get(name)
        case ast.Attribute(ast.Name(module), name):
            found = getattr(known.get(module), name, None)
        case _:
            return False
    return str(getattr(found, "__module__", "")).startswith("bmc.lang.")
