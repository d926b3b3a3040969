"""A protocol's variables as classes, for editors and type checkers."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping

from bmc.lang.sorts import MapSort, RecordSort, Sort, parts

HEAD = '"""What `s` is in '
"""How a text begins that this module has written."""


def stubs_text(protocol: str, name: str, variables: Mapping[str, Sort]) -> str:
    """Return a module with a class for the state of a protocol and one for each of its records.

    ``protocol`` is what the command line calls it, ``name`` its class.
    """
    writer = _Writer(f"{name}State")
    cells = [(variable, writer.kind(sort)) for variable, sort in variables.items()]
    classes = [*writer.classes, _class(f"{name}State", "Variables", cells)]
    used = sorted({"Cell", "Variables", *re.findall(r"\b(?:Known|Table)\b", "\n".join(classes))})
    return "\n\n".join(
        [
            f'{HEAD}{protocol}: written by `bmc stubs`, for editors, and never run."""\n\n'
            f"from bmc.lang.typed import {', '.join(used)}\n",
            *classes,
        ]
    )


class _Writer:
    """Names the records that it meets, and writes a class for each."""

    def __init__(self, taken: str) -> None:
        self.classes: list[str] = []
        self._names: dict[RecordSort, str] = {}
        self._taken = {taken, "Known", "Cell", "Table", "Variables"}

    def kind(self, sort: Sort) -> str:
        """Return the type of an expression of a sort."""
        match sort:
            case MapSort(_, value):
                return f"Table[{self.kind(value)}]"
            case RecordSort():
                if sort not in self._names:
                    fields = [(name, self.kind(part)) for name, part in sort.fields]
                    self._names[sort] = self._name(sort)
                    self.classes.append(_class(self._names[sort], "Known", fields))
                return self._names[sort]
        # Options, variants and collections are read by functions: what these hand to a lambda or to
        # a helper may be annotated, so that a record inside has its class as well.
        for part in parts(sort):
            self.kind(part)
        return "Known"

    def _name(self, sort: RecordSort) -> str:
        name = plain = re.sub(r"\W", "_", sort.name) or "Record"
        number = 2
        while name in self._taken or keyword.iskeyword(name) or not name.isidentifier():
            name, number = f"{plain}{number}" if plain.isidentifier() else f"R_{plain}", number + 1
            plain = plain if plain.isidentifier() else f"R_{plain}"
        self._taken.add(name)
        return name


def _class(name: str, base: str, cells: list[tuple[str, str]]) -> str:
    # A field that is a word of Python is read by getattr, which no type checker follows.
    lines = [f"    {part} = Cell[{kind}]()" for part, kind in cells if not keyword.iskeyword(part)]
    return "\n".join([f"class {name}({base}):", *(lines or ["    pass"])]) + "\n"
