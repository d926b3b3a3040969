"""The entry point: `bmc COMMAND …`."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

from bmc.cli.shared import outcome
from bmc.running import streams
from bmc.running.hidden import said_of_hidden
from bmc.running.signals import INTERRUPTIONS, hear_of_children_and_time, raise_interruptions
from bmc.running.unloaded import LIMIT_TO_RAISE, lacked_memory_to_load


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave the process with its exit code.

    Without ``arguments`` (a user's command line) the work is done in a child that has to report
    its code: a file that ends the process is no success, and gets exit code 4. A walk by hand is
    no verdict, and reads from the terminal, which a child in the background may not. Completions
    are none either, and typer leaves the process once it has written them.
    """
    if arguments is None:
        # Engines and jobs work side by side already. Worse, where the threads of numpy's OpenBLAS
        # get no memory in a forked process, it exits while it holds a lock that it waits for as it
        # exits: an engine near its limit of memory would hang for ever.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        if hasattr(os, "fork"):
            hear_of_children_and_time()
        streams.open_closed()
        streams.whole_lines()
    plain = sys.argv[1:2] == ["step"] or _completes()
    if arguments is not None or not hasattr(os, "fork") or plain:
        # Nobody watches this process who would say how it ended.
        raise_interruptions()
        sys.exit(_run(arguments))
    try:
        from bmc.running.guarded import NoAnswer, ends_with, guarded, leave, telling
    except (ImportError, MemoryError) as error:
        if not lacked_memory_to_load(error):
            raise
        why = f"the process could not begin: it had no memory left; {LIMIT_TO_RAISE}"
        _tell_of_no_answer(why, outcome.UNKNOWN)
        sys.exit(outcome.UNKNOWN)
    try:
        code = guarded(lambda: _run(None))
    except NoAnswer as error:
        code = outcome.UNKNOWN if error.from_outside else outcome.FAILURE
        with telling(code):
            _tell_of_no_answer(f"the process {error}", code)
        ends_with(code)
    leave(code)


def _completes() -> bool:
    """Whether a shell asks what can stand next, or a user for what makes the shell ask."""
    asked = {"--show-completion", "--install-completion"} & {*sys.argv[1:2]}
    return bool(asked) or "_BMC_COMPLETE" in os.environ


def _tell_of_no_answer(why: str, code: int) -> None:
    """Say it where the answer was to be, as far as that can be written: the code says it, too.

    What Python makes of an error here is exit code 1, which means that something is violated.
    """
    told = f"{why}. Nothing is proved and nothing violated"
    with suppress(Exception):
        try:
            from bmc.reports.page import Page

            page = Page(sys.stderr)
        except Exception:
            # Where no file can be opened, or there is no memory left, bmc's own page cannot be
            # loaded either.
            os.write(2, f"bmc: {told}\n".encode())
            raise
        page.line(f"bmc: {told}")
        if {"--json", "--json-lines"} & {*sys.argv}:
            from bmc.reports.documents import error_document, text_of

            document = error_document(sys.argv[1], "NoAnswer", told, code)
            page = Page()
            page.line(text_of(document, "--json-lines" in sys.argv))
            page.flush()


def _run(arguments: Sequence[str] | None) -> int:
    """Run the command line in this process; its exit code."""
    # Terms and circuits are many objects and few cycles: Python's limit of 700 new objects makes
    # it look for cycles in all of them again and again.
    gc.set_threshold(300_000, 50, 50)
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        from bmc.cli.app import loaded, run

        app = loaded(given)
    except (ImportError, AttributeError):
        hidden = said_of_hidden()
        if hidden is None:
            raise
        sys.stderr.write(f"bmc: {hidden}\n")
        return outcome.USAGE
    try:
        code = _printed(run(given, app))
        if arguments is None:
            # Who asks for an end now is told the code of what stands there.
            signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTIONS)
    except KeyboardInterrupt:
        code = outcome.UNKNOWN
    except OSError as error:
        # Only what is printed without a command, like help, is printed by others than bmc, and
        # only options that name files are looked at before there is an answer.
        code = _refused(error) or _unprinted(error)
    # A Ctrl-C inside exec("…"), which dataclasses use, leaves a mark in the interpreter, and it
    # would end as killed in spite of the exit code; running a text again wipes the mark away.
    exec("")
    return code


def _printed(code: int) -> int:
    """Return the exit code of an answer, once nothing of it is left to be printed."""
    try:
        sys.stdout.flush()
    except OSError as error:
        # Here, where the exit code can still say it.
        return max(code, _unprinted(error))
    return code


def _refused(error: OSError) -> int | None:
    """Return the exit code where the command line names a file that there cannot be."""
    from bmc.cli.shared.answer import said_of_a_long_name
    from bmc.reports.page import Page

    if (said := said_of_a_long_name(error)) is None:
        return None
    Page(sys.stderr).line(f"bmc: {said}")
    return outcome.USAGE


def _unprinted(error: OSError) -> int:
    """Return the exit code of an answer that could not be printed; nobody need have read it."""
    from bmc.reports.page import Page, discard, unwritten_answer

    discard(sys.stdout)
    if isinstance(error, BrokenPipeError):
        return outcome.OK
    Page(sys.stderr).line(f"bmc: {unwritten_answer(error)}")
    return outcome.FAILURE


if __name__ == "__main__":
    main()
