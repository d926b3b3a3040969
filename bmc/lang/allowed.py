"""What the text of a method is written in: the forms of Python, and the words of its library.

It is a list of what is read, not of what is refused: whatever Python has besides may lose a guard
or decide a formula in some way that nobody has thought of. Names of the protocol's own files and
of bmc are no words of Python's, and what is run when a file is loaded is not judged.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import functools
import itertools
import operator
import sys
import sysconfig
import typing
from contextlib import contextmanager, nullcontext
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType

_STATEMENTS = (
    *(ast.FunctionDef, ast.Return, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, ast.While),
    *(ast.If, ast.With, ast.withitem, ast.Match, ast.match_case, ast.Raise, ast.Assert),
    *(ast.Nonlocal, ast.Expr, ast.Pass, ast.Break, ast.Continue),
)
_EXPRESSIONS = (
    *(ast.BoolOp, ast.NamedExpr, ast.BinOp, ast.UnaryOp, ast.Lambda, ast.IfExp, ast.Compare),
    *(ast.Dict, ast.Set, ast.List, ast.Tuple, ast.ListComp, ast.SetComp, ast.DictComp),
    *(ast.GeneratorExp, ast.comprehension, ast.Yield, ast.YieldFrom, ast.Call, ast.keyword),
    *(ast.FormattedValue, ast.JoinedStr, ast.Constant, ast.Attribute, ast.Subscript, ast.Slice),
    *(ast.Starred, ast.Name),
)
FORMS = frozenset(
    (
        *_STATEMENTS,
        *_EXPRESSIONS,
        *ast.pattern.__subclasses__(),
        *ast.expr_context.__subclasses__(),
        *ast.boolop.__subclasses__(),
        *ast.operator.__subclasses__(),
        *ast.unaryop.__subclasses__(),
        *ast.cmpop.__subclasses__(),
    )
)
"""The nodes of Python's grammar that a method may consist of."""

_MADE = (dict, enumerate, filter, frozenset, list, map, range, reversed, set, super, tuple, zip)
_ASKED = (all, any, getattr, len, max, min, print, setattr, sorted, sum)
_ITERATORS = (
    *(itertools.accumulate, itertools.chain, itertools.combinations, itertools.pairwise),
    *(itertools.permutations, itertools.product, itertools.starmap, itertools.zip_longest),
)
_OPERATORS = (
    *(operator.add, operator.and_, operator.eq, operator.floordiv, operator.ge, operator.getitem),
    *(operator.gt, operator.invert, operator.le, operator.lt, operator.mod, operator.mul),
    *(operator.ne, operator.or_, operator.sub),
)
_FUNCTIONS = (functools.partial, functools.reduce, typing.cast, dataclasses.replace)
_MADE_BLOCKS = (contextmanager, nullcontext)
_TYPES = (typing.Any,)
WORDS: tuple[object, ...] = (
    *_MADE,
    *_ASKED,
    *_ITERATORS,
    *_OPERATORS,
    *_FUNCTIONS,
    *_MADE_BLOCKS,
    *_TYPES,
)
"""The words of Python's library that may be given terms."""
METHODS: typing.Mapping[object, frozenset[str]] = {
    list: frozenset({"append", "copy", "extend", "insert", "reverse"}),
    dict: frozenset({"copy", "get", "items", "keys", "setdefault", "update", "values"}),
    set: frozenset({"add", "copy", "update"}),
    itertools.chain: frozenset({"from_iterable"}),
}
"""The methods of Python's own classes that may be given terms, and be asked of what holds some."""
PLAIN = frozenset(
    (
        *(abs, ascii, bin, bool, callable, chr, divmod, float, format, hasattr, hex, int),
        *(isinstance, issubclass, iter, next, oct, ord, pow, repr, round, slice, str, type),
    )
)
"""The words of Python that may be given what holds no term: names, numbers and tables of them.

What ``hash``, ``id`` and ``object`` give is another thing in each process.
"""
PLAIN_MODULES = frozenset(
    (
        *("collections", "copy", "dataclasses", "decimal", "enum", "fractions", "itertools"),
        *("math", "operator", "re", "string", "typing"),
    )
)
"""The modules of Python whose words may be given the same."""
SPECIAL_NAMES = frozenset({"__init__", "__name__"})
"""The names with two underscores on both sides that a method may write."""

_LISTED = frozenset(map(id, WORDS))
_BLOCKS = frozenset(
    {
        *("contextmanager", "contextmanager.<locals>.helper"),
        *("_GeneratorContextManager.__enter__", "_GeneratorContextManager.__exit__"),
        *("nullcontext.__init__", "nullcontext.__enter__", "nullcontext.__exit__"),
    }
)
_MEMBERS = ("EnumType.__iter__", "EnumType.__reversed__")
"""What gives the members of an enumeration, and what waits in it: they are given nothing."""
_LIBRARY = tuple(sysconfig.get_path(p) for p in ("stdlib", "platstdlib"))
_PLAIN_TYPES = (str, int, float, bytes, tuple, list, dict, set, frozenset, range)


def is_listed(word: object) -> bool:
    """Return whether a word of Python's library may be given terms."""
    if id(word) in _LISTED or (isinstance(word, type) and issubclass(word, BaseException)):
        return True
    owner = getattr(word, "__self__", None)
    if owner is None or isinstance(owner, ModuleType):
        owner = getattr(word, "__objclass__", None)
    known = METHODS.get(owner if isinstance(owner, type) else type(owner), frozenset())
    return getattr(word, "__name__", "") in known


def is_listed_function(code: CodeType, module: str) -> bool:
    """Return whether a function of Python's library, written in Python, may be given terms.

    Python itself calls some where something ends: that is no word of anybody's text.
    """
    if module in ("weakref", "_weakrefset") or code.co_name == "__del__":
        return True
    if module == "contextlib":
        return code.co_qualname in _BLOCKS
    if module == "enum":
        return code.co_qualname.startswith(_MEMBERS)
    return (module, code.co_qualname) in {("typing", "cast"), ("dataclasses", "replace")}


def is_plain(word: object) -> bool:
    """Return whether a word of Python's library may be given what holds no term."""
    if isinstance(word, BuiltinFunctionType) and isinstance(word.__self__, _PLAIN_TYPES):
        return True
    if getattr(word, "__module__", None) == builtins.__name__:
        return word in PLAIN
    return _module_of(word).lstrip("_") in PLAIN_MODULES or (
        getattr(word, "__objclass__", None) in _PLAIN_TYPES
    )


def is_plain_module(module: str) -> bool:
    """Return whether the words of a module of Python's may be given what holds no term."""
    return module.partition(".")[0].lstrip("_") in PLAIN_MODULES


def is_pythons_own(value: object) -> bool:
    """Return whether something is a word of Python's library: a function or a class of it."""
    if isinstance(value, MethodType | staticmethod | classmethod):
        value = value.__func__
    if isinstance(value, FunctionType):
        file = value.__code__.co_filename
        return file.startswith(("<frozen ", *_LIBRARY)) and "-packages" not in file
    if not callable(value):
        return False
    if isinstance(value, type):
        return _is_in_the_library(value.__module__)
    return _is_in_the_library(type(value).__module__)


def _is_in_the_library(module: str) -> bool:
    if module.partition(".")[0] not in sys.stdlib_module_names:
        return False
    # A protocol's own file may be called as a module of Python's.
    file = getattr(sys.modules.get(module), "__file__", None)
    return file is None or file.startswith(_LIBRARY)


def _module_of(word: object) -> str:
    if isinstance(word, FunctionType):
        return str(word.__globals__.get("__name__", ""))
    owner = getattr(word, "__self__", getattr(word, "__objclass__", None))
    if owner is not None and not isinstance(owner, ModuleType):
        word = owner if isinstance(owner, type) else type(owner)
    return str(getattr(word, "__module__", None) or "").partition(".")[0]
