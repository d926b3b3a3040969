"""Empty values: `()` where a sequence is expected, and what to write where none is known."""

import pytest

from bmc.lang import BOOL, MapSort, Scalarset, Sequence, empty, mapping
from bmc.lang.errors import SortError
from bmc.lang.terms import coerce, lift, term_of

NODE = Scalarset("Node", 2)
QUEUE = Sequence(BOOL, 2)


def test_an_empty_tuple_is_an_empty_sequence() -> None:
    nothing = term_of(empty(QUEUE))
    assert coerce((), QUEUE) is nothing
    written = term_of(mapping(NODE, lambda _: (), QUEUE))
    assert written.args[1] is nothing


@pytest.mark.parametrize("value", [(True,), [], {}])
def test_another_collection_of_python_is_told_what_to_write(value: object) -> None:
    with pytest.raises(SortError, match=r"write \(\), empty\(sort\)"):
        coerce(value, QUEUE)
    with pytest.raises(SortError, match="mapping"):
        coerce(value, MapSort(NODE, QUEUE))


@pytest.mark.parametrize("value", [(), [], {}])
def test_an_empty_value_without_a_sort_is_told_how_to_name_one(value: object) -> None:
    with pytest.raises(SortError, match=r"write empty\(sort\)"):
        lift(value)
