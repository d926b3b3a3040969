"""Grids: which points they have, what is wrong with those that have none, how large states are."""

import pytest

from bmc.cli.shared.catalogue import built_in, find
from bmc.lang import (
    BOOL,
    EnumSort,
    MapSort,
    Parameter,
    Protocol,
    Sequence,
    SetSort,
    Step,
    Suite,
    Variable,
    Variant,
    action,
    mapping,
    one_of,
)
from bmc.lang.errors import BmcError
from bmc.lang.model import Model
from bmc.lang.protocol import parameter_values, parameters_of
from bmc.layout.size import bits_at, state_bits
from bmc.sweep.grid import points, read_axes
from bmc.system.transition import TransitionSystem

KAFKA = find("kafka").protocol


@pytest.mark.parametrize(
    ("word", "values"),
    [
        ("n=2..4", (2, 3, 4)),
        ("n=3", (3,)),
        ("n=1..9:4", (1, 5, 9)),
        ("n=8,1,2", (1, 2, 8)),
        ("n=1..2, 2..3, 7", (1, 2, 3, 7)),
    ],
)
def test_axes(word: str, values: tuple[int, ...]) -> None:
    assert read_axes([word]) == {"n": values}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["n"], "is no axis"),
        (["n="], "is no axis"),
        (["n=a"], "neither a number nor a range"),
        (["n=1..x"], "neither a number nor a range"),
        (["n=1..1000000000000"], "at most 9 digits"),
        (["n=4..2"], "is empty"),
        (["n=1..4:0"], "a step must be 1 or more"),
        (["n=1", "n=2"], "names n twice"),
        (["n=1..999999999"], "too many"),
    ],
)
def test_axes_that_cannot_be_read(words: list[str], complaint: str) -> None:
    with pytest.raises(BmcError, match=complaint):
        read_axes(words)


def test_points_are_those_that_satisfy_all_conditions() -> None:
    axes = read_axes(["log_size=1..3", "max_records=1..3"])
    found = points(KAFKA, axes, {"replicas": 2}, ["max_records <= log_size", "log_size != 2"])
    assert [(p["log_size"], p["max_records"]) for p in found] == [(1, 1), (3, 1), (3, 2), (3, 3)]
    assert all(p["replicas"] == 2 and p["max_leader_epoch"] == 2 for p in found)


@pytest.mark.parametrize(
    ("words", "fixed", "where", "complaint"),
    [
        (["replica=2"], {}, [], "did you mean replicas"),
        (["replicas=2..99"], {}, [], "between 1 and 9"),
        (["replicas=2"], {"replicas": 3}, [], "both fixed and on the grid"),
        (["replicas=2"], {}, ["replicas > 2"], "no point of the grid"),
        (["replicas=2"], {}, ["replics > 2"], "did you mean replicas"),
        (
            ["replicas=1..9", "log_size=1..64", "max_records=1..64", "max_leader_epoch=0..64"],
            {},
            [],
            "narrow it",
        ),
    ],
)
def test_grids_that_make_no_sense(
    words: list[str], fixed: dict[str, int], where: list[str], complaint: str
) -> None:
    with pytest.raises(BmcError, match=complaint):
        points(KAFKA, read_axes(words), fixed, where)


def counted_bits(model: Model, values: dict[str, int]) -> int:
    system = TransitionSystem(model, values)
    return sum((leaf.high - leaf.low).bit_length() for leaf in system.leaves)


@pytest.mark.parametrize("name", sorted(built_in()))
def test_the_closed_form_counts_the_bits_of_the_system(name: str) -> None:
    suite = find(name)
    model = suite.model(ghosts=False)
    form = state_bits(model)
    names = [p.name for p in parameters_of(suite.protocol)]
    for step in (0, 1):
        given = {p.name: min(p.high, p.low + step) for p in parameters_of(suite.protocol)}
        values = parameter_values(suite.protocol, given)
        assert bits_at(form, values) == counted_bits(model, values)
    assert {str(symbol) for symbol in form.free_symbols} <= set(names)


def test_keys_and_elements_may_be_variants_maps_and_sequences() -> None:
    """A protocol that every other command takes can be swept."""

    class Keyed(Protocol):
        length = Parameter("length", default=2, low=0, high=3, about="of a sequence")
        Color = EnumSort("Color", ("red", "green", "blue"))
        Key = Variant("Key", Of=Color, Flag=BOOL)
        Words = Sequence(Color, length)
        by_key = Variable(MapSort(Key, BOOL))
        some = Variable(SetSort(Key))
        words = Variable(SetSort(Words))
        flags = Variable(SetSort(MapSort(Color, BOOL)))

        @action()
        def Init(self, s: Step) -> None:
            s.by_key = mapping(self.Key, lambda key: False, BOOL)
            s.some = set()
            s.words = set()
            s.flags = set()

        Next = one_of(Init)

    suite = Suite.of(Keyed, "keyed")
    form = state_bits(suite.model(False))
    for length in range(4):
        values = {"length": length}
        assert bits_at(form, values) == counted_bits(suite.model(False), values)
