"""Some reachable states, as the truth of atoms: what no clause of an invariant may deny.

A clause that denies a reachable state may hold in a frame, but in no invariant; a search that
does not learn it has less to learn. Nothing is believed because of a sample: it need not even
consist of reachable states, only then it does not help.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from bmc.engines.ic3.frames import Cube
from bmc.engines.packed.formulas import Formulas
from bmc.engines.samples import Explored
from bmc.engines.task import Deadline, Observer, OptionError
from bmc.readings.vector import TooWide
from bmc.system.atoms import Atoms
from bmc.system.transition import TransitionSystem

STATES = 20_000
"""How many states are found breadth first; as many more come from random walks."""

_TABLE = 1 << 27
"""How many truth values are kept at most."""

MOST = 1 << 31
"""How many truth values are kept at most of all reachable states."""

_LOOKED_AT = 512
"""Words of states that a small part of a cube is looked for in, before it is compared with all."""

_MORE = 64
"""Words that are looked at besides, where states in them show a part to be too small."""

_ROOM = 4
"""What part of them there is room for besides, where states are entered behind others."""

_SECONDS = 20.0
_SEED = 0
_BITS = 64
_ATTEMPTS = 4
_FAMILIAR = 0.3
"""How much less a literal costs for each time, in powers, that it was of use before."""


class Sample:
    """States, of which only is known which literals hold in them.

    ``truth`` has shape (atoms, states); ``complete`` says that no other state is reachable.
    """

    def __init__(self, truth: NDArray[np.bool_], complete: bool = False) -> None:
        self._keep(_words(truth), truth.shape[1], complete)

    @classmethod
    def of_all(cls, explored: Explored, inside: Cube = frozenset()) -> Sample | None:
        """Return all states of a complete exploration that are in a cube.

        None where the exploration is none, or has too many states to keep.
        """
        nodes = [atom.node for atom in Atoms(explored.system).all]
        if not explored.complete or len(nodes) * len(explored) > MOST:
            return None
        formulas = Formulas(explored.packing, nodes)
        blocks: list[NDArray[np.uint64]] = []
        count, left = 0, np.zeros((len(nodes), 0), np.bool_)
        for rows in explored.blocks():
            truth = formulas.evaluate(rows)
            left = np.concatenate([left, truth[:, in_cube(truth, inside)]], axis=1)
            whole = left.shape[1] // _BITS * _BITS
            blocks.append(_words(left[:, :whole]))
            count, left = count + whole, left[:, whole:]
        found = cls.__new__(cls)
        words = np.concatenate([*blocks, _words(left)], axis=1)
        found._keep(words, count + left.shape[1], True)
        return found

    def _keep(self, words: NDArray[np.uint64], count: int, complete: bool) -> None:
        self._atoms, self.count, self.complete = len(words), count, complete
        # Row i is for literal i, so that negative literals count from the end; row 0 is unused.
        self._room = np.zeros((2 * self._atoms + 1, words.shape[1]), np.uint64)
        self._words = self._room
        self._put(0, words)
        apart = max(1, words.shape[1] // _LOOKED_AT)
        self._near = np.arange(0, words.shape[1], apart, dtype=np.intp)

    def _put(self, first: int, words: NDArray[np.uint64]) -> None:
        """Put the truth of atoms in all states from a word on into its place."""
        inside = _words(np.ones((1, self.count - first * _BITS), np.bool_))
        self._words[1 : self._atoms + 1, first:] = words
        self._words[self._atoms + 1 :, first:] = (~words & inside)[::-1]

    def within(self, cube: Cube) -> Sample:
        """Return those of the states that are in a cube."""
        words = self._words[1 : self._atoms + 1].view(np.uint8)
        truth = np.unpackbits(words, axis=1, count=self.count, bitorder="little").astype(np.bool_)
        return Sample(truth[:, in_cube(truth, cube)], self.complete)

    def add(self, truth: NDArray[np.bool_]) -> None:
        """Enter states, of shape (atoms, states), behind those that are there."""
        whole = self.count // _BITS
        tail = np.ascontiguousarray(self._words[1 : self._atoms + 1, whole:]).view(np.uint8)
        last = np.unpackbits(tail, axis=1, count=self.count % _BITS, bitorder="little")
        words = _words(np.concatenate([last.astype(np.bool_), truth], axis=1))
        self.count += truth.shape[1]
        needed = whole + words.shape[1]
        if needed > self._room.shape[1]:
            room = np.empty((len(self._room), needed + needed // _ROOM), np.uint64)
            room[:, :whole] = self._words[:, :whole]
            room[0] = 0
            self._room = room
        self._words = self._room[:, :needed]
        self._put(whole, words)

    def inside(self, cube: Cube, most: int) -> list[int]:
        """The numbers of up to about ``most`` states in a cube, counted from 0."""
        words = self._inside(cube)
        (places,) = words.nonzero()
        places = places[:: max(1, len(places) // most)][:most]
        bits = np.unpackbits(words[places].view(np.uint8), bitorder="little").reshape(-1, _BITS)
        return [int(p) * _BITS + int(b.argmax()) for p, b in zip(places, bits, strict=True)]

    def literals(self) -> Iterator[int]:
        """All literals, an atom's and then its negation's."""
        for atom in range(1, self._atoms + 1):
            yield atom
            yield -atom

    def some(self, literals: Sequence[int], most: int) -> NDArray[np.bool_]:
        """The truth of literals in up to about ``most`` of the states: shape (literals, states)."""
        words = self._words[np.array(literals, np.intp)].view(np.uint8)
        truth = np.unpackbits(words, axis=1, count=self.count, bitorder="little")
        found: NDArray[np.bool_] = truth[:, :: max(1, self.count // most)].astype(np.bool_)
        return found

    def meets(self, cube: Cube) -> bool:
        """Whether one of the states is in a cube (which is not empty)."""
        return bool(self._inside(cube).any())

    def apart(self, part: Cube, whole: Cube) -> Cube:
        """``part`` with as much of ``whole`` as keeps the states out; ``part`` if that fails."""
        left = self._inside(part)
        if not left.any():
            return part
        rest = sorted(whole - part)
        chosen = set(part)
        while left.any():
            if not rest:
                return part
            remaining = self._words[rest] & left
            best = int(np.bitwise_count(remaining).sum(axis=1).argmin())
            left = remaining[best]
            chosen.add(rest.pop(best))
        return frozenset(chosen)

    def unseen(self, whole: Cube, useful: Mapping[int, int]) -> Cube | None:
        """A small part of ``whole`` that none of the states is in, preferring literals that were
        ``useful`` often; None where a state is in ``whole``."""
        literals = sorted(whole)
        while literals:
            words = self._words[np.array(literals, np.intp)[:, None], self._near]
            found = _fewest(words, [useful.get(one, 0) for one in literals])
            if found is None:
                break
            part = frozenset(literals[i] for i in found)
            (met,) = self._inside(part).nonzero()
            if not len(met):
                return part
            self._near = np.union1d(self._near, met[:_MORE])
        return None

    def _inside(self, cube: Cube) -> NDArray[np.uint64]:
        found: NDArray[np.uint64] = np.bitwise_and.reduce(self._words[list(cube)], axis=0)
        return found


def _fewest(words: NDArray[np.uint64], useful: Sequence[int]) -> list[int] | None:
    """A few rows of bits that have no bit in common, none of which can be left out."""
    cheap = 1 + _FAMILIAR * np.log1p(useful)
    random = np.random.default_rng(len(words))
    found: list[int] | None = None
    for attempt in range(_ATTEMPTS):
        noise = random.uniform(0.5, 1.5, len(words)) if attempt else np.ones(len(words))
        chosen = _apart(words, noise / cheap)
        if chosen is None:
            return None
        for one in sorted(chosen, key=lambda i: cheap[i]):
            rest = [other for other in chosen if other != one]
            if rest and not np.bitwise_and.reduce(words[rest], axis=0).any():
                chosen = rest
        if found is None or len(chosen) < len(found):
            found = chosen
    return found


def _apart(words: NDArray[np.uint64], price: NDArray[np.float64]) -> list[int] | None:
    """Rows of bits that have no bit in common, taken greedily; None where all rows share one.

    At least one row is taken.
    """
    chosen: list[int] = []
    left = ~np.zeros(words.shape[1], np.uint64)
    while left.any() or not chosen:
        shared = words & left
        rest = np.bitwise_count(shared).sum(axis=1)
        if chosen and not (rest < rest[chosen[0]]).any():
            return None
        score = (rest + 0.2) * price
        score[chosen] = np.inf
        best = int(score.argmin())
        chosen.append(best)
        left = shared[best]
    return chosen


def in_cube(truth: NDArray[np.bool_], cube: Cube) -> NDArray[np.bool_]:
    """Return of states, given as the truth of atoms, which of them are in a cube."""
    found = np.ones(truth.shape[1], np.bool_)
    for literal in cube:
        found &= truth[literal - 1] if literal > 0 else ~truth[-literal - 1]
    return found


def _words(truth: NDArray[np.bool_]) -> NDArray[np.uint64]:
    padded = np.pad(truth, ((0, 0), (0, -truth.shape[1] % _BITS)))
    packed = np.packbits(padded, axis=1, bitorder="little")
    words: NDArray[np.uint64] = np.ascontiguousarray(packed).view(np.uint64)
    return words


def sampled(
    system: TransitionSystem, atoms: Atoms, deadline: Deadline, observer: Observer
) -> tuple[Sample, Explored | None]:
    """Reachable states of a system; none where no fast reading of it exists.

    Which they are depends on time only where so many cannot be found in a few seconds. With them
    go the states that were explored, of which they are the truth.
    """
    try:
        explored = Explored(system, _SEED)
    except TooWide:
        return Sample(np.zeros((len(atoms), 0), np.bool_)), None
    left = deadline.remaining()
    seconds = _SECONDS if left is None else min(_SECONDS, left / 4)
    try:
        explored.explore(STATES, seconds, observer)
    except OptionError:
        # A bound is too small. That is for the search to show, and what was found is reachable.
        observer.phase("sampling states met a bound")
    rows = explored.sample(_TABLE // max(1, len(atoms)))
    truth = Formulas(explored.packing, [a.node for a in atoms.all]).evaluate(rows)
    return Sample(truth, explored.complete and len(rows) == len(explored)), explored
