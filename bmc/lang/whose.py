"""Whose a function is that runs: a user's, the language's, or Python's own."""

from __future__ import annotations

import sysconfig
from inspect import CO_OPTIMIZED
from types import CodeType, FrameType

PYTHONS_OWN = ("<frozen ", *(sysconfig.get_path(p) for p in ("stdlib", "platstdlib")))
"""How the names of Python's own files begin."""
COMPREHENSIONS = frozenset({"<setcomp>", "<dictcomp>", "<listcomp>", "<genexpr>"})
"""What Python calls the functions that it makes of comprehensions."""
_INSTALLED = ("/site-packages/", "/dist-packages/")
_PROTOCOLS = ("bmc.encodings", "bmc.properties")


def is_bmcs(module: str) -> bool:
    """Return whether a module of this name is bmc's own, and none of its protocols."""
    return f"{module}.".startswith("bmc.") and not module.startswith(_PROTOCOLS)


def written_in(frame: FrameType) -> FrameType:
    """Return the frame in whose text one is: a comprehension runs in a frame of its own."""
    while frame.f_code.co_name in COMPREHENSIONS and frame.f_back is not None:
        frame = frame.f_back
    return frame


def module_of(frame: FrameType) -> str:
    """Return the name of the module whose function a frame runs, or nothing."""
    return str(frame.f_globals.get("__name__", ""))


def is_a_users(frame: FrameType) -> bool:
    """Return whether a frame runs what a user wrote, or what bmc's own protocols say."""
    if is_generated(frame) or is_the_languages(frame):
        return False
    if module_of(frame).startswith(_PROTOCOLS):
        return True
    # What is installed lies below the folder of Python's own, and may be a package of protocols.
    return is_installed(frame) or not frame.f_code.co_filename.startswith(PYTHONS_OWN)


def is_installed(frame: FrameType) -> bool:
    """Return whether a frame runs a function of an installed package."""
    return is_of_a_package(frame.f_code)


def is_of_a_package(code: CodeType) -> bool:
    """Return whether a function is written in an installed package."""
    file = code.co_filename.replace("\\", "/")
    return any(folder in file for folder in _INSTALLED)


def is_loading(frame: FrameType) -> bool:
    """Return whether a user's file, or the body of a class, is run around a frame.

    What a program that is started does at its top may well come after the protocols.
    """
    around: FrameType | None = frame
    while around is not None:
        body = not around.f_code.co_flags & CO_OPTIMIZED
        started = (around.f_code.co_name, module_of(around)) == ("<module>", "__main__")
        if body and not started and is_a_users(around) and not is_installed(around):
            return True
        around = around.f_back
    return False


def is_the_languages(frame: FrameType) -> bool:
    """Return whether a frame runs a function of bmc's, and no protocol's."""
    return is_bmcs(module_of(frame))


def is_generated(frame: FrameType) -> bool:
    """Return whether Python wrote a function: of a data class or a named tuple."""
    if frame.f_code.co_filename != "<string>":
        return False
    return frame.f_code.co_name.startswith("__") or module_of(frame).startswith("namedtuple_")
