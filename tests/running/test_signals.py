"""An interruption comes out as one, wherever Python is when the signal comes."""

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from weakref import ref

import pytest

from bmc.running.signals import interrupt


def strike() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


class Struck:
    """Something that is held weakly, owned by a class, and let go."""

    def __set_name__(self, owner: type, name: str) -> None:
        strike()


class StruckAsItGoes:
    """Something whose end the signal comes in the middle of."""

    def __del__(self) -> None:
        strike()


def in_a_class() -> None:
    type("Owner", (), {"held": Struck()})


def in_the_end_of_an_object() -> None:
    StruckAsItGoes()


def in_a_weak_reference() -> None:
    # The module's own callback, since its frames are what is left alone.
    within: dict[str, Any] = {"__name__": "weakref", "kill": os.kill}
    within |= {"me": os.getpid(), "blow": signal.SIGTERM}
    exec("def gone(weak):\n    kill(me, blow)\n    return None", within)
    held = Struck()
    weak = ref(held, within["gone"])
    del held
    assert weak() is None


def in_a_collection() -> None:
    def collecting(phase: str, info: object) -> None:
        try:
            strike()
        finally:
            gc.callbacks.remove(collecting)

    gc.callbacks.append(collecting)
    gc.collect()


def in_plain_code() -> None:
    strike()


def and_go_on(place: Callable[[], None]) -> None:
    place()
    end = monotonic() + 30
    while monotonic() < end:
        sleep(0.01)


@pytest.fixture
def _handled() -> Iterator[None]:
    before = signal.signal(signal.SIGTERM, interrupt)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.usefixtures("_handled")
@pytest.mark.parametrize(("folder", "whole"), [("site-packages", True), ("mine", False)])
def test_the_import_of_a_package_is_not_cut_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, whole: bool
) -> None:
    """A sweep could not import pandas again: an internal failure. A file of a user may run long."""
    (tmp_path / folder).mkdir()
    name = f"struck_{folder.replace('-', '_')}"
    text = f"import os\nos.kill(os.getpid(), {int(signal.SIGTERM)})\nimport json\n"
    (tmp_path / folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path / folder)
    with pytest.raises(KeyboardInterrupt):
        and_go_on(lambda: vars().update(module=import_module(name)))
    assert (name in sys.modules) == whole
    sys.modules.pop(name, None)


@pytest.mark.usefixtures("_handled")
@pytest.mark.parametrize(
    "place",
    [in_plain_code, in_a_class, in_the_end_of_an_object, in_a_weak_reference, in_a_collection],
)
def test_it_is_neither_lost_nor_another_error(
    place: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Raised there, it is printed and forgotten, or comes out as a RuntimeError: exit code 4."""
    ignored: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", ignored.append)
    with pytest.raises(KeyboardInterrupt):
        and_go_on(place)
    assert not ignored
