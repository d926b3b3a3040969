"""The complete levels of an exploration in a folder: written durably, and read back.

A level is four files. The last one, ``N.json``, makes the level complete: it is written when the
others are on disk, and holds their sizes and checksums, and what the search knew at that time.

    N.states    the level's states, sorted by their hashes: whole, or as tuples
    N.parents   for each the place of a state in the level before that it was reached from
    N.values    values of the components that the level was the first to have
    N.json      how many, and the layout of the tuples; the search's numbers so far; the checksum
                of the level before, so that no level is taken for another one
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from bmc.engines.packed.collapse import Collapse
from bmc.engines.packed.packing import Rows
from bmc.engines.packed.tuples import TupleLayout
from bmc.engines.spill.files import (
    PARTIAL,
    REMEDY,
    DamagedSpill,
    WordFile,
    require_intact,
    settle,
)
from bmc.engines.spill.keys import Keys
from bmc.engines.spill.sorted_states import SortedStates, SortedWriter
from bmc.running.files import write_file

FORMAT = 2
_READ = 1 << 16
_WORD_BITS = 64
_MOST = (1 << 62) - 1
_OTHER = f"is not as it was written: {REMEDY}"


@dataclass
class SearchedSoFar:
    """What a search knows at the end of a level, beside its states.

    ``levels`` are the states by level that it counts, ``fired`` the steps by rule, ``decided`` by
    property the states of the trace that decides it, as hexadecimal rows.
    """

    levels: list[int] = field(default_factory=list)
    fired: list[int] = field(default_factory=list)
    decided: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class _Described:
    """What the last file of a level says; ``search`` tells the search from all others, and
    ``before`` is the checksum of this file of the level before."""

    format: int
    search: str
    before: int
    states: int
    words: int
    bits: list[int] | None
    cuts: list[list[int]] | None
    values: list[int]
    checksums: dict[str, int]
    searched: dict[str, Any]


class Levels:
    """The levels of a search in a folder, complete ones only; ``words`` are those of a state."""

    def __init__(self, folder: Path, search: str, words: int) -> None:
        self._folder = folder
        self._search = search
        self._words = words
        self.states: list[SortedStates] = []
        self.searched: SearchedSoFar | None = None
        self.cuts: list[tuple[int, int]] | None = None
        self.values: list[list[Rows]] = []
        self._kept: list[int] = []
        self._sizes: list[int] = []
        self._before = 0

    def read(self) -> None:
        """Read what is complete, after a look at every byte of it.

        Raises DamagedSpill, also where it is of another search.
        """
        for partial in self._folder.glob("*" + PARTIAL):
            partial.unlink()
        while self._path("json").is_file():
            said, checksum = _description(self._path("json"))
            if said.search != self._search:
                raise DamagedSpill(f"{self._path('json')} is of another search: {REMEDY}")
            if said.before != self._before:
                raise DamagedSpill(f"{self._path('json')} is of another level: {REMEDY}")
            try:
                self._read_next(said)
            except ValueError:
                # Cuts, counts and words of another search, under checksums that fit.
                raise DamagedSpill(f"{self._path('json')} {_OTHER}") from None
            self._before = checksum
        if len(list(self._folder.glob("*.json"))) > len(self.states):
            # What follows it was found with numbers that another search might give to others.
            raise DamagedSpill(f"{self._path('json')} is missing: {REMEDY}")

    def collapse(self, written: NDArray[np.bool_] | None) -> Collapse | None:
        """Return what the tuples of these levels stand for, None where states are whole."""
        if self.cuts is None:
            return None
        values = [np.concatenate(parts) for parts in self.values]
        made = Collapse.of(self._words, self.cuts, written, values)
        made.lay_out()
        return made

    def index(self, keys: Keys) -> None:
        """Look through levels that were read for where the hashes lie."""
        for level, size in zip(self.states, self._sizes, strict=True):
            for start in range(0, size, _READ):
                found = level.keys(start, min(start + _READ, size))
                level.count_hashes(keys.hashes(keys.current(found, level.layout)))

    def writer(self, keys: Keys) -> SortedWriter:
        """Return what writes the states of the next level."""
        paths = self._path("states"), self._path("parents")
        return SortedWriter(*paths, keys.key_words, keys.layout)

    def keep(self, writer: SortedWriter, keys: Keys, searched: SearchedSoFar) -> SortedStates:
        """Make a level durable that is written, and return it."""
        collapse = keys.collapse
        cuts, counts = None, []
        values = WordFile(self._path("values"))
        if collapse is not None:
            cuts = [[one.start, one.stop] for one in collapse.components]
            self._kept = self._kept or [0] * len(cuts)
            for i, one in enumerate(collapse.components):
                fresh = one.values.rows(self._kept[i], len(one.values))
                values.append(fresh)
                counts.append(len(fresh))
                self._kept[i] = len(one.values)
        values.complete()
        level = writer.complete()
        described = _Described(
            FORMAT,
            self._search,
            self._before,
            level.count,
            level.words,
            None if level.layout is None else list(level.layout.bits),
            cuts,
            counts,
            {
                "states": writer.states.checksum,
                "parents": writer.parents.checksum,
                "values": values.checksum,
            },
            asdict(searched),
        )
        settle(self._folder)
        text = json.dumps(asdict(described))
        checksum = crc32(text.encode())
        write_file(self._path("json"), json.dumps([checksum, text]))
        settle(self._folder)
        self._before = checksum
        self.states.append(level)
        self.searched = searched
        return level

    def _path(self, kind: str) -> Path:
        return self._folder / f"{len(self.states):05}.{kind}"

    def _read_next(self, said: _Described) -> None:
        value_words = 0
        if said.cuts is not None:
            self.cuts = [(start, stop) for start, stop in said.cuts]
            sizes = zip(self.cuts, said.values, strict=True)
            value_words = sum((stop - start) * count for (start, stop), count in sizes)
        for kind, size in (
            ("states", 8 * said.words * said.states),
            ("parents", 4 * said.states),
            ("values", 8 * value_words),
        ):
            require_intact(self._path(kind), size, said.checksums[kind])
        if self.cuts is not None:
            self._read_values(said.values)
        layout = None if said.bits is None else TupleLayout(said.bits)
        level = SortedStates(self._path("states"), self._path("parents"), said.words, layout)
        self.states.append(level)
        self.searched = SearchedSoFar(**said.searched)
        self._sizes.append(said.states)

    def _read_values(self, counts: Sequence[int]) -> None:
        assert self.cuts is not None
        whole = np.fromfile(self._path("values"), np.uint64)
        self.values = self.values or [[] for _ in self.cuts]
        self._kept = self._kept or [0] * len(self.cuts)
        begin = 0
        for i, ((start, stop), count) in enumerate(zip(self.cuts, counts, strict=True)):
            end = begin + (stop - start) * count
            self.values[i].append(whole[begin:end].reshape(-1, stop - start))
            self._kept[i] += count
            begin = end


def _description(path: Path) -> tuple[_Described, int]:
    """Read the last file of a level, and its checksum. Raises DamagedSpill."""
    try:
        checksum, text = json.loads(path.read_text(encoding="utf-8"))
        said: Mapping[str, Any] = json.loads(text)
        if crc32(text.encode()) != checksum or said["format"] != FORMAT:
            raise ValueError
        described = _Described(**said)
        _require_form(described)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise DamagedSpill(f"{path} {_OTHER}") from None
    return described, checksum


def _require_form(said: _Described) -> None:
    """Raise ValueError unless each part is of the kind that it is written with.

    The checksum finds damage; another version, or a hand, writes one that fits.
    """
    searched = said.searched
    rows = [row for states in dict(searched["decided"]).values() for row in _listed(states)]
    texts: list[object] = [said.search, *rows]
    good = (
        set(said.checksums) == {"states", "parents", "values"}
        and set(searched) == {one.name for one in fields(SearchedSoFar)}
        and all(isinstance(text, str) for text in texts)
        and all(bytes.fromhex(row) for row in rows)
        and _are_numbers([said.before, said.states, *said.checksums.values()], 0)
        and _are_numbers([said.words], 1)
        and _are_numbers([*_listed(searched["levels"]), *_listed(searched["fired"])], 0)
        and _are_numbers(_listed(said.values), 0)
        and _are_numbers([] if said.bits is None else _listed(said.bits), 0, _WORD_BITS)
        and all(_are_numbers(_listed(cut), 0) for cut in said.cuts or [])
    )
    if not good:
        raise ValueError


def _listed(part: object) -> list[Any]:
    if not isinstance(part, list):
        raise ValueError
    return part


def _are_numbers(parts: Sequence[object], least: int, most: int = _MOST) -> bool:
    """Whether all are integers of Python, and no truth values, within bounds."""
    return all(type(part) is int and least <= part <= most for part in parts)
