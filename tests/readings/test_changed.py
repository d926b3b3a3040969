"""Of a wide shape with a few new parts only those are looked at."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from bmc.readings.changed import differing, with_parts


class Wide(tuple[object, ...]):
    """Parts that nobody goes through any more."""

    closed = False

    def __iter__(self) -> Iterator[object]:
        assert not self.closed
        return super().__iter__()


def test_only_the_places_that_were_changed_are_compared() -> None:
    before = Wide(object() for _ in range(1000))
    first, second = object(), object()
    after = with_parts(with_parts(before, {7: first, 9: before[9]}), {3: second, 7: second})
    before.closed = True
    assert list(differing(before, after)) == [(before[3], second), (before[7], second)]


def test_what_differs_does_not_depend_on_how_a_shape_was_made() -> None:
    random = Random(0)
    for _ in range(200):
        before = tuple(object() for _ in range(12))
        after, plain = before, list(before)
        for _ in range(random.randrange(4)):
            parts = {random.randrange(12): random.choice([object(), before[0]]) for _ in range(3)}
            after = with_parts(after, parts)
            for place, part in parts.items():
                plain[place] = part
        assert after == tuple(plain)
        expected = list(differing(before, tuple(plain)))
        assert list(differing(before, after)) == expected
        # Beside another shape than the one that it was made of.
        other = with_parts(before, {5: object()})
        assert list(differing(other, after)) == list(differing(tuple(other), tuple(after)))
