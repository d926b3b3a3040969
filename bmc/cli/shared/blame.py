"""What is said of a user's file that raises: its line, the action or claim, and what to write."""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from types import CodeType

from bmc import lang
from bmc.lang import drawing, ranking, temporal
from bmc.lang.advice import (
    NESTED_TOO_DEEPLY,
    instead_of_attribute,
    instead_of_call,
    instead_of_name,
)
from bmc.lang.decided import TABLE
from bmc.lang.errors import BmcError, LanguageError, suggest
from bmc.lang.protocol import History, Protocol
from bmc.lang.state import WORDS
from bmc.lang.terms import Held


class UserModelError(BmcError):
    """A user's file cannot be read, raises, or describes no protocol."""


@contextmanager
def blaming(file: str) -> Iterator[None]:
    """Turn whatever a user's code raises into one message that names its line in ``file``.

    What it prints goes to stderr: stdout belongs to bmc's answer.
    """
    try:
        with redirect_stdout(sys.stderr):
            yield
    except UserModelError:
        raise
    except (Exception, SystemExit) as error:
        said, ran = _said(error), _ran(error, file)
        within = error.within if isinstance(error, LanguageError) else ""
        within = within or next((c.co_name for _, c in ran if _is_a_function(c)), "")
        # Some refusals begin with the place themselves, and know it better than the traceback.
        named = re.match(rf"{re.escape(os.path.basename(file))}:(\d+): ", said)
        if named is not None:
            place, said = f"{file}, line {named[1]}", said[named.end() :]
        else:
            place = _place(error, file, [line for line, _ in ran])
        if within and not said.startswith((f"{within} ", f"{within}:", f"in {within},")):
            place += f", in {within}"
        raise UserModelError(f"{place}: {said}") from error


def _ran(error: BaseException, file: str) -> list[tuple[int, CodeType]]:
    """The lines of the file that were being run, the innermost last, and what they are part of."""
    found, trace = [], error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if os.path.abspath(code.co_filename) == os.path.abspath(file):
            found.append((trace.tb_lineno, code))
        trace = trace.tb_next
    return found


def _is_a_function(code: CodeType) -> bool:
    """Whether it has a name of its author's and is no module and no class."""
    return bool(code.co_flags & inspect.CO_OPTIMIZED) and not code.co_name.startswith("<")


def _place(error: BaseException, file: str, lines: list[int]) -> str:
    if isinstance(error, SyntaxError) and error.lineno is not None:
        same = error.filename is None or os.path.abspath(error.filename) == os.path.abspath(file)
        return f"{file if same else error.filename}, line {error.lineno}"
    place = error.place if isinstance(error, LanguageError) else None
    if not lines and place is not None:
        same = os.path.abspath(place[0]) == os.path.abspath(file)
        return f"{file if same else place[0]}, line {place[1]}"
    return f"{file}, line {lines[-1]}" if lines else file


def _said(error: BaseException) -> str:
    text = error.msg if isinstance(error, SyntaxError) else " ".join(str(error).split())
    if isinstance(error, BmcError):
        return text
    if isinstance(error, RecursionError):
        return NESTED_TOO_DEEPLY
    if isinstance(error, ImportError) and "relative import" in text:
        text += "; a file that is asked for is in no package: write from module import name of a "
        text += "module beside it, or ask for a file beside the package that imports from it"
    if isinstance(error, TypeError):
        text += instead_of_call(text, _WORDS)
    if isinstance(error, KeyError) and error.args and isinstance(error.args[0], Held):
        text += f"; {TABLE}"
    if isinstance(error, NameError):
        text += _of_a_name(error)
    if isinstance(error, AttributeError) and "'_GeneratorContextManager'" in text:
        text += "; a block is entered once: write with s.either(): for each case"
    if isinstance(error, AttributeError) and error.name:
        text += instead_of_attribute(error.obj, error.name)
    if isinstance(error, AttributeError) and isinstance(error.obj, Protocol) and error.name:
        declared = set(dir(error.obj)).difference(dir(Protocol))
        of_steps = error.name in WORDS
        text += f"; write s.{error.name}" if of_steps else f": {suggest(error.name, declared)}"
    if isinstance(error, AttributeError) and isinstance(error.obj, History) and error.name:
        text += f"; in a history what a protocol P declares is named with its class, P.{error.name}"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


_WORDS = {name: getattr(lang, name) for name in lang.__all__}


def _of_a_name(error: NameError) -> str:
    name, trace = error.name or "it", error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    for room in (drawing, ranking, temporal):
        if (
            name not in _WORDS
            and getattr(getattr(room, name, None), "__module__", "") == room.__name__
        ):
            return f"; it is a word of the language: from {room.__name__} import {name}"
    return instead_of_name(name, _WORDS, trace is None or _is_inside(trace.tb_frame.f_code))


def _is_inside(code: CodeType) -> bool:
    """Whether a name is looked up in a method, a lambda or a comprehension of one."""
    return bool(code.co_flags & inspect.CO_OPTIMIZED)
