"""The text of a function that ran, and what is symbolic in it.

A name counts as symbolic when everything that is assigned to it is, so what is called symbolic is
so for certain.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import CodeType
from typing import Any

from bmc.lang.declared import Declaration, made_by
from bmc.lang.errors import TextUnknown
from bmc.lang.instructions import as_kept, as_written
from bmc.lang.late import Around, around_in
from bmc.lang.namesakes import Namesakes, namesakes_in
from bmc.lang.places import Line
from bmc.lang.value_kinds import ValueKind, kind_of
from bmc.lang.watch import Activation, Runs

FILLS = frozenset({"add", "append", "extend", "insert", "update"})
"""Methods of Python's lists, sets and tables that put something in and give nothing back."""
_MAKERS = ("bmc.lang.build", "bmc.lang.formulas", "bmc.lang.terms")
"""The modules whose functions make terms, and formulas of behaviours."""


@dataclass(frozen=True, eq=False)
class FileText:
    """A text as Python reads it.

    ``functions`` has its functions by first line and name, ``codes`` what Python makes of them.
    """

    tree: ast.Module
    functions: Mapping[tuple[int, str], list[ast.AST]]
    codes: frozenset[CodeType]
    namesakes: Namesakes

    @cached_property
    def around(self) -> Around:
        """Return what each part is written in."""
        return around_in(self.tree)

    def nodes(self, code: CodeType) -> list[Any]:
        """Return the text of a function; several where lambdas of one line cannot be told apart."""
        found = self.functions.get((code.co_firstlineno, code.co_name), [])
        formals = [as_written(code, name) for name in code.co_varnames[: code.co_argcount]]
        return [n for n in found if [a.arg for a in _positional(n)] == formals]


@lru_cache(maxsize=64)
def _read(text: str, file: str, future: int) -> FileText:
    flags = future | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    tree = compile(text, file, "exec", flags | ast.PyCF_ONLY_AST, dont_inherit=True)
    found: dict[tuple[int, str], list[ast.AST]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            found.setdefault((first, node.name), []).append(node)
        elif isinstance(node, ast.Lambda):
            found.setdefault((node.lineno, "<lambda>"), []).append(node)
    codes = frozenset(_codes(compile(tree, file, "exec", flags, dont_inherit=True)))
    return FileText(tree, found, codes, namesakes_in(tree))


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def file_of(code: CodeType, known: Mapping[str, Any]) -> FileText:
    """Return the text of the file that some code stands in, whose names are ``known``.

    Raises TextUnknown where there is no text (what was typed or piped into Python) or what is there
    is not what runs, being of a later version.
    """
    file = code.co_filename
    linecache.checkcache(file)
    text = "".join(linecache.getlines(file, dict(known)))
    future = code.co_flags & annotations.compiler_flag
    try:
        found = _read(text, file, future)
    except SyntaxError:
        raise _unknown(code) from None
    if code not in found.codes:
        raise _unknown(code)
    return found


def require_as_loaded(made: Iterable[type]) -> None:
    """Raise TextUnknown where the file of a protocol or history has changed since it was loaded."""
    for one in made:
        if (code := made_by(one)) is None:
            continue
        try:
            file_of(code, {})
        except TextUnknown:
            raise TextUnknown(
                f"{code.co_filename}: has changed since {one.__name__} was loaded, so an answer "
                "would be about what it said before: load it again"
            ) from None


def is_a_function(code: CodeType) -> bool:
    """Return whether code is of a function, and not of a module or a class."""
    return bool(code.co_flags & inspect.CO_OPTIMIZED)


def nodes_of(code: CodeType, known: Mapping[str, Any]) -> list[Any]:
    """Return the text of a function as :meth:`FileText.nodes` does; none where it is no function.

    ``known`` are the names of its module. Raises TextUnknown as :func:`file_of` does.
    """
    return file_of(code, known).nodes(code) if is_a_function(code) else []


def _unknown(code: CodeType) -> TextUnknown:
    line = Line(code.co_filename, code.co_firstlineno)
    return TextUnknown(
        f"{line}: the text of {code.co_name} is not to be had, or is not what was loaded, so what "
        "Python decides in it would not be noticed: write the protocol in a file, and load it "
        "again when the file has changed"
    )


def _positional(node: Any) -> list[ast.arg]:
    return [*node.args.posonlyargs, *node.args.args]


class FunctionText:
    """A function's text, with what its names stood for when it ran."""

    def __init__(self, run: Activation, runs: Runs, node: Any) -> None:
        self.run = run
        self.runs = runs
        self.node = node
        self.values = ChainMap(run.values, run.known)
        body = node.body if isinstance(node.body, list) else [node.body]
        self.parts = [part for top in body for part in _own(top)]
        self.formals = set(run.kinds)
        self.optional = _with_default_none(node)
        self.assigned: dict[str, list[Callable[[], ValueKind]]] = {}
        for part in self.parts:
            self._note(part)
        self.local = dict.fromkeys(self.assigned, ValueKind.HOST)
        for _ in range(len(self.assigned) + 1):
            now = {name: self._joined(name) for name in self.assigned}
            if now == self.local:
                break
            self.local = now

    def _joined(self, name: str) -> ValueKind:
        kinds = {kind() for kind in self.assigned[name]}
        if name in self.formals:
            kinds.add(self.run.kinds[name])
        return kinds.pop() if len(kinds) == 1 else ValueKind.HOST

    def _note(self, part: ast.AST) -> None:
        match part:
            case ast.Assign(targets, value):
                for target in targets:
                    self._bind(target, value)
            case ast.AnnAssign(target, _, value) if value is not None:
                self._bind(target, value)
            case ast.NamedExpr(target, value):
                self._bind(target, value)
            case ast.AugAssign(ast.Name(name), _, value):
                self.assigned.setdefault(name, []).append(lambda: self.kind(value))
            case ast.For(ast.Name(name), each) | ast.comprehension(ast.Name(name), each):
                self.assigned.setdefault(name, []).append(lambda: self.each(each))
            case ast.For(target) | ast.comprehension(target):
                self._bind(target, None)
            case ast.withitem(_, target) if target is not None:
                self._bind(target, None)
            case ast.ExceptHandler(_, name) if name is not None:
                self.assigned.setdefault(name, []).append(lambda: ValueKind.HOST)
            case ast.FunctionDef(name) | ast.ClassDef(name):
                self.assigned.setdefault(name, []).append(lambda: ValueKind.HOST)

    def _bind(self, target: ast.AST, value: ast.expr | None) -> None:
        if isinstance(target, ast.Name):
            self.assigned.setdefault(target.id, []).append(
                lambda: ValueKind.HOST if value is None else self.kind(value)
            )
        elif isinstance(target, ast.Tuple | ast.List):
            whole = isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts)
            for place, one in enumerate(target.elts):
                self._bind(one, value.elts[place] if whole else None)  # type: ignore[union-attr]
        elif isinstance(target, ast.Starred):
            self._bind(target.value, None)

    def each(self, iterated: ast.expr) -> ValueKind:
        """Return what a loop over a display is given; HOST where not all in it are terms."""
        elements = iterated.elts if isinstance(iterated, ast.Tuple | ast.List) else []
        kinds = {self.kind(one) for one in elements}
        return ValueKind.SYMBOLIC if kinds == {ValueKind.SYMBOLIC} else ValueKind.HOST

    def kind(self, e: ast.expr) -> ValueKind:
        """Return what an expression is, HOST where that is not certain."""
        match e:
            case ast.Name(name):
                return self.local[name] if name in self.local else kind_of(self.value(e))
            case ast.Attribute(base, name):
                whole = self.kind(base)
                if whole is ValueKind.STATE:
                    return ValueKind.HOST if name in ("require", "either") else ValueKind.SYMBOLIC
                return whole if whole is ValueKind.SYMBOLIC else kind_of(self.value(e))
            case ast.Subscript(base):
                return ValueKind.SYMBOLIC if self.any(base) else kind_of(self.value(e))
            case ast.BinOp(left, _, right):
                return self._symbolic(left, right)
            case ast.UnaryOp(ast.Invert() | ast.USub(), operand):
                return self._symbolic(operand)
            case ast.Compare(left, ops, others):
                if any(isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) for op in ops):
                    return ValueKind.HOST
                return self._symbolic(left, *others)
            case ast.IfExp(_, then, otherwise):
                kinds = {self.kind(then), self.kind(otherwise)}
                return kinds.pop() if len(kinds) == 1 else ValueKind.HOST
            case ast.NamedExpr(_, value):
                return self.kind(value)
            case ast.Tuple(elements) | ast.List(elements) | ast.Set(elements):
                found = self._symbolic(*elements)
                return ValueKind.HOLDING if found is ValueKind.SYMBOLIC else ValueKind.HOST
            case ast.ListComp(element) | ast.SetComp(element):
                return ValueKind.HOLDING if self.any(element) else ValueKind.HOST
            case ast.Call():
                return self._called(e)
        return ValueKind.HOST

    def _symbolic(self, *parts: ast.expr) -> ValueKind:
        return (
            ValueKind.SYMBOLIC
            if any(self.kind(p) is ValueKind.SYMBOLIC for p in parts)
            else ValueKind.HOST
        )

    def _called(self, call: ast.Call) -> ValueKind:
        function = self.value(call.func)
        if function is builtins.getattr and call.args:
            whole = self.kind(call.args[0])
            return (
                ValueKind.SYMBOLIC
                if whole in (ValueKind.STATE, ValueKind.SYMBOLIC)
                else ValueKind.HOST
            )
        if function in (frozenset, set, tuple, list) and len(call.args) == 1:
            return self.kind(call.args[0])
        if getattr(function, "__module__", "") in _MAKERS:
            return ValueKind.SYMBOLIC if inspect.isfunction(function) else ValueKind.HOST
        code = getattr(getattr(function, "__func__", function), "__code__", None)
        found = code is not None and self.runs.returns_terms(code)
        return ValueKind.SYMBOLIC if found else ValueKind.HOST

    def value(self, e: ast.expr) -> Any:
        """Return what a name stood for that nothing is assigned to, None where it is not known."""
        match e:
            case ast.Name(name) if name not in self.local:
                return self.values.get(name, getattr(builtins, name, None))
            case ast.Attribute(base, name):
                whole = self.value(base)
                if whole is not None:
                    kept = as_kept(self.run.code, name)
                    found = [inspect.getattr_static(whole, one, None) for one in kept]
                    return next((one for one in found if one is not None), None)
            case ast.Subscript(base, ast.Constant(key)):
                whole = self.value(base)
                if type(whole) in (tuple, list) and isinstance(key, int) and key < len(whole):
                    return whole[key]
                if type(whole) is dict and isinstance(key, str):
                    return whole.get(key)
        return None

    def stood_for(self, e: ast.expr) -> Any:
        """Return the same, of an argument what was given for it."""
        if isinstance(e, ast.Name) and e.id in self.formals:
            return self.run.values.get(e.id)
        return self.value(e)

    def declares(self, name: str) -> bool:
        """Return whether a protocol that this was given declares something of this name."""
        owners = (type(given) for given in self.run.values.values())
        return any(isinstance(inspect.getattr_static(o, name, None), Declaration) for o in owners)

    def reads(self, name: str) -> bool:
        """Return whether a name may be asked for here, in a function inside or in one around."""
        return name in self._asked

    @cached_property
    def _asked(self) -> set[str]:
        asked, filled = set[str](), set[ast.AST]()
        for part in ast.walk(self.node):
            match part:
                # Whoever only puts something in asks for nothing; it is met before what it holds.
                case ast.Expr(ast.Call(ast.Attribute(ast.Name() as into, word))) if word in FILLS:
                    filled.add(into)
                case ast.Subscript(ast.Name() as into, _, ast.Store()):
                    filled.add(into)
                # Nor does a name that is counted on: `x = x + 1` says no more than `x += 1`.
                case ast.Assign([ast.Name(name)], value):
                    filled.update(one for one in _operands(value) if one.id == name)
                case ast.Name(name, ast.Load()) if part not in filled:
                    asked.add(name)
                case ast.Global(names) | ast.Nonlocal(names):
                    asked.update(names)
        return asked

    def fills(self, name: str) -> bool:
        """Return whether something is put into what has a name, by ``name[key] = ...``."""
        stores = (one for one in ast.walk(self.node) if isinstance(one, ast.Subscript))
        into = (one.value for one in stores if isinstance(one.ctx, ast.Store))
        return any(isinstance(one, ast.Name) and one.id == name for one in into)

    def makes(self, name: str) -> bool:
        """Return whether a name is given to a new list, set or table here, and to nothing else."""
        made = [
            isinstance(part.value, ast.List | ast.Set | ast.Dict)
            for part in self.parts
            if isinstance(part, ast.Assign | ast.AnnAssign)
            for target in (part.targets if isinstance(part, ast.Assign) else [part.target])
            if isinstance(target, ast.Name) and target.id == name
        ]
        return bool(made) and all(made) and name not in self.formals

    def certain(self, e: ast.expr) -> bool:
        """Return whether an operand is symbolic, and no argument that may be left out."""
        if self.kind(e) is not ValueKind.SYMBOLIC:
            return False
        if isinstance(e, ast.Name) and e.id in self.formals and e.id not in self.local:
            return e.id not in self.optional and self.runs.always_symbolic(self.run.code, e.id)
        return True

    def any(self, *parts: ast.expr) -> bool:
        """Return whether one of these is symbolic."""
        return any(self.kind(p) is ValueKind.SYMBOLIC for p in parts)


def _own(top: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function's own text; functions inside of it are read when they run."""
    yield top
    match top:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            inside: Iterable[ast.AST] = (*top.decorator_list, *_defaults(top))
        case ast.Lambda():
            inside = _defaults(top)
        case ast.ClassDef():
            return
        case ast.AnnAssign(target, _, value):
            # What annotates a name in a function is never run.
            inside = (target,) if value is None else (target, value)
        case _:
            inside = ast.iter_child_nodes(top)
    for child in inside:
        yield from _own(child)


def counted_on(part: ast.AST) -> set[str]:
    """Return the names that an assignment makes a new value of, which it gives to one of them."""
    match part:
        case ast.AugAssign(ast.Name(name), _, value):
            return {name, *(one.id for one in _operands(value))}
        case ast.Assign(_, value):
            return {one.id for one in _operands(value)}
    return set()


def _operands(e: ast.AST) -> Iterator[ast.Name]:
    """Yield the names that operators are applied to, outside of calls: what is called may act."""
    match e:
        case ast.Name():
            yield e
        case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.Attribute():
            for part in ast.iter_child_nodes(e):
                yield from _operands(part)


def _defaults(node: Any) -> list[ast.AST]:
    return [*node.args.defaults, *(one for one in node.args.kw_defaults if one)]


def _with_default_none(node: Any) -> set[str]:
    formals, defaults = _positional(node), node.args.defaults
    paired = list(zip(reversed(formals), reversed(defaults), strict=False))
    paired += [
        (a, d) for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if d
    ]
    return {a.arg for a, d in paired if isinstance(d, ast.Constant) and d.value is None}
