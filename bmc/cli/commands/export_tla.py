"""`bmc export tla`: a protocol as a TLA+ module that TLC accepts, with its configuration."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from bmc.cli.shared.answer import Answer
from bmc.cli.shared.request import NothingAsked, Request
from bmc.lang.errors import BmcError

if TYPE_CHECKING:
    from bmc.reports.exports.tla import Stated


class NoModuleName(BmcError):
    """A file's name is no name of a TLA+ module."""


def export(
    answer: Answer, request: Request, chosen: list[str] | None, every: bool, to: Path
) -> None:
    """Write the module to a file, its configuration beside it, and the history's in the same way.

    Raises NoModuleName, NoTla, UnwritableFile, and UnknownName for a property that there is not.
    """
    from bmc.reports.exports.tla import NoTla, written
    from bmc.reports.vocabulary import Vocabulary
    from bmc.running.files import require_writable, write_file

    if to.suffix != ".tla" or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", to.stem):
        raise NoModuleName(
            f"{to.name} is no file of a TLA+ module: name it after the module, like Kafka.tla"
        )
    if request.suite.origin is not None:
        raise NothingAsked(f"{request.name} is TLA+ already")
    words = Vocabulary.of(request.suite, request.parameters)
    stated = _stated(request, chosen, every)
    try:
        found = written(stated, to.stem, words.member)
    except NoTla as error:
        raise NoTla(f"{request.name}: {error}") from error
    files = {}
    for one in found:
        files[to.with_name(f"{one.module}.tla")] = one.text
        files[to.with_name(f"{one.module}.cfg")] = one.config
    for path in files:
        require_writable(path)
    for path, text in files.items():
        write_file(path, text)
    left_out = [line for one in found for line in one.left_out]
    if answer.as_json:
        answer.document(
            {
                "protocol": request.name,
                "parameters": request.parameters,
                "file": str(to),
                "properties": sorted(stated.claims),
                "constraints": 0,
                "files": [str(path) for path in files],
                "left_out": left_out,
            }
        )
        return
    answer.page.line(", ".join(str(path) for path in files))
    for line in left_out:
        answer.page.line(f"left out: {line}")


def _stated(request: Request, chosen: list[str] | None, every: bool) -> Stated:
    from bmc import __version__
    from bmc.lang.temporal import specifications
    from bmc.reports.exports.tla import Stated

    suite = request.suite
    wanted = request.meant(chosen)
    temporal = [name for name in wanted if suite.is_temporal(name)]
    others = [name for name in wanted if name not in temporal]
    claims = [*request.claims(others, every)] if others or not temporal else []
    model = suite.model(suite.history is not None)
    values = " ".join(f"{name}={value}" for name, value in request.parameters.items())
    return Stated(
        name=suite.name,
        about=(
            f"written by bmc export {__version__}: {request.name} {values}",
            *_about(suite.about),
        ),
        model=model,
        parameters=request.parameters,
        properties=[suite.describe(one, model) for one in (*suite.properties, *suite.lemmas)],
        claims=frozenset((*claims, *temporal)),
        temporal=[suite.describe_temporal(one.name, model) for one in suite.temporal],
        specifications=list(specifications(model, suite.specifications).values()),
    )


def _about(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]
