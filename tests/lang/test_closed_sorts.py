"""``Sort`` is a closed union: whatever reads a sort knows all of them, and says so of no other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast, get_args

import pytest

from bmc.analysis.mining import vocabulary as mining
from bmc.evidence.independent.formula import Formulas
from bmc.evidence.independent.universe import Universe
from bmc.evidence.independent.values import Truth
from bmc.evidence.independent.values import Value as JudgedValue
from bmc.lang import BOOL, MapSort, OptionSort, Record, Scalarset, Sequence, Sort
from bmc.lang.advice import to_make
from bmc.lang.errors import BmcError, UnknownSort
from bmc.lang.model import Action, Model, Source
from bmc.lang.sort_parts import symmetric_parts
from bmc.lang.sorts import (
    require_enumerable,
)
from bmc.lang.state import Branch, state_variable
from bmc.lang.terms import truth
from bmc.layout.domain import Domains
from bmc.layout.layouts import Layouts, keeps_order
from bmc.layout.renaming import members, renamed
from bmc.layout.size import bits_at, state_bits
from bmc.readings.circuit import Circuit
from bmc.readings.quantified.fresh import fresh as logic_fresh
from bmc.readings.quantified.structures import require_key, scalar_sort
from bmc.readings.quantified.vocabulary import Symbols as FirstOrder
from bmc.readings.shapes import Shapes
from bmc.reports.notation import value_text
from bmc.reports.traces.itf import ItfParser, itf_value, type_text
from bmc.reports.traces.parsing import Parser
from bmc.reports.values import rank, value_json
from bmc.reports.vocabulary import Vocabulary
from bmc.system.atoms import Atoms
from bmc.system.renaming import Renaming, namings
from bmc.system.transition import TransitionSystem
from tests.lang.zoo import SORTS, Node

PARAMETERS = {"size": 2, "nodes": 3}
DOMAINS = Domains(PARAMETERS)
ONE_OF_EACH = {type(sort): sort for sort in SORTS.values()}


@dataclass(frozen=True)
class Heap:
    """A sort that the language does not have."""

    name: str = "Heap"


FOREIGN = cast(Sort, Heap())


def model_of(sort: Sort) -> Model:
    """A model of one variable that never changes."""
    kept = Branch((), {"one": state_variable("one", sort)})
    start = Action("Init", (), (kept,), Source("", 0))
    return Model("One", (), {"one": sort}, frozenset(), start, (), truth(True))


def _words(sort: Sort) -> Vocabulary:
    return Vocabulary(model_of(sort), PARAMETERS)


def _logic() -> FirstOrder:
    return FirstOrder(PARAMETERS)


def _judge() -> Universe:
    return Universe(Formulas(), PARAMETERS)


def _judge_value(sort: Sort) -> JudgedValue:
    return Truth(Formulas().true) if sort is FOREIGN else _judge().void(sort)


def _shapes() -> Shapes:
    return Shapes(Circuit(), DOMAINS)


def _value(sort: Sort) -> Any:
    return DOMAINS.default(sort) if sort is not FOREIGN else 0


def _of_system(read: Callable[[TransitionSystem], object]) -> Callable[[Sort], object]:
    return lambda sort: read(TransitionSystem(model_of(sort), PARAMETERS))


def _images(system: TransitionSystem) -> object:
    return [Renaming(system).image(naming) for naming in namings(system)]


def _fresh(sort: Sort) -> object:
    made = _shapes()
    return made.fresh(sort, lambda boolean, low, high: made.circuit.integer_variable(0, low, high))


def _naming() -> Mapping[Scalarset, tuple[int, ...]]:
    return {part: DOMAINS.values(part) for sort in SORTS.values() for part in symmetric_parts(sort)}


READERS: dict[str, Callable[[Sort], object]] = {
    "symmetric_parts": symmetric_parts,
    "require_enumerable": lambda sort: require_enumerable(sort, "it"),
    "to_make": to_make,
    "range": DOMAINS.range,
    "values": DOMAINS.values,
    "default": DOMAINS.default,
    "contains": lambda sort: DOMAINS.contains(sort, _value(sort)),
    "constant": lambda sort: _shapes().constant(sort, _value(sort)),
    "fresh": _fresh,
    "well_formed": lambda sort: _shapes().well_formed(sort, _shapes().default(sort)),
    "decode": lambda sort: _shapes().layouts.decode(sort, iter([0] * 1000)),
    "renamed": lambda sort: renamed(DOMAINS, sort, _value(sort), _naming()),
    "members": lambda sort: list(members(sort, _value(sort))),
    "system": _of_system(lambda system: system.leaves),
    "images": _of_system(_images),
    "atoms": _of_system(Atoms),
    "keeps_order": lambda sort: keeps_order(Layouts(DOMAINS).of(sort)),
    "state_bits": lambda sort: bits_at(state_bits(model_of(sort)), PARAMETERS),
    "key_sorts": lambda sort: mining.key_sorts(model_of(sort)),
    "signatures": lambda sort: mining.readings(model_of(sort), (), 3),
    "judge_listed": lambda sort: _judge().listed(sort),
    "judge_void": lambda sort: _judge().void(sort),
    "judge_inside": lambda sort: _judge().inside(sort, _judge_value(sort)),
    "judge_shown": lambda sort: _judge().shown(sort, _judge_value(sort)),
    "first_order": lambda sort: logic_fresh(sort, "x"),
    "first_order_inside": lambda sort: _logic().inside(sort, logic_fresh(sort, "x")),
    "first_order_typed": lambda sort: _logic().well_formed(sort, logic_fresh(sort, "x")),
    "first_order_equal": lambda sort: _logic().equal(
        sort, logic_fresh(sort, "x"), logic_fresh(sort, "y")
    ),
    "first_order_values": lambda sort: list(_logic().values(sort, "x")),
    "first_order_scalar": scalar_sort,
    "first_order_key": require_key,
    "value_json": lambda sort: value_json(_words(sort), sort, _value(sort)),
    "rank": lambda sort: rank(sort, _value(sort)),
    "value_text": lambda sort: value_text(_words(sort), sort, _value(sort)),
    "itf_value": lambda sort: itf_value(_words(sort), sort, _value(sort)),
    "type_text": type_text,
    "parse": lambda sort: Parser(_words(BOOL)).value(sort, None, "here"),
    "parse_itf": lambda sort: ItfParser(_words(BOOL)).value(sort, None, "here"),
}


def test_the_world_has_a_sort_of_each_kind() -> None:
    assert set(ONE_OF_EACH) == set(get_args(Sort))


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", get_args(Sort), ids=lambda kind: kind.__name__)
def test_every_reader_knows_every_sort(kind: type[Sort], reader: str) -> None:
    """It answers, or refuses by name what it cannot read; it does not take it for unknown."""
    refused: BmcError | None = None
    try:
        READERS[reader](ONE_OF_EACH[kind])
    except BmcError as error:
        refused = error
    assert not isinstance(refused, UnknownSort)


@pytest.mark.parametrize("reader", READERS)
def test_no_reader_answers_for_a_sort_that_the_language_does_not_have(reader: str) -> None:
    with pytest.raises(UnknownSort, match="is no sort of the language"):
        READERS[reader](FOREIGN)


@pytest.mark.parametrize(
    "sort",
    [
        OptionSort(FOREIGN),
        Record("R", known=Node, unknown=FOREIGN),
        MapSort(Node, FOREIGN),
        Sequence(FOREIGN, 2),
    ],
    ids=lambda sort: type(sort).__name__,
)
def test_symmetric_parts_never_leave_a_part_out(sort: Sort) -> None:
    with pytest.raises(UnknownSort):
        symmetric_parts(sort)
