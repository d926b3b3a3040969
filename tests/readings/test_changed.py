"""Of a wide shape with a few new parts only those are looked at."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from bmc.readings.changed import differing, with_parts


class Wide(tuple[object, ...]):
    """Parts that nobody goes through any more."""

    closed = False

    def __iter__(self) -> Iterator[object]:
        assert not self.closed
        return super().__iter__()


@pytest.mark.parametrize("number", [12, 40])
def test_it_is_read_as_the_tuple_it_stands_for(number: int) -> None:
    before = tuple(range(number))
    for after in (with_parts(before, {3: "a"}), with_parts(with_parts(before, {9: "b"}), {3: "a"})):
        plain = tuple(after)
        assert len(after) == number
        assert [after[place] for place in range(number)] == list(plain) == [*after]
        assert (after[-1], after[2:5]) == (number - 1, (2, "a", 4))
        assert [place for place in range(number) if plain[place] != place] in ([3], [3, 9])


def test_changes_of_a_wide_shape_copy_none_of_it() -> None:
    before = Wide(object() for _ in range(1000))
    before.closed = True
    part = object()
    after = with_parts(with_parts(before, {7: part}), {8: part})
    assert (after[6], after[7], after[8]) == (before[6], part, part)


def test_only_the_places_that_were_changed_are_compared() -> None:
    before = Wide(object() for _ in range(1000))
    first, second = object(), object()
    after = with_parts(with_parts(before, {7: first, 9: before[9]}), {3: second, 7: second})
    before.closed = True
    assert list(differing(before, after)) == [(before[3], second), (before[7], second)]


def test_what_differs_does_not_depend_on_how_a_shape_was_made() -> None:
    random = Random(0)
    for number in (12, 40) * 100:
        before = tuple(object() for _ in range(number))
        after, plain = before, list(before)
        for _ in range(random.randrange(4)):
            parts = {
                random.randrange(number): random.choice([object(), before[0]]) for _ in range(3)
            }
            after = with_parts(after, parts)
            for place, part in parts.items():
                plain[place] = part
        assert tuple(after) == tuple(plain)
        expected = list(differing(before, tuple(plain)))
        assert list(differing(before, after)) == expected
        # Beside another shape than the one that it was made of.
        other = with_parts(before, {5: object()})
        assert list(differing(other, after)) == list(differing(tuple(other), tuple(after)))
