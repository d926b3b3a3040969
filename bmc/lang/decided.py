"""What Python would decide while it reads a protocol, found in the protocol's text.

Each function that ran is read with what its names stood for (:mod:`bmc.lang.function_text`). Only
what is symbolic for certain is refused, so Python's own logic over names of fields, numbers and
optional arguments stays what it is.
"""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from types import CodeType, ModuleType
from typing import NoReturn
from weakref import WeakKeyDictionary, finalize

from bmc.lang import uncalled
from bmc.lang.asleep import UNENTERED, asleep, unrun_value
from bmc.lang.behind import BEHIND, behind_loops, gone
from bmc.lang.beyond import ENDED, beyond, called_outside
from bmc.lang.counted import lost_updates
from bmc.lang.cut_short import TEXT, cut_short
from bmc.lang.errors import DecidedByPython, DeclaredTwice, none_swallowed
from bmc.lang.function_text import (
    FILLS,
    FileText,
    FunctionText,
    counted_on,
    file_of,
    is_a_function,
    nodes_of,
)
from bmc.lang.late import LATE, late
from bmc.lang.leaking import NO_CASE, EnteredBlocks
from bmc.lang.loaded import lost_when_loaded
from bmc.lang.namesakes import Namesakes, declared_again
from bmc.lang.places import Line
from bmc.lang.scope import scope
from bmc.lang.set_displays import taken_by_the_language
from bmc.lang.truths import asked_by, operands
from bmc.lang.uncalled import UNCALLED
from bmc.lang.unread import note_left
from bmc.lang.unrun import behind_an_end, may_be_unrun, unrun
from bmc.lang.value_kinds import ValueKind
from bmc.lang.watch import Activation, Hashed, Runs, watched

_TRUTH = "a term has no truth value in Python: write & | ~, implies(...) or ite(...)"
_MEMBER = "`in` compares in Python, not in a state: write member(x, S), or disj(x == a, x == b)"
_CHAIN = "comparisons of terms do not chain: write (a <= b) & (b <= c)"
_CONTAINERS = "Python compares containers itself: write conj(...) of what is equal in them"
TABLE = "Python looks a term up in a table by identity: write ite(...) or a map of the language"
_LOST = (
    "its value goes nowhere: write s.require(...) for a guard, s.x = ... for a new value, and "
    "_ = ... where a function acts and what it gives back is not wanted"
)
_UNREAD = (
    "a formula is made here that nothing reads: write it where it is to hold, as in "
    "s.require(...), or _ = ... where it is not wanted"
)
_NO_VARIABLE = (
    "its value goes nowhere, since the name is Python's and nothing reads it: write s.x = ... "
    "where the variable is meant"
)
_LEFT = (
    "this was left before its end, and what it would still have said is lost: write a loop that "
    "runs to its end, zip(..., strict=True), and `with` for a block"
)
_UNRUN = (
    "nothing has run this function by the end of the method, so what it says is lost: write its "
    "call, or what it says where it is to hold"
)
_NEVER = (
    "nothing comes to this, since what stands before it leaves the block: write what is to hold "
    "before that, or in one formula with it"
)
_PASSED_OVER = (
    "an error in the block would be passed over, with all that it still had to say: return nothing "
    "from __exit__"
)
_LEFT_OUT = (
    "what is behind an `either` block is left out by it, in the steps of the other blocks too: "
    "write it inside of the blocks that it belongs to"
)
_LEAKING = (
    "it, or what it leads to, was set in an `either` block, or by a loop of them, and has the last "
    "one's value in all of them: write what depends on it inside of each block"
)
_LOOPS = (
    "a loop of `either` blocks stands beside another one: a step might take one of all, or one of "
    "each. Write s.require(TRUE) between them for one of each; for one of all make them one loop, "
    "or actions of their own"
)
_ANNOTATED = (
    "an annotation assigns nothing: write s.x = ... for a new value, s.require(...) for a guard"
)
_SETS = (
    "Python tells members of a set apart by identity: write the set where the language takes it "
    "(S | {x}, s.x = {x}, S == {x}), or insert(S, x), one(x), coerce({x}, sort)"
)
_MATCH = "`match` compares in Python, not in a state: write ite(...) or `either` blocks"


@contextmanager
def nothing_decided(title: str) -> Iterator[None]:
    """Read a method called ``title``; DecidedByPython where Python decided something in it.

    What the method is given and what it gives back is made and read inside of the block, which is
    the scope of its terms. What it prints goes to stderr: stdout belongs to bmc's answer.
    """
    runs = Runs()
    with (
        scope(title) as said,
        watched(runs),
        runs.untold.meanwhile(),
        none_swallowed(),
        redirect_stdout(sys.stderr),
    ):
        yield
    for run in runs.calls.values():
        read = _read_of(run.code)
        if run.alike not in read:
            if is_a_function(run.code):
                file = file_of(run.code, run.known)
                if not run.asked:
                    _check_file(file, run)
                for node in file.nodes(run.code):
                    _check(FunctionText(run, runs, node), file.namesakes)
                    for name in late(node, file.around, run.known):
                        _refuse(Line(run.code.co_filename, name.lineno), name.id, LATE)
                    for name in behind_loops(node):
                        _refuse(Line(run.code.co_filename, name.lineno), name.id, BEHIND)
                    for lost in gone(node):
                        _refuse(Line(run.code.co_filename, lost.lineno), _first_line(lost), _LOST)
            read.add(run.alike)
        entered = any(run.code is code for block in said.blocks for code, _ in block.calls)
        for node in nodes_of(run.code, run.known):
            # A loop over nothing has called none of the helpers that would enter a block.
            if entered or any(isinstance(part, ast.For) for part in ast.walk(node)):
                _check_blocks(EnteredBlocks(FunctionText(run, runs, node), said.blocks))
    for outside in runs.outside.values():
        for node in nodes_of(outside.run.code, outside.run.known):
            for part, remedy in called_outside(FunctionText(outside.run, runs, node), outside):
                _refuse_beyond(outside.line, part, remedy)
    _refuse_unrun(runs, said.wrapped)
    for hashed in runs.hashed.values():
        _check_hashed(hashed, runs)
    for line in runs.looked_up:
        _refuse_line(line, TABLE)
    for line in runs.kept_sets:
        _refuse_line(line, _SETS)
    for line in runs.dropped:
        _refuse_line(line, _LOST)
    for line in runs.passed_over:
        _refuse_line(line, _PASSED_OVER)
    for line in runs.unentered:
        _refuse_line(line, UNENTERED)
    with watched(runs):
        runs.let_go()
    for line in runs.ended:
        _refuse_line(line, ENDED)
    for line in runs.unfinished.lines():
        _refuse_line(line, _LEFT)
    for _, line in said.unread.values():
        _refuse_line(line, _UNREAD)
    for line, part in lost_updates(said.never_read(), runs.calls.values()):
        _refuse(line, _first_line(part), _LOST)
    note_left(said)


_read: dict[int, set[str]] = {}
"""What was found to decide nothing, by code objects' numbers: those of two files may be equal, and
their names mean different things."""


def _read_of(code: CodeType) -> set[str]:
    """Return the calls of a function that were found to decide nothing; more may be entered."""
    number = id(code)
    if number not in _read:
        _read[number] = set()
        finalize(code, _read.pop, number).atexit = False
    return _read[number]


_loaded: WeakKeyDictionary[ModuleType, set[FileText]] = WeakKeyDictionary()
"""The files that were found to lose nothing where a module was loaded from them: loaded once more,
their names may mean something else."""


def _check_file(text: FileText, run: Activation) -> None:
    module = sys.modules.get(str(run.known.get("__name__")))
    # Of a module that nobody can import there is nothing to remember it by.
    kept = module is not None and vars(module) is run.known
    found = _loaded.setdefault(module, set()) if module is not None and kept else set()
    if text in found:
        return
    for part, remedy in lost_when_loaded(text.tree, run.known):
        line = Line(run.code.co_filename, getattr(part, "lineno", 0))
        _refuse(line, _first_line(part), remedy)
    found.add(text)


def _refuse_line(line: Line, remedy: str) -> NoReturn:
    _refuse(line, linecache.getline(line.file, line.number).strip(), remedy)


def _refuse(line: Line, text: str, remedy: str) -> NoReturn:
    raise DecidedByPython(f"{line}: `{text}` is decided while the protocol is read: {remedy}")


def _refuse_beyond(line: Line, part: ast.AST, remedy: str) -> NoReturn:
    column = getattr(part, "col_offset", 0) + 1
    raise DecidedByPython(
        f"{line}: `{_first_line(part)}`, from column {column}, is beyond what a method is written "
        f"in: {remedy}"
    )


def _check(text: FunctionText, namesakes: Namesakes) -> None:
    for other in declared_again(text.node, namesakes, text.run.known):
        first, second = sorted((text.node.lineno, other.lineno))
        raise DeclaredTwice(
            f"{Line(text.run.code.co_filename, second)}: {other.name} is declared a second time "
            f"(the first is at line {first}), and Python keeps one: give it another name"
        )
    for never in behind_an_end(text):
        _refuse(Line(text.run.code.co_filename, never.lineno), _first_line(never), _NEVER)
    for part in text.parts:
        remedy = _remedy(text, part)
        if remedy is not None:
            line = Line(text.run.code.co_filename, getattr(part, "lineno", 0))
            _refuse(line, _first_line(part), remedy)
    for part, remedy in () if text.run.asked else beyond(text):
        line = Line(text.run.code.co_filename, getattr(part, "lineno", text.node.lineno))
        _refuse_beyond(line, part, remedy)


def _check_blocks(entered: EnteredBlocks) -> None:
    file = entered.text.run.code.co_filename
    for empty in entered.over_nothing():
        _refuse(Line(file, empty.lineno), _first_line(empty), NO_CASE)
    for loop in entered.beside():
        _refuse(Line(file, loop.lineno), _first_line(loop), _LOOPS)
    for name in entered.leaking():
        _refuse(Line(file, name.lineno), name.id, _LEAKING)
    for left in entered.leaving():
        _refuse(Line(file, left.lineno), _first_line(left), _LEFT_OUT)


def _first_line(part: ast.AST) -> str:
    return ast.unparse(part).splitlines()[0]


def _refuse_unrun(runs: Runs, wrapped: CodeType | None) -> None:
    ran = {number for number, _ in runs.calls}
    if wrapped is not None and id(wrapped) not in ran:
        _refuse_line(Line(wrapped.co_filename, wrapped.co_firstlineno), _UNRUN)
    for line in runs.unfinished.never_run(ran):
        _refuse_line(line, _UNRUN)
    for run in {number: run for (number, _), run in runs.calls.items()}.values():
        if may_be_unrun(run, ran):
            for node in nodes_of(run.code, run.known):
                for part in unrun(FunctionText(run, runs, node), ran):
                    _refuse(Line(run.code.co_filename, part.lineno), _first_line(part), _UNRUN)


def _check_hashed(hashed: Hashed, runs: Runs) -> None:
    """Refuse a term that was put into a set (or table) which Python may still look at."""
    texts = [
        FunctionText(hashed.run, runs, node) for node in nodes_of(hashed.run.code, hashed.run.known)
    ]
    if not any(taken_by_the_language(text, hashed.position) for text in texts):
        _refuse_line(hashed.line, _SETS)


def _remedy(text: FunctionText, part: ast.AST) -> str | None:
    tests = asked_by(part)
    asked = _asked(text, *tests) if tests else None
    return asked or cut_short(text, part) or _said(text, part)


def _said(text: FunctionText, part: ast.AST) -> str | None:
    match part:
        case ast.Compare():
            return _compared(text, part)
        case ast.If() | ast.While() | ast.IfExp() | ast.Assert() if _held(text, part.test):
            return _TRUTH
        case ast.Match(subject) if text.kind(subject) is not ValueKind.HOST:
            return _MATCH
        case ast.Expr(value) | ast.Assert(msg=ast.expr() as value):
            return _standing_alone(text, value)
        case ast.AugAssign(ast.Name(name)) | ast.Assign([ast.Name(name)]) if text.run.kinds.get(
            name
        ) is ValueKind.SYMBOLIC and name in counted_on(part):
            return None if text.reads(name) else _LOST
        case ast.Assign([ast.Subscript(ast.Name(name))], value) if text.makes(
            name
        ) and not text.reads(name):
            return _standing_alone(text, value)
        case ast.Assign(targets, value):
            return _kept(text, targets, value)
        case ast.AnnAssign(ast.Attribute(base), _, None) if text.kind(base) is ValueKind.STATE:
            return _ANNOTATED
        case ast.AnnAssign(target, _, value) if value is not None:
            return _kept(text, [target], value)
        case ast.AugAssign(ast.Name(name), _, value) if text.makes(name) and not text.reads(name):
            return _standing_alone(text, value)
        case ast.For(ast.Name(name), each) if (
            name != "_" and text.each(each) is ValueKind.SYMBOLIC and not text.reads(name)
        ):
            return _LOST
        case ast.FunctionDef(name, decorator_list=[]) if not text.reads(name):
            return UNCALLED
    return None


def _asked(text: FunctionText, *tests: ast.expr) -> str | None:
    """What to say where these are asked for their truth: a term has none, a method has one."""
    if text.any(*tests):
        return _TRUTH
    for test in (one for each in tests for one in operands(each)):
        if said := unrun_value(text, test) or uncalled.asked(text, test):
            return said
        if isinstance(test, ast.Constant) and isinstance(test.value, str):
            return TEXT
    return None


def _held(text: FunctionText, test: ast.expr) -> bool:
    """Whether a display of terms is asked for its truth, which is whether there are any."""
    display = isinstance(test, ast.Tuple | ast.List | ast.Set)
    return display and text.kind(test) is ValueKind.HOLDING


def _standing_alone(text: FunctionText, value: ast.expr) -> str | None:
    match value:
        case ast.Call(ast.Attribute(ast.Name(name), word), given, named) if (
            word in FILLS and text.makes(name) and not text.reads(name)
        ):
            parts = [*given, *(one.value for one in named)]
            return next(filter(None, (_standing_alone(text, part) for part in parts)), None)
        case ast.Dict(_, parts):
            return next(filter(None, (_standing_alone(text, part) for part in parts)), None)
    if text.kind(value) in (ValueKind.SYMBOLIC, ValueKind.HOLDING):
        return _LOST
    if uncalled.does_nothing(text, value):
        return UNCALLED
    return asleep(text, value)


def _kept(text: FunctionText, targets: list[ast.expr], value: ast.expr) -> str | None:
    """What is lost with names that nobody reads; of what has acted ``_`` says it is not wanted."""
    match targets, value:
        case [ast.Tuple(places) | ast.List(places)], (ast.Tuple(parts) | ast.List(parts)) if len(
            places
        ) == len(parts):
            pairs = zip(places, parts, strict=True)
            return next(filter(None, (_kept(text, [one], part) for one, part in pairs)), None)
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    if len(names) < len(targets) or any(text.reads(name) for name in names):
        return None
    if any(text.declares(name) for name in names):
        return _NO_VARIABLE
    # A part of a variable that has a name is assigned by it: `m = s.map`, `m[k] = e`.
    if (
        isinstance(value, ast.Attribute | ast.Subscript)
        and text.kind(value) is ValueKind.SYMBOLIC
        and any(text.fills(name) for name in names)
    ):
        return None
    return _asleep_in(text, value) or (None if "_" in names else _standing_alone(text, value))


def _asleep_in(text: FunctionText, value: ast.expr) -> str | None:
    if isinstance(value, ast.Tuple | ast.List):
        return next(filter(None, (_asleep_in(text, one) for one in value.elts)), None)
    return asleep(text, value)


def _compared(text: FunctionText, part: ast.Compare) -> str | None:
    operands = [part.left, *part.comparators]
    if len(part.ops) > 1 and text.any(*operands):
        return _CHAIN
    for op, left, right in zip(part.ops, operands, operands[1:], strict=False):
        kinds = {text.kind(left), text.kind(right)}
        match op:
            case ast.In() | ast.NotIn() if kinds != {ValueKind.HOST}:
                return _MEMBER
            case ast.Eq() | ast.NotEq() if (
                ValueKind.HOLDING in kinds and ValueKind.SYMBOLIC not in kinds
            ):
                if kinds == {ValueKind.HOLDING} or _is_container(left) or _is_container(right):
                    return _CONTAINERS
    return None


def _is_container(e: ast.expr) -> bool:
    return isinstance(e, ast.Tuple | ast.List | ast.Set | ast.Dict | ast.ListComp | ast.SetComp)
